// Tests of how a run confirms or rejects the idioms that a front end found, and of the instructions
// of each loop.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

using Kinds = std::vector<Idiom::Kind>;

/// Adds an idiom of the first kind to a loop, with the other kinds as alternatives. All accesses of
/// the loop belong to it.
SmallKernel with_idiom(SmallKernel kernel, std::uint32_t loop, const Kinds& kinds,
                       std::uint32_t nest = kNone) {
  Program& p = kernel.code.program;
  for (std::size_t n = 0; n < kinds.size(); ++n) {
    Idiom idiom{.loop = loop, .kind = kinds[n], .site = p.loops[loop].site};
    idiom.code = p.names.add("the code");
    idiom.nest = n == 0 && nest != kNone ? nest : loop;
    idiom.is_alternative = n == 0 ? 0 : 1;
    idiom.first_reference = static_cast<std::uint32_t>(p.references.size());
    for (const Block& block : p.blocks)
      for (std::uint32_t i = block.first_instruction;
           block.loop == loop && i < block.first_instruction + block.instructions; ++i)
        if (words_of(p.instructions[i].op) > 0) p.references.push_back(i);
    idiom.references = static_cast<std::uint32_t>(p.references.size()) - idiom.first_reference;
    p.idioms.push_back(idiom);
  }
  EXPECT_EQ(fault_of(p), "");
  return kernel;
}

std::vector<std::string> names(const SmallKernel& kernel, std::uint32_t loop) {
  const Analysed analysed(kernel);
  std::vector<std::string> names;
  for (const IdiomFacts& idiom : analysed.loop(loop).idioms) names.push_back(idiom.idiom);
  return names;
}

using Names = std::vector<std::string>;

TEST(Idioms, WhatReadsEarlierIterationsMovesNothing) {
  EXPECT_EQ(names(with_idiom(copy(10), 0, {Idiom::kStream}), 0), Names{"stream"});
  EXPECT_EQ(names(with_idiom(prefix_sum(10), 0, {Idiom::kStream}), 0), Names{});
  // A stencil may carry dependences.
  EXPECT_EQ(names(with_idiom(prefix_sum(10), 0, {Idiom::kStencil}), 0), Names{"stencil"});
}

TEST(Idioms, TheFirstAlternativeThatHoldsIsTheIdiom) {
  const Kinds kinds = {Idiom::kMatrixMatrix, Idiom::kMatrixVector, Idiom::kReduction};
  EXPECT_EQ(names(with_idiom(matmul_ijk(6), 2, kinds, 0), 2), Names{"matrix-matrix product"});
  // In LU, the operands of the product change with each step of the outermost loop. So the loop is
  // not a matrix-matrix product, and the next kind is reported.
  EXPECT_EQ(names(with_idiom(lu(6), 2, {Idiom::kMatrixMatrix, Idiom::kStream}, 0), 2),
            Names{"stream"});
  // In this constructed loop, the references of the idiom carry no dependences, but another
  // statement makes the loop sequential.
  SmallKernel alone = with_idiom(lu(6), 2, {Idiom::kMatrixMatrix, Idiom::kStream}, 0);
  Program& p = alone.code.program;
  for (Idiom& idiom : p.idioms) {
    idiom.first_reference = static_cast<std::uint32_t>(&idiom - p.idioms.data());
    idiom.references = 1;
  }
  const auto store = std::find_if(p.references.begin(), p.references.end(), [&](std::uint32_t r) {
    return p.instructions[r].op == OpClass::kStore;
  });
  p.references = {*store, *store};
  EXPECT_EQ(fault_of(p), "");
  EXPECT_EQ(names(alone, 2), Names{"stream"});
  EXPECT_EQ(names(with_idiom(prefix_sum(6), 0, {Idiom::kStream, Idiom::kTranspose}), 0), Names{});
}

TEST(Idioms, ARecognisedReductionIsNoDependence) {
  EXPECT_EQ(names(with_idiom(histogram(40, true), 0, {Idiom::kScatter}), 0), Names{"scatter"});
  EXPECT_EQ(names(with_idiom(histogram(40, false), 0, {Idiom::kScatter}), 0), Names{});
}

TEST(Idioms, HaveTheirReferencesAndCode) {
  const Analysed analysed(with_idiom(triad(10), 0, {Idiom::kStream}));
  const IdiomFacts& idiom = analysed.loop(0).idioms.at(0);
  EXPECT_EQ(idiom.loads, 20u);
  EXPECT_EQ(idiom.stores, 10u);
  EXPECT_EQ(idiom.bytes, 240u);
  EXPECT_EQ(idiom.share, 1);
  EXPECT_EQ(idiom.code, "the code");
  EXPECT_EQ(idiom.line, analysed.loop(0).line);
}

TEST(Idioms, WhatDidNotRunIsNone) {
  Builder b;
  const std::uint32_t main = b.function("main");
  b.loop(0, 5, [&](Value i) {
    b.if_(b.less(i, 0), [&] { b.store(1.0, Interpreter::kBase, i); });
    b.store(1.0, Interpreter::kBase + 800, i);
  });
  b.finish();
  Code code = b.take();
  Program& p = code.program;
  for (std::uint32_t i = 0; i < p.instructions.size(); ++i)
    if (p.instructions[i].op == OpClass::kStore) {
      p.idioms.push_back({.kind = p.idioms.empty() ? Idiom::kScatter : Idiom::kStream});
      p.idioms.back().first_reference = static_cast<std::uint32_t>(p.references.size());
      p.idioms.back().references = 1;
      p.references.push_back(i);
    }
  ASSERT_EQ(fault_of(p), "");
  const Analysis found = analyse(p, events_of(code, main), {});
  const auto& idioms = found.kernels.at(0).loops.at(0).idioms;
  ASSERT_EQ(idioms.size(), 1u);
  EXPECT_EQ(idioms[0].idiom, "stream");
}

