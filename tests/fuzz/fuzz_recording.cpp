// libFuzzer: whatever the bytes of a recording, the reader answers with a value or an InputError.

#include <cstdint>
#include <string_view>

#include "base/input_error.h"
#include "profiler/reader/fold.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::vector<apmt::RawRecording> ranks;
    ranks.push_back(apmt::decode_recording({reinterpret_cast<const char*>(data), size}, "fuzz"));
    apmt::format_json(apmt::to_json(apmt::fold(std::move(ranks))));
  } catch (const apmt::InputError&) {
  }
  return 0;
}
