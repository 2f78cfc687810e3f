// Tests with kernels whose counts, depth and synchronisations are known.
#include <gtest/gtest.h>

#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

struct Known {
  SmallKernel kernel;
  std::uint64_t loads, stores, adds, multiplies, divides, depth, synchronisations;
  std::vector<Verdict> loops;  // outermost first
};

constexpr Verdict kP = Verdict::kParallel, kS = Verdict::kSequential;

std::vector<Known> known() {
  const std::uint64_t n = 1000, points = 28 * 28, cube = 6 * 6 * 6;
  return {
      {copy(1000), n, n, 0, 0, 0, 0, 0, {kP}},
      {triad(1000), 2 * n, n, n, n, 0, 2, 0, {kP}},
      {dot(1000), 2 * n, 1, n, n, 0, n + 1, 0, {kP}},
      {stencil5(30), 5 * points, points, 4 * points, points, 0, 5, 0, {kP, kP}},
      {stencil27(8), 27 * cube, cube, 27 * cube, 0, 0, 27, 0, {kP, kP, kP}},
      {transpose(40), 1600, 1600, 0, 0, 0, 0, 0, {kP, kP}},
      {gather(1024), 2048, 1024, 0, 0, 0, 0, 0, {kP}},
      {scatter(1024), 2048, 1024, 0, 0, 0, 0, 0, {kP}},
      {histogram(1024, false), 2048, 1024, 0, 0, 0, 0, 0, {kS}},
      {histogram(1024, true), 2048, 1024, 0, 0, 0, 0, 0, {kP}},
      // There are 15 pivots, 120 factors and 1,240 updates. Each step of the elimination adds a
      // quotient, a product and a difference to the depth.
      {lu(16), 15 + 120 + 2 * 1240, 120 + 1240, 1240, 1240, 120, 45, 15, {kS, kP, kP}},
      {matmul_ijk(12), 2 * 1728, 144, 1728, 1728, 0, 13, 0, {kP, kP, kP}},
      // The sums over k are in memory, so the loop over k is sequential. Each i has its own sums.
      {matmul_ikj(12), 144 + 2 * 1728, 1728, 1728, 1728, 0, 13, 144, {kP, kS, kP}},
      {matvec(50), 5000, 50, 2500, 2500, 0, 51, 0, {kP, kP}},
      {spmv(500), 2 * 500 + 3 * 1500, 500, 1500, 1500, 0, 4, 0, {kP, kP}},
      {prefix_sum(1000), 2 * (n - 1), n - 1, n - 1, 0, 0, n - 1, 0, {kS}},
      {jacobi(200, 10), 2 * 1980, 1980, 1980, 1980, 0, 20, 10, {kS, kP}},
      // A point waits for its left neighbour, and a sweep runs two points behind the previous
      // sweep.
      {gauss_seidel(200, 10), 2 * 1980, 1980, 1980, 1980, 0, 2 * (198 + 2 * 9), 0, {kS, kS}},
      {wavefront(40), 2 * 1521, 1521, 1521, 0, 0, 77, 0, {kS, kS}},
      {reduction_tree(10), 2 * 1023, 1023, 1023, 0, 0, 10, 10, {kS, kP}},
      {pointer_chase(1024), 1024, 0, 0, 0, 0, 0, 0, {kS}},
      {figure6(512), 511 * 511, 511 * 511, 511 * 511, 0, 0, 511, 511, {kS, kP}},
  };
}

TEST(ClosedForms, VectorOperationsAreKnownIfAllCodeWasExamined) {
  SmallKernel kernel = lu(16);
  EXPECT_FALSE(Analysed(kernel, {}, false).found().mix->flops_vector);
  for (Instruction& i : kernel.code.program.instructions)
    i.vectorising =
        i.op == OpClass::kFloatMultiply ? Instruction::kVectorised : Instruction::kStaysScalar;
  EXPECT_EQ(Analysed(kernel, {}, false).found().mix->flops_vector, 1240u);
  EXPECT_EQ(Analysed(copy(50), {}, false).found().mix->flops_vector, 0u);  // no operation at all
}

TEST(ClosedForms, CountsDepthAndSynchronisations) {
  for (const Known& k : known()) {
    SCOPED_TRACE(k.kernel.name);
    const Analysed analysed(k.kernel, {}, false);
    const KernelAnalysis& found = analysed.found();
    EXPECT_EQ(found.mix->loads, k.loads);
    EXPECT_EQ(found.mix->stores, k.stores);
    EXPECT_EQ(found.mix->loaded_bytes, 8 * k.loads);
    EXPECT_EQ(found.mix->flops_add, k.adds);
    EXPECT_EQ(found.mix->flops_multiply, k.multiplies);
    EXPECT_EQ(found.mix->flops_divide, k.divides);
    EXPECT_EQ(found.mix->flops, k.adds + k.multiplies + k.divides);
    EXPECT_EQ(found.floating_point->operations, found.mix->flops);
    EXPECT_EQ(found.floating_point->depth, k.depth);
    EXPECT_EQ(found.synchronisation->global(), k.synchronisations);
    ASSERT_EQ(found.loops.size(), k.loops.size());
    for (std::uint32_t l = 0; l < k.loops.size(); ++l)
      EXPECT_EQ(analysed.loop(l).verdict, k.loops[l]) << "loop " << l;
  }
}

