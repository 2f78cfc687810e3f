// Tests of AutoMatch's equations: values computed by hand, and the cases in which an equation is
// not defined.
#include "devices/automatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/split.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using ::testing::HasSubstr;
using testing::made_device;
using testing::made_kernel;

Workload made_workload(double vectorised) {
  Workload w = workload_of(made_kernel());
  w.vector_flops = vectorised * w.flops;
  return w;
}

TEST(Automatch, Equation1IsTheShareOfFusedOperations) {
  EXPECT_EQ(automatch::instruction_mix_factor(7, 7), 1);
  EXPECT_EQ(automatch::instruction_mix_factor(5, 0), 0.5);
  EXPECT_EQ(automatch::instruction_mix_factor(1, 3), 4.0 / 6);
  EXPECT_FALSE(automatch::instruction_mix_factor(0, 0));  // 0 / 0
}

TEST(Automatch, Equation2IsDefinedAboveZeroOnly) {
  EXPECT_EQ(automatch::vectorisation_factor(5, 10), 0.5);
  EXPECT_FALSE(automatch::vectorisation_factor(0, 10));  // equation (3) would be infinite
  EXPECT_FALSE(automatch::vectorisation_factor(0, 0));
}

TEST(Automatch, Equations3To5ByHand) {
  const DevicePrediction p = automatch::predict(made_workload(0.5), made_device());
  ASSERT_TRUE(p.time) << p.why_not;
  // Equation (1): 3000 / 4000 = 0.75. Equation (3): D / pi_0 = 110 / 100 = 1.1, where D is the
  // number of levels and pi_0 the rate of one unit. On ten units, the ten levels of one operation
  // take 10 steps, and the hundred levels of 40 operations take 400.
  EXPECT_NEAR(p.time->computation_s, 1.1 + (10 + 400) / (100 * 0.5 * 0.75), 1e-12);
  // Equation (4): each of the 110 levels of the schedule waits once for the fast memory (0.01 s)
  // and once for the slow memory (0.1 s). The fast memory has 1900 accesses of 8 bytes, the slow
  // memory moves 100 lines of 64 bytes.
  EXPECT_NEAR(*p.time->fast_memory_s, 1.1 + 1900 * 8 / 1000.0, 1e-12);
  EXPECT_NEAR(*p.time->slow_memory_s, 11 + 100 * 64 / 100.0, 1e-12);
  EXPECT_NEAR(*p.time->synchronisation_s, 6, 1e-12);
  EXPECT_NEAR(p.time->total_s,
              p.time->computation_s + *p.time->fast_memory_s + *p.time->slow_memory_s + 6, 1e-12);
  EXPECT_EQ(p.time->bottleneck(), "slow memory");
}

TEST(Automatch, TakesTheVectorOperationsOfTheAnalysis) {
  kernels::KernelAnalysis kernel = made_kernel();
  kernel.mix->flops_vector = kernel.mix->flops / 2;
  const DevicePrediction p = automatch::predict(workload_of(kernel), made_device());
  ASSERT_TRUE(p.time) << p.why_not;
  EXPECT_EQ(p.time->total_s, automatch::predict(made_workload(0.5), made_device()).time->total_s);
}

TEST(Automatch, ASmallFastMemoryMakesSlowTransfers) {
  Workload w = made_workload(1);
  w.lines->distances.distances = {{5000, 5000, 1900}};
  const DevicePrediction p = automatch::predict(w, made_device());
  EXPECT_NEAR(*p.time->fast_memory_s, 1.1, 1e-12);
  EXPECT_NEAR(*p.time->slow_memory_s, 11 + 2000 * 64 / 100.0, 1e-12);
}

TEST(Automatch, IsNotDefinedRatherThanZeroOrInfinite) {
  const auto why = [](const Workload& w, const Device& d = made_device()) {
    const DevicePrediction p = automatch::predict(w, d);
    EXPECT_FALSE(p.time);
    return p.why_not;
  };
  EXPECT_THAT(why(workload_of(made_kernel())), HasSubstr("--vectorised"));
  EXPECT_THAT(why(made_workload(0)), HasSubstr("no floating-point operation vectorises"));
  Workload w = made_workload(1);
  w.additions = w.multiplications = 0;
  EXPECT_THAT(why(w), HasSubstr("neither additions nor multiplications"));
  w.flops = 0;
  EXPECT_THAT(why(w), HasSubstr("no floating-point operation"));
  kernels::KernelAnalysis bare = made_kernel();
  bare.locality.reset();
  EXPECT_THAT(why(workload_of(bare)), HasSubstr("stack distances"));
  Device d = made_device("chip");
  d.synchronisation_s.reset();
  d.fast_latency_s.reset();
  d.in_double.peak_all.reset();
  EXPECT_EQ(why(made_workload(1), d),
            "the card of chip (all of it) has no latency of the fast memory, cost of a "
            "synchronisation and "
            "peak rate");
}

TEST(Automatch, TripCountsOfFigure6AreCountedWhole) {
  // The loop from i = 1 while i < 512 runs 511 times, but the paper says n - 2.
  kernels::KernelAnalysis k = made_kernel();
  k.synchronisation = kernels::Synchronisation{};
  k.synchronisation->by_trip_counts = 511;
  Workload w = workload_of(k);
  w.vector_flops = w.flops;
  EXPECT_EQ(automatch::predict(w, made_device()).time->synchronisation_s, 511 * 0.5);
  k.synchronisation->annotated = 3;  // the annotation takes precedence
  EXPECT_EQ(workload_of(k).synchronisations, 3);
}

TEST(Splits, SectionIVC) {
  // The paper says: "when AutoMatch predicts that the execution cost on the CPU and the GPU is 3
  // and 1, we partition the global grid to four parts and assign three parts to the GPU".
  const Split s = split({3, 1});
  EXPECT_NEAR(s.shares[0], 0.25, 1e-15);
  EXPECT_NEAR(s.shares[1], 0.75, 1e-15);
  EXPECT_NEAR(s.seconds, 0.75, 1e-15);
  EXPECT_NEAR(s.gain_over_even, 2, 1e-12);  // even halves take 1.5
  EXPECT_NEAR(s.gain_over_best, 4.0 / 3, 1e-12);
  EXPECT_NEAR(split({2, 2}).gain_over_even, 1, 1e-12);
}

}  // namespace
}  // namespace apmt::devices
