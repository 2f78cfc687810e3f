// Fuzzes the readers of ELF files (programs and libraries): symbols, unwind tables, debugging
// information.

#include "profiler/reader/object_file.h"
#include "profiler/reader/symbols.h"
#include "tests/fuzz/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const apmt::fuzz::File file(data, size);
  return apmt::fuzz::answers([&] {
    const std::string build_id = apmt::read_object_file(file.path()).build_id;
    apmt::Symbols symbols;
    for (std::uint64_t address = 0x1000; address < 0x1400; address += 0x35) {
      symbols.function_at(file.path(), build_id, address);
      symbols.place_at(file.path(), build_id, address);
    }
  });
}
