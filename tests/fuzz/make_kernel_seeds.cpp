// Writes small kernels and the events of their execution into a folder, as seeds of fuzz_kernels.

#include <fstream>

#include "kernels/program_code.h"
#include "tests/fuzz/kernel_events.h"
#include "tests/unit/kernels/small_kernels.h"

int main(int, char** argv) {
  using namespace apmt::kernels;
  for (const testing::SmallKernel& kernel :
       {testing::lu(4), testing::histogram(16, true), testing::bitonic_sort(2),
        testing::reduction_tree(3), testing::jacobi(6, 2)}) {
    const Program& program = kernel.code.program;
    testing::Interpreter run(kernel.code);
    kernel.fill(run);
    run.run(0);
    const std::vector<std::byte> code = encode(program);
    const std::vector<std::uint16_t> numbers = apmt::fuzz::numbers_of(program, run.words);
    const auto length = static_cast<std::uint32_t>(code.size());
    std::ofstream out(std::string(argv[1]) + "/" + kernel.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out.write(reinterpret_cast<const char*>(code.data()),
              static_cast<std::streamsize>(code.size()));
    out.write(reinterpret_cast<const char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * 2));
  }
}
