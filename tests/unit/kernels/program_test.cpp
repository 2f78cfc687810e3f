// Tests of the binary form of a program and of its checks.
#include <gtest/gtest.h>

#include <random>

#include "kernels/program_code.h"
#include "tests/unit/kernels/small_kernels.h"

namespace apmt::kernels::testing {
namespace {

TEST(ProgramCode, EveryKernelSurvives) {
  for (const SmallKernel& kernel : all_small_kernels()) {
    const Program& program = kernel.code.program;
    ASSERT_EQ(fault_of(program), "") << kernel.name;
    const std::vector<std::byte> bytes = encode(program);
    const Decoded decoded = decode(bytes);
    ASSERT_EQ(decoded.fault, "") << kernel.name;
    EXPECT_EQ(encode(decoded.program), bytes) << kernel.name;
    EXPECT_EQ(decoded.program.name(decoded.program.functions[0].name), kernel.name);
  }
}

TEST(ProgramCode, CutShortItSaysSo) {
  const std::vector<std::byte> bytes = encode(copy(4).code.program);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    ASSERT_NE(decode(std::span(bytes).first(n)).fault, "") << n;
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_EQ(decode(longer).fault, "bytes follow the program");
}

TEST(ProgramCode, AnotherVersionIsNamed) {
  std::vector<std::byte> bytes = encode(copy(4).code.program);
  bytes[8] = std::byte{9};
  EXPECT_EQ(decode(bytes).fault,
            "the program has version 9, known is 3: build it again with this apmt");
}

/// Any bytes must be refused or decoded to a program without faults, so that analysers need no
/// checks.
TEST(ProgramCode, HostileBytesAreAProgramOrASentence) {
  const std::vector<std::byte> good = encode(bitonic_sort(3).code.program);
  std::mt19937 random(1);
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<std::byte> bytes = good;
    for (int flips = 1 + trial % 3; flips > 0; --flips)
      bytes[12 + random() % (bytes.size() - 12)] = static_cast<std::byte>(random());
    const Decoded decoded = decode(bytes);
    refused += !decoded.fault.empty();
    EXPECT_EQ(fault_of(decoded.program), "");
  }
  EXPECT_GT(refused, 1000);
}

TEST(ProgramFaults, AreNamed) {
  const Program good = lu(4).code.program;
  const auto fault_after = [&](auto change) {
    Program p = good;
    change(p);
    return fault_of(p);
  };
  EXPECT_EQ(fault_after([](Program& p) { p.blocks[1].words++; }),
            "block 1 counts its words wrongly");
  EXPECT_EQ(fault_after([](Program& p) { p.successors[0] = 0; }), "block 0 has no such successor");
  EXPECT_EQ(fault_after([](Program& p) { p.functions[0].slots = 1 << 20; }),
            "function 0 has more values than instructions");
  EXPECT_EQ(fault_after([](Program& p) { p.loops[1].parent = 2; }),
            "loop 1 comes before the loop around it");
  EXPECT_EQ(fault_after([](Program& p) { p.loops[1].header = 0; }), "loop 1 has no such header");
  EXPECT_EQ(fault_after([](Program& p) { p.blocks[0].instructions++; }),
            "instruction 0 ends a block that goes on");
  EXPECT_EQ(fault_after([](Program& p) { p.operands.push_back(0); }),
            "there are rows that nothing refers to");
}

TEST(Append, RenumbersAndSharesNames) {
  Program both;
  const SmallKernel first = triad(4), second = lu(4);
  EXPECT_EQ(append(first.code.program, &both), 0u);
  const std::uint32_t base = append(second.code.program, &both);
  EXPECT_EQ(base, first.code.program.blocks.size());
  EXPECT_EQ(fault_of(both), "");
  EXPECT_EQ(both.name(both.functions[1].name), "lu");
  EXPECT_EQ(both.names.add("fmul"), both.names.add("fmul"));
  EXPECT_EQ(both.loops.back().parent, both.loops.size() - 2);
  EXPECT_EQ(both.blocks[base].function, 1u);
}

}  // namespace
}  // namespace apmt::kernels::testing
