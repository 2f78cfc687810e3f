// Fuzzes the readers of other tools' files; the first byte chooses the file name's extension.

#include <array>

#include "fitter/foreign_files.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array<const char*, 8> kNames = {"f.txt",  "f.jsonl", "f.json",  "f.cali",
                                                 "f.mpiP", "f",       "f.cubex", "f.extra-p"};
  return apmt::fuzz::answers([&] {
    apmt::read_foreign(apmt::fuzz::text_of(data + 1, size - 1), kNames[data[0] % kNames.size()],
                       {"s"});
  });
}
