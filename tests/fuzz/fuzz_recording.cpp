// Fuzzes recordings: decodes a recording, folds it into a profile, and writes the profile.

#include "profiler/reader/fold.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return apmt::fuzz::answers([&] {
    std::vector<apmt::RawRecording> ranks;
    ranks.push_back(apmt::decode_recording({reinterpret_cast<const char*>(data), size}, "fuzz"));
    apmt::format_json(apmt::to_json(apmt::fold(std::move(ranks))));
  });
}