TEST(ClosedForms, BitonicSortSorts) {
  const Analysed sorted(bitonic_sort(6));
  for (int i = 1; i < 64; ++i) {
    const auto at = [&](int k) {
      return as_double(sorted.run.memory[static_cast<std::size_t>(k)]);
    };
    EXPECT_LE(at(i - 1), at(i));
  }
  // Six stages of one to six steps; a step is a parallel loop over all elements.
  EXPECT_EQ(sorted.found().synchronisation->global(), 21u);
  EXPECT_EQ(sorted.loop(2).verdict, kP);
  EXPECT_EQ(sorted.loop(2).entries, 21u);
  EXPECT_EQ(sorted.loop(2).trips, 21u * 64);
  EXPECT_EQ(sorted.loop(1).least_trips, 1u);
  EXPECT_EQ(sorted.loop(1).most_trips, 6u);
}

TEST(ClosedForms, WorkOfLevels) {
  const Analysed analysed(triad(1000));
  const Parallelism& p = *analysed.found().floating_point;
  EXPECT_EQ(p.profile, (std::vector<double>{1000, 1000}));
  ASSERT_EQ(p.widths.size(), 1u);
  EXPECT_EQ(p.widths[0].levels, 2u);
  EXPECT_EQ(p.widths[0].operations, 2000u);
  // Address, load and store follow one another. The counter, its test and the branch run in
  // parallel to them.
  EXPECT_EQ(Analysed(copy(1000)).found().all_operations->depth, 3u);
  EXPECT_EQ(Analysed(copy(1000)).found().all_operations->operations, 7000u);
  // Each load waits for the address that the previous one loaded.
  EXPECT_EQ(Analysed(pointer_chase(1024)).found().all_operations->depth, 2048u);
}

/// Sums may be computed in any order, so the terms are combined in log2(n) + 1 levels.
TEST(ClosedForms, ReductionsAreReassociated) {
  const auto depth = [](const SmallKernel& kernel) {
    return Analysed(kernel, {}, false).found().all_operations->depth;
  };
  EXPECT_EQ(depth(dot(1024)), 5u + 11);  // address, load, product, sum; store of the result
  EXPECT_EQ(depth(dot(2048)), depth(dot(1024)) + 1);
  EXPECT_EQ(depth(matvec(256)) - depth(matvec(128)), 1u);
  EXPECT_LT(depth(histogram(1024, true)), 10u);  // sums in memory
  EXPECT_GT(depth(histogram(1024, false)), 64u);
  EXPECT_GT(depth(prefix_sum(1000)), 1000u);
  EXPECT_EQ(Analysed(dot(1000)).found().floating_point->depth, 1001u);  // AutoMatch keeps the order
}

/// A load waits for the latency of the memory only if its address comes from another load.
TEST(ClosedForms, LoadsThatWaitForEachOther) {
  const auto chain = [](const SmallKernel& kernel) {
    return *Analysed(kernel, {}, false).found().load_chain;
  };
  EXPECT_EQ(chain(triad(1000)).depth, 1u);
  EXPECT_EQ(chain(dot(1000)).depth, 1u);
  EXPECT_EQ(chain(prefix_sum(1000)).depth, 1u);  // the sum is forwarded to the next load
  EXPECT_EQ(chain(gauss_seidel(200, 10)).depth, 1u);
  EXPECT_EQ(chain(gather(1024)).depth, 2u);
  EXPECT_EQ(chain(pointer_chase(1024)).depth, 1024u);
  EXPECT_GT(chain(pointer_chase(1024)).unforeseen, 600u);
  SmallKernel in_order = pointer_chase(1024);
  in_order.fill = [](Interpreter& in) {
    for (std::int64_t i = 0; i < 1024; ++i)
      in.at(Interpreter::kBase + 8 * i) = static_cast<Cell>((i + 1) % 1024);
  };
  EXPECT_EQ(chain(in_order).depth, 1024u);
  EXPECT_LT(chain(in_order).unforeseen, 4u);
}

TEST(ClosedForms, StackDistancesOfACopy) {
  const Analysed analysed(copy(1000));
  const Locality& l = *analysed.found().locality;
  EXPECT_EQ(l.accesses, 2000);
  EXPECT_EQ(l.cold, 250);  // 125 lines of each array
  ASSERT_EQ(l.distances.size(), 1u);
  EXPECT_EQ(l.distances[0].from, 1u);  // in between, the line of the other array was accessed
  EXPECT_EQ(l.distances[0].accesses, 1750);
  EXPECT_EQ(l.misses(64), 2000);
  EXPECT_EQ(l.misses(128), 250);
}

TEST(ClosedForms, PlacesAreNamed) {
  const Analysed analysed(prefix_sum(100));
  EXPECT_EQ(analysed.loop(0).because, "memory");
  EXPECT_EQ(analysed.loop(0).file, "prefix_sum.c");
  const Program& p = analysed.kernel.code.program;
  for (const Instruction& i : p.instructions)
    if (i.op == OpClass::kLoad) {  // the first load is that of the sum
      EXPECT_EQ(analysed.loop(0).because_line, p.sites[i.site].line);
      break;
    }
  EXPECT_EQ(Analysed(pointer_chase(64)).loop(0).because, "register");
}

TEST(ClosedForms, ProductInsideAParallelLoopNeedsNoGlobalSynchronisation) {
  EXPECT_EQ(Analysed(matmul_ikj(12)).found().synchronisation->inside_parallel, 144u);
  EXPECT_EQ(Analysed(lu(16)).found().synchronisation->inside_parallel, 0u);
}

}  // namespace
}  // namespace apmt::kernels::testing
