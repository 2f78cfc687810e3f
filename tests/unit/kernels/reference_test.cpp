// Tests of the analysers' results for every kernel against slow, simple reference implementations.
#include "tests/unit/kernels/reference.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

class EveryKernel : public ::testing::TestWithParam<std::size_t> {
 protected:
  Analysed analysed{all_small_kernels()[GetParam()]};
  const Code& code = analysed.kernel.code;
  const std::vector<Step>& steps = analysed.run.steps;
};

TEST_P(EveryKernel, IsLargeEnough) { EXPECT_GE(accesses_of(code, steps).size(), 10'000u); }

TEST_P(EveryKernel, InstructionMix) {
  std::uint64_t alu = 0, loads = 0, stores = 0, branches = 0, calls = 0;
  for (const Step& step : steps) switch (code.program.instructions[step.instruction].op) {
      case OpClass::kLoad:
        ++loads;
        break;
      case OpClass::kStore:
        ++stores;
        break;
      case OpClass::kJump:
      case OpClass::kBranch:
        ++branches;
        break;
      case OpClass::kFloatMultiplyAdd:
        alu += 2;
        break;
      case OpClass::kPhi:
      case OpClass::kReturn:
        break;
      case OpClass::kCall:
        ++calls;
        break;
      default:
        ++alu;
    }
  const InstructionMix& m = *analysed.found().mix;
  EXPECT_EQ(m.alu, alu);
  EXPECT_EQ(m.simd, 0u);
  EXPECT_EQ(m.loads, loads);
  EXPECT_EQ(m.stores, stores);
  EXPECT_EQ(m.branches, branches);
  EXPECT_EQ(m.fences, 0u);
  EXPECT_EQ(m.calls, calls);
  EXPECT_DOUBLE_EQ(m.compute_per_access.value(),
                   static_cast<double>(alu) / static_cast<double>(loads + stores));
}

TEST_P(EveryKernel, StackDistances) {
  const Locality& l = *analysed.found().locality;
  std::map<std::int64_t, std::uint64_t> found;
  if (l.cold > 0) found[-1] = static_cast<std::uint64_t>(l.cold);
  for (const Locality::Distance& d : l.distances) {
    ASSERT_EQ(d.from, d.to);
    found[static_cast<std::int64_t>(d.from)] = static_cast<std::uint64_t>(d.accesses);
  }
  EXPECT_EQ(found, reference_distances(accesses_of(code, steps)));
}

void expect_levels(const Parallelism& p, const std::map<std::uint64_t, std::uint64_t>& reference) {
  EXPECT_EQ(p.depth, reference.empty() ? 0 : reference.rbegin()->first);
  std::uint64_t operations = 0, levels = 0;
  for (const Parallelism::Width& w : p.widths) {  // above 4096, a row is a range of widths
    std::uint64_t levels_of_it = 0, operations_of_it = 0;
    for (const auto& [level, count] : reference)
      if (w.from <= count && count <= w.to) ++levels_of_it, operations_of_it += count;
    EXPECT_EQ(w.levels, levels_of_it) << w.from;
    EXPECT_EQ(w.operations, operations_of_it) << w.from;
    levels += levels_of_it;
    operations += operations_of_it;
  }
  EXPECT_EQ(levels, reference.size());
  EXPECT_EQ(p.operations, operations);
}

TEST_P(EveryKernel, ScheduleOfFloatingPoint) {
  expect_levels(*analysed.found().floating_point,
                reference_levels(code, steps, ReferenceSchedule::kFloatingPoint));
}

TEST_P(EveryKernel, ScheduleOfAllOperations) {
  expect_levels(*analysed.found().all_operations,
                reference_levels(code, steps, ReferenceSchedule::kAllOperations));
}

TEST_P(EveryKernel, LoadChain) {
  const auto levels = reference_levels(code, steps, ReferenceSchedule::kLoads);
  EXPECT_EQ(analysed.found().load_chain->depth, levels.empty() ? 0 : levels.rbegin()->first);
}

TEST_P(EveryKernel, LoopsThatCarryMemory) {
  std::set<std::uint32_t> carried;
  for (const LoopFacts& loop : analysed.found().loops)
    if (loop.because == "memory") carried.insert(loop.id);
  EXPECT_EQ(carried, reference_carried(code, steps));
}

TEST_P(EveryKernel, AiwcMemory) {
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts;  // reads, writes
  std::uint64_t total = 0;
  for (const ReferenceAccess& a : accesses_of(code, steps))
    for (std::uint64_t at = a.address; at < a.address + a.bytes; at += 8, ++total)
      ++(a.is_write ? counts[at].second : counts[at].first);
  const auto entropy = [&](int bits) {
    std::map<std::uint64_t, double> grouped;
    for (const auto& [address, c] : counts)
      grouped[address >> bits] += static_cast<double>(c.first + c.second);
    double sum = 0;
    for (const auto& [address, c] : grouped)
      sum -= c / static_cast<double>(total) * std::log2(c / static_cast<double>(total));
    return sum;
  };
  const Aiwc& m = *analysed.found().aiwc;
  std::uint64_t reads = 0, unique_reads = 0, unique_writes = 0;
  std::vector<std::uint64_t> sorted;
  for (const auto& [address, c] : counts) {
    reads += c.first, unique_reads += c.first > 0, unique_writes += c.second > 0;
    sorted.push_back(c.first + c.second);
  }
  std::sort(sorted.rbegin(), sorted.rend());
  std::uint64_t needed = 0, covered = 0;
  while (static_cast<double>(covered) < std::ceil(0.9 * static_cast<double>(total)))
    covered += sorted[needed++];
  EXPECT_EQ(m.footprint, counts.size());
  EXPECT_EQ(m.footprint_90, needed);
  EXPECT_EQ(m.reads, reads);
  EXPECT_EQ(m.reads + m.writes, total);
  EXPECT_EQ(m.unique_reads, unique_reads);
  EXPECT_EQ(m.unique_writes, unique_writes);
  const auto ratio = [](std::uint64_t of, std::uint64_t to) -> std::optional<double> {
    if (to == 0) return std::nullopt;
    return static_cast<double>(of) / static_cast<double>(to);
  };
  EXPECT_EQ(m.unique_read_write, ratio(unique_reads, unique_writes));
  EXPECT_EQ(m.reread, ratio(unique_reads, reads));
  EXPECT_EQ(m.rewrite, ratio(unique_writes, m.writes));
  EXPECT_NEAR(m.entropy, entropy(0), 1e-9);
  for (int bits = 1; bits <= 10; ++bits)
    EXPECT_NEAR(m.local_entropies[static_cast<std::size_t>(bits - 1)], entropy(bits), 1e-9) << bits;
}

TEST_P(EveryKernel, AiwcInstructionsAndBranches) {
  const Program& p = code.program;
  std::map<std::uint32_t, std::vector<int>> outcomes;  // by instruction
  std::map<std::uint32_t, std::uint64_t> opcodes;
  for (const Step& step : steps) {
    const Instruction& i = p.instructions[step.instruction];
    opcodes[i.opcode]++;
    if (i.op == OpClass::kBranch) outcomes[step.instruction].push_back(step.taken == 0);
  }
  double yokota = 0, linear = 0, windows = 0;
  for (const auto& [branch, history] : outcomes) {
    std::set<std::vector<int>> distinct;
    for (std::size_t i = 0; i + 16 <= history.size(); ++i) {
      const std::vector<int> window(history.begin() + static_cast<std::ptrdiff_t>(i),
                                    history.begin() + static_cast<std::ptrdiff_t>(i + 16));
      const auto share = static_cast<double>(std::count(window.begin(), window.end(), 1)) / 16;
      linear += 2 * std::min(share, 1 - share);
      ++windows;
      if (distinct.insert(window).second && share > 0) yokota -= share * std::log2(share);
    }
  }
  const Aiwc& m = *analysed.found().aiwc;
  EXPECT_EQ(m.instructions, steps.size());
  EXPECT_EQ(m.branches, outcomes.size());
  std::vector<std::uint64_t> times;
  for (const auto& [branch, history] : outcomes) times.push_back(history.size());
  std::sort(times.rbegin(), times.rend());
  const double all_branches = std::accumulate(times.begin(), times.end(), 0.0);
  std::uint64_t branches_90 = 0;
  for (double of_these = 0; of_these < std::ceil(0.9 * all_branches); ++branches_90)
    of_these += static_cast<double>(times[branches_90]);
  EXPECT_EQ(m.branches_90, branches_90);
  EXPECT_NEAR(m.yokota, yokota, 1e-9);
  EXPECT_NEAR(m.linear, windows == 0 ? 0 : linear / windows, 1e-12);
  std::vector<std::uint64_t> sorted;
  for (const auto& [opcode, count] : opcodes) sorted.push_back(count);
  std::sort(sorted.rbegin(), sorted.rend());
  std::uint64_t needed = 0, covered = 0;
  while (static_cast<double>(covered) < std::ceil(0.9 * static_cast<double>(steps.size())))
    covered += sorted[needed++];
  EXPECT_EQ(m.opcodes, needed);
  EXPECT_EQ(m.mean_lanes, 1);
  EXPECT_EQ(m.sd_lanes, 0);
}

/// Results do not depend on where spans end, or on modules that precede the kernel in the program.
TEST_P(EveryKernel, SpansAndModulesDoNotMatter) {
  Program both;
  append(dot(10).code.program, &both);
  const std::uint32_t base = append(code.program, &both);
  std::vector<Word> words = analysed.run.words;
  for (std::size_t at = 0; at < words.size();) {
    if (mark_of(words[at]) != Mark::kBlock) {
      words[at] += words[at] == mark(Mark::kKernelBegin);  // the kernel is function 1 now
      ++at;
    } else {
      words[at] += base;
      at += 1 + both.blocks[words[at]].words;
    }
  }
  const AnalyserChoice choice{.stack_distance = true};
  const Analysis again = analyse(both, words, choice, true);
  const KernelAnalysis& a = analysed.found();
  const KernelAnalysis& b = again.kernels.at(0);
  EXPECT_EQ(a.function, b.function);
  EXPECT_EQ(a.mix->instructions, b.mix->instructions);
  EXPECT_EQ(a.floating_point->depth, b.floating_point->depth);
  EXPECT_EQ(a.all_operations->depth, b.all_operations->depth);
  EXPECT_EQ(a.aiwc->local_entropies, b.aiwc->local_entropies);
  EXPECT_EQ(a.aiwc->median_per_item, b.aiwc->median_per_item);
  EXPECT_EQ(a.locality->misses(1024), b.locality->misses(1024));
  EXPECT_EQ(a.synchronisation->global(), b.synchronisation->global());
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t l = 0; l < a.loops.size(); ++l) {
    EXPECT_EQ(a.loops[l].trips, b.loops[l].trips);
    EXPECT_EQ(a.loops[l].verdict, b.loops[l].verdict);
  }
}

INSTANTIATE_TEST_SUITE_P(Analysers, EveryKernel,
                         ::testing::Range(std::size_t{0}, all_small_kernels().size()),
                         [](const auto& of) { return all_small_kernels()[of.param].name; });

}  // namespace
}  // namespace apmt::kernels::testing
