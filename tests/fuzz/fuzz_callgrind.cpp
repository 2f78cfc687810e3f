// Fuzzes the reader of callgrind's dumps.

#include "profiler/simulated/callgrind_file.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const apmt::fuzz::File file(data, size);
  return apmt::fuzz::answers([&] { apmt::read_callgrind_file(file.path()); });
}