/// Two statements have the same references. Each reference counts once, for the more specific
/// idiom.
TEST(Idioms, AReferenceCountsOnce) {
  const Analysed analysed(
      with_idiom(with_idiom(triad(10), 0, {Idiom::kStream}), 0, {Idiom::kGather}));
  const auto& idioms = analysed.loop(0).idioms;
  ASSERT_EQ(idioms.size(), 2u);
  EXPECT_EQ(idioms[0].idiom, "gather");
  EXPECT_EQ(idioms[0].loads, 20u);
  EXPECT_EQ(idioms[1].loads + idioms[1].stores, 0u);
}

TEST(Idioms, SurviveJoiningModules) {
  Program joined = copy(4).code.program;
  append(with_idiom(triad(4), 0, {Idiom::kStream, Idiom::kStencil}).code.program, &joined);
  append(with_idiom(dot(4), 0, {Idiom::kReduction}).code.program, &joined);
  EXPECT_EQ(fault_of(joined), "");
  ASSERT_EQ(joined.idioms.size(), 3u);
  EXPECT_EQ(joined.idioms[2].loop, 2u);
  for (const Idiom& idiom : joined.idioms)
    for (const std::uint32_t reference : joined.references_of(idiom))
      EXPECT_GT(words_of(joined.instructions[reference].op), 0u);
}

TEST(Idioms, FaultsAreNamed) {
  const auto fault_after = [](const std::function<void(Program&)>& change) {
    Program p = with_idiom(lu(4), 2, {Idiom::kStream}, 0).code.program;
    change(p);
    return fault_of(p);
  };
  EXPECT_EQ(fault_after([](Program& p) { p.idioms[0].nest = 9; }),
            "idiom 0 spans a loop that is not around it");
  EXPECT_EQ(fault_after([](Program& p) { p.idioms[0].is_alternative = 1; }),
            "idiom 0 is an alternative to nothing");
  EXPECT_EQ(fault_after([](Program& p) { p.references[0] = 0; }),
            "idiom 0 refers to an instruction that accesses no memory");
  EXPECT_EQ(fault_after([](Program& p) { p.idioms[0].loop = 7; }),
            "idiom 0 has no such loop, kind, site or code");
  EXPECT_EQ(fault_after([](Program& p) { p.references.push_back(0); }),
            "there are rows that nothing refers to");
}

TEST(LoopMixes, CountTheLoopWithoutTheLoopsInIt) {
  const Analysed analysed(lu(6));
  const auto& loops = analysed.found().loops;
  std::uint64_t loads = 0, stores = 0, flops = 0;
  for (const LoopFacts& loop : loops) {
    loads += loop.mix.loads;
    stores += loop.mix.stores;
    flops += loop.mix.flops;
  }
  EXPECT_EQ(loads, analysed.found().mix->loads);
  EXPECT_EQ(stores, analysed.found().mix->stores);
  EXPECT_EQ(flops, analysed.found().mix->flops);
  EXPECT_EQ(analysed.loop(2).mix.stores, 55u);  // 1 + 4 + 9 + 16 + 25
  EXPECT_EQ(analysed.loop(1).mix.stores, 15u);
  EXPECT_EQ(analysed.loop(2).depth, 3u);
}

/// A function without loops counts in the loop that calls it, even through another function.
TEST(LoopMixes, CountWhatTheLoopCalls) {
  constexpr std::int64_t kBlock = Interpreter::kBase;
  Builder b;
  b.function("sets", 1);
  b.store(1.0, kBlock, b.argument(0));
  b.finish();
  b.function("calls", 1);
  b.call("sets", {b.argument(0)});
  b.finish();
  const std::uint32_t main = b.function("main");
  b.loop(0, 7, [&](Value i) { b.call("calls", {i}); });
  b.loop(0, 5, [&](Value i) { b.call("sets", {i}); });
  b.finish();
  const Code code = b.take();
  const Analysis found = analyse(code.program, events_of(code, main), {});
  const auto& loops = found.kernels.at(0).loops;
  EXPECT_EQ(loops.at(0).mix.stores, 7u);
  EXPECT_EQ(loops.at(1).mix.stores, 5u);
}

TEST(LoopMixes, CountCopiesAsTheirAccesses) {
  constexpr std::int64_t kBlock = Interpreter::kBase;
  Builder b;
  const std::uint32_t main = b.function("main");
  b.loop(0, 3, [&](Value) {
    b.copy_memory(kBlock + 800, kBlock, 80);
    b.fill_memory(kBlock + 1600, 64);
  });
  b.finish();
  const Code code = b.take();
  const Analysis found = analyse(code.program, events_of(code, main), {});
  const InstructionMix& mix = found.kernels.at(0).loops.at(0).mix;
  EXPECT_EQ(mix.loads, 30u);
  EXPECT_EQ(mix.stores, 54u);
  EXPECT_EQ(mix.stored_bytes, 3u * 144);
}

}  // namespace
}  // namespace apmt::kernels::testing
