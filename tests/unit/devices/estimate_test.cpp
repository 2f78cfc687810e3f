// Tests of apmt's own estimate (not AutoMatch's model): values computed by hand, figures that it
// leaves out, and a faster device, which must never take longer.
#include "devices/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/devices/any_card.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using testing::AnyCard;
using ::testing::Contains;
using testing::figure;
using ::testing::HasSubstr;
using testing::made_device;
using testing::made_kernel;
using testing::two_idioms;

kernels::KernelAnalysis with_all_operations() {
  kernels::KernelAnalysis k = made_kernel();
  k.all_operations = kernels::Parallelism{};
  k.all_operations->depth = 1000;
  k.all_operations->operations = 10'000;
  k.all_operations->widths = {{10, 10, 1000, 10'000}};
  k.loops.resize(1);
  k.loops[0].footprint_bytes = 100;
  return k;
}

DevicePrediction estimated(const kernels::KernelAnalysis& k, const Device& d,
                           DataPlace data = DataPlace::kResident) {
  return estimate(workload_of(k), d, data);
}

TEST(Estimates, ByHand) {
  const DevicePrediction p = estimated(with_all_operations(), made_device());
  ASSERT_TRUE(p.time) << p.why_not;
  // Ten units run at 50 Hz. There are 1000 levels of ten operations; each takes one cycle, so they
  // take 1000 cycles together. The floating-point operations take fewer cycles. Their rate is 15
  // per cycle (1000 * 0.75 per second): the ten levels of one operation take ten cycles, and the
  // other levels take 4000 / 15.
  EXPECT_NEAR(p.time->computation_s, 1000 / 50.0, 1e-12);
  EXPECT_NEAR(*p.time->fast_memory_s, 1900 * 8 / 1000.0, 1e-9);
  EXPECT_NEAR(*p.time->slow_memory_s, 64, 1e-9);
  // A hundred loads wait for each other; 95 % of the accesses go to the fast memory.
  EXPECT_NEAR(*p.time->latency_s, 100 * (0.95 * 0.01 + 0.05 * 0.1), 1e-9);
  EXPECT_NEAR(*p.time->synchronisation_s, (12 - 4) * 0.5, 1e-12);
  EXPECT_NEAR(*p.time->launch_s, 0.5, 1e-12);
  EXPECT_EQ(p.time->transfer_s, 0);
  // Computation and latency overlap with the slow memory, which takes longer.
  EXPECT_NEAR(p.time->total_s, 64 + 4 + 0.5, 1e-9);
  EXPECT_EQ(p.time->bottleneck(), "slow memory");
  EXPECT_TRUE(p.notes.empty()) << p.notes.front();
}

/// Two ranks that take turns have half of the cache each for what a call reuses from the rank's
/// previous call. What is reused within a call has the whole cache.
TEST(Estimates, RanksThatTakeTurnsShareTheCaches) {
  kernels::KernelAnalysis k = with_all_operations();  // two calls
  k.loops[0].mix = *k.mix;
  k.loops[0].footprint_bytes = 64 * 150;
  k.locality->cold = 100;
  k.locality->distances = {{0, 0, 1'000}, {600, 600, 900}};
  const auto missed = [&](int ranks) { return shared_misses(workload_of(k), 64'000, ranks); };
  EXPECT_EQ(missed(1), 100);
  EXPECT_EQ(missed(2), 300) << "all 900 would miss in half of the cache: 150 first accesses a call";
  k.loops[0].footprint_bytes = 64 * 5'000;
  EXPECT_EQ(missed(2), 1'000);
  k.loops.clear();
  EXPECT_EQ(missed(2), 1'000) << "without footprints, any access may be the first of its call";
  k = with_all_operations();
  EXPECT_EQ(estimate(workload_of(k), made_device(), DataPlace::kResident, 2).time->total_s,
            estimated(k, made_device()).time->total_s)
      << "both ranks' data fit into the cache";
}

TEST(Estimates, ALevelTakesAtLeastOneStep) {
  const Schedule schedule{.depth = 2, .operations = 2000, .widths = {{2, 2000}}};
  EXPECT_EQ(schedule.levels_on(1), 2000);
  EXPECT_EQ(schedule.levels_on(100), 20);
  EXPECT_EQ(schedule.levels_on(5000), 2);
}

TEST(Estimates, FloatingPointWaitsForItsUnits) {
  const DevicePrediction p = estimated(made_kernel(), made_device());
  EXPECT_NEAR(p.time->computation_s, (10 + 4000 / 15.0) / 50, 1e-9);
  EXPECT_THAT(p.notes, Contains(HasSubstr("--with all-operations")));
}

/// All references of the kernel belong to one idiom, which touches 6,400 bytes.
kernels::KernelAnalysis with_idiom(const std::string& idiom) {
  kernels::KernelAnalysis k = with_all_operations();
  k.loops.resize(1);
  k.loops[0].footprint_bytes = 6'400;
  k.loops[0].idioms.push_back({idiom, "work.c", 8, "b[i] = a[c[i]];", 1'000, 1'000, 16'000, 0.5});
  return k;
}

Device with_curve(const std::string& idiom, double bytes_per_s) {
  Device d = made_device();
  d.idioms[idiom] = Curve{
      .points = {{1'000, bytes_per_s, 0}, {6'400, bytes_per_s, 0}}, .pieces = {}, .origin = {}};
  return d;
}

TEST(Estimates, NonUniformAccessMovesTheSameLinesMoreSlowly) {
  const double uniform = estimated(with_idiom("stream"), with_curve("stream", 25)).time->total_s;
  EXPECT_NEAR(uniform, 64 + 4 + 0.5, 1e-9);
  for (const std::string idiom : {"gather", "scatter", "transpose"}) {
    const DevicePrediction p = estimated(with_idiom(idiom), with_curve(idiom, 25));
    EXPECT_NEAR(p.time->total_s - uniform, 6400 / 25.0 - 64, 1e-9) << idiom;
    EXPECT_TRUE(p.notes.empty()) << p.notes.front();
    EXPECT_NEAR(estimated(with_idiom(idiom), with_curve(idiom, 200)).time->total_s, uniform, 1e-9)
        << "faster than the memory";
  }
}

TEST(Estimates, NonUniformAccessTakesNoLongerThanTheCardMeasured) {
  // 10,000 lines move for 16,000 bytes that are referenced. The idiom's bandwidth counts only the
  // latter.
  kernels::KernelAnalysis k = with_idiom("gather");
  k.locality->accesses = 10'000;
  k.locality->cold = 10'000;
  k.locality->distances.clear();
  const double uniform = 640'000 / 100.0;
  EXPECT_NEAR(*estimated(k, with_curve("gather", 2)).time->slow_memory_s, 16'000 / 2.0, 1e-9);
  EXPECT_NEAR(*estimated(k, with_curve("gather", 25)).time->slow_memory_s, uniform, 1e-9);
}

TEST(Estimates, NonUniformAccessSlowsItsShareOfTheReferences) {
  kernels::KernelAnalysis k = with_idiom("gather");
  k.loops[0].idioms[0].loads = k.loops[0].idioms[0].stores = 250;
  k.loops[0].idioms[0].bytes = 4'000;
  const double uniform = *estimated(with_idiom("stream"), made_device()).time->slow_memory_s;
  EXPECT_NEAR(*estimated(k, with_curve("gather", 25)).time->slow_memory_s - uniform,
              1600 / 25.0 - 16, 1e-9);
}

TEST(Estimates, AFasterMemoryNeverSlowsNonUniformAccess) {
  double before = 1e300;
  for (double bytes_per_s = 1; bytes_per_s < 1e4; bytes_per_s *= 1.7) {
    Device d = with_curve("gather", 25);
    d.slow_bytes_per_s->value = bytes_per_s;
    const double now = estimated(with_idiom("gather"), d).time->total_s;
    EXPECT_LE(now, before);
    before = now;
  }
}

TEST(Estimates, NonUniformAccessWithoutItsBandwidthIsNoted) {
  const DevicePrediction p = estimated(with_idiom("gather"), with_curve("scatter", 25));
  EXPECT_THAT(p.notes, ::testing::ElementsAre(
                           "gather: taken as uniform access, its bandwidth is not on the card"));
  EXPECT_NEAR(p.time->total_s, 64 + 4 + 0.5, 1e-9);
  Device small = with_curve("gather", 25);
  small.idioms["gather"].points.back().bytes = 2'000;
  EXPECT_THAT(estimated(with_idiom("gather"), small).notes,
              Contains("footprints are larger than any that was measured"));
}

/// A kernel that computes only with integers has no floating-point operations, and no peak rate
/// bounds it.
TEST(Estimates, IntegersTakeTheirLevels) {
  kernels::KernelAnalysis k = with_all_operations();
  k.mix->flops = k.mix->flops_add = k.mix->flops_multiply = 0;
  k.floating_point.reset();
  Device d = made_device();
  d.in_double.peak_all.reset();
  const DevicePrediction p = estimated(k, d);
  ASSERT_TRUE(p.time) << p.why_not;
  EXPECT_NEAR(p.time->computation_s, 1000 / 50.0, 1e-12);  // ten units run ten operations a level
}

TEST(Estimates, TransfersWithoutATimeAreRefused) {
  kernels::KernelAnalysis k = with_all_operations();
  k.loops[0].footprint_bytes.reset();
  k.loops[0].mix.loads = 1;
  EXPECT_THAT(estimated(k, made_device(), DataPlace::kOnce).why_not, HasSubstr("lacks footprints"));
  k.loops.clear();  // as in most kernels of OpenCL
  EXPECT_THAT(estimated(k, made_device(), DataPlace::kOnce).notes,
              Contains(HasSubstr("no other kernel touched")));
  k.loops.resize(1);
  k.loops[0].footprint_bytes = 6400;
  Device d = made_device();
  EXPECT_TRUE(estimated(k, d, DataPlace::kOnce).time);
  d.to_device.bytes_per_s.reset();
  EXPECT_THAT(estimated(k, d, DataPlace::kOnce).why_not, HasSubstr("gives no time for transfers"));
  EXPECT_TRUE(estimated(k, d).time);
}

TEST(Estimates, TransfersAreOfWhatIsTouched) {
  const kernels::KernelAnalysis k = with_all_operations();
  const double once = 6400 / 640.0 + 6400 / 320.0;
  EXPECT_NEAR(*estimated(k, made_device(), DataPlace::kOnce).time->transfer_s, once, 1e-9);
  EXPECT_NEAR(*estimated(k, made_device(), DataPlace::kPerCall).time->transfer_s, 2 * once, 1e-9);
  Device cpu = made_device();
  cpu.kind = "cpu";
  const DevicePrediction p = estimated(k, cpu, DataPlace::kPerCall);
  EXPECT_EQ(p.time->transfer_s, 0);
}

TEST(Estimates, ACallStartsAllCoresOfACpu) {
  Device cpu = made_device();
  cpu.kind = "cpu";
  EXPECT_NEAR(*estimated(with_all_operations(), cpu).time->launch_s, 2 * 0.125, 1e-12);
  kernels::KernelAnalysis launched = with_all_operations();
  launched.is_opencl = true;
  EXPECT_NEAR(*estimated(launched, cpu).time->launch_s, 2 * 0.25, 1e-12);
  cpu.loop_start_s.reset();  // a barrier replaces it
  EXPECT_NEAR(*estimated(with_all_operations(), cpu).time->launch_s, 2 * 0.5, 1e-12);
  cpu.cores = figure(1);
  EXPECT_EQ(estimated(with_all_operations(), cpu).time->launch_s, 0);
  cpu.cores = figure(5);
  cpu.synchronisation_s.reset();
  EXPECT_FALSE(estimated(with_all_operations(), cpu).time->launch_s);
  EXPECT_THAT(estimated(with_all_operations(), cpu).notes,
              Contains(HasSubstr("the cost of launches: left out")));
}

TEST(Estimates, TransfersLargerThanAnyMeasuredAreNoted) {
  Device d = made_device();
  const auto measured_up_to = [&](double bytes) {
    d.from_device.curve =
        Curve{.points = {{1, 320, 0}, {bytes, 320, 0}}, .pieces = {}, .origin = {}};
    return estimated(with_all_operations(), d, DataPlace::kOnce);
  };
  EXPECT_TRUE(measured_up_to(6400).notes.empty());
  const DevicePrediction beyond = measured_up_to(6000);
  EXPECT_THAT(beyond.notes, Contains("transfers are larger than any that was measured"));
  EXPECT_NEAR(*beyond.time->transfer_s, 6400 / 640.0 + 6400 / 320.0, 1e-9);
}

TEST(Estimates, KernelsOfOpenClAreLaunchedOnACpuToo) {
  Device cpu = made_device();
  cpu.kind = "cpu";
  kernels::KernelAnalysis k = with_all_operations();
  k.is_opencl = true;
  EXPECT_NEAR(*estimated(k, cpu).time->launch_s, 0.5, 1e-12);
  cpu.launch_s.reset();
  EXPECT_THAT(estimated(k, cpu).notes, Contains(HasSubstr("the cost of launches: left out")));
}

TEST(Estimates, TransfersIncludeWhatAnotherKernelTouchedBefore) {
  kernels::KernelAnalysis k = with_all_operations();
  k.loops.resize(2);
  k.loops[0].footprint_bytes = 12'800;
  k.loops[1].footprint_bytes = 100;
  EXPECT_NEAR(*estimated(k, made_device(), DataPlace::kOnce).time->transfer_s,
              12'800 / 640.0 + 12'800 / 320.0, 1e-9);
}

TEST(Estimates, EachCacheServesItsShare) {
  kernels::KernelAnalysis k = with_all_operations();
  k.locality->distances = {{0, 0, 1000}, {500, 500, 900}};
  Device d = made_device();
  d.levels = {{"L1", figure(6400), figure(0), figure(1000)},
              {"L2", figure(64000), figure(0), figure(500)},
              {"memory", {}, figure(0), figure(100)}};
  const DevicePrediction p = estimated(k, d);
  // L1 serves 1000 accesses of 8 bytes (8 s), L2 900 lines, memory 100 lines.
  EXPECT_NEAR(*p.time->fast_memory_s, 900 * 64 / 500.0, 1e-9);
  EXPECT_NEAR(*p.time->slow_memory_s, 64, 1e-9);
  EXPECT_NEAR(p.time->total_s, 115.2 + 4 + 0.5, 1e-9);
}

TEST(Estimates, SayWhatTheyLeaveOut) {
  Device d = made_device();
  d.launch_s.reset();
  d.synchronisation_s.reset();
  d.fast_latency_s.reset();
  d.fast_bytes_per_s.reset();
  d.to_device.bytes_per_s.reset();
  const DevicePrediction p = estimated(with_all_operations(), d);
  ASSERT_TRUE(p.time);
  EXPECT_EQ(p.notes.size(), 4u);
  EXPECT_FALSE(p.time->launch_s);  // unknown, not zero
  EXPECT_FALSE(p.time->synchronisation_s);
  EXPECT_FALSE(p.time->fast_memory_s);
  EXPECT_THAT(p.notes, Contains(HasSubstr("latencies of memory")));
  d.slow_bytes_per_s.reset();
  d.in_double.peak_all.reset();
  const DevicePrediction refused = estimated(with_all_operations(), d);
  EXPECT_FALSE(refused.time);
  EXPECT_EQ(refused.why_not,
            "the card of box (all of it) has no peak rate and bandwidth of the slow memory");
}

/// Only loads that take their addresses from other loads wait for the memory. A CPU prefetches
/// those at foreseen addresses into its first cache; other devices do not.
TEST(Estimates, LoadsThatWaitForEachOtherTakeTheirLatency) {
  kernels::KernelAnalysis k = with_all_operations();
  k.load_chain->depth = 1'000'000;
  k.load_chain->unforeseen = 10'000;
  const double mean = 0.95 * 0.01 + 0.05 * 0.1;
  const DevicePrediction gpu = estimated(k, made_device());
  EXPECT_NEAR(*gpu.time->latency_s, 1e6 * mean, 1e-6);
  EXPECT_EQ(gpu.time->bottleneck(), "latency");
  EXPECT_NEAR(gpu.time->total_s, 1e6 * mean + 4 + 0.5, 1e-6);
  Device cpu = made_device();
  cpu.kind = "cpu";
  EXPECT_NEAR(*estimated(k, cpu).time->latency_s, 990'000 * 0.01 + 10'000 * mean, 1e-6);
  k.load_chain->depth = k.load_chain->unforeseen = 0;
  cpu.slow_latency_s.reset();
  EXPECT_EQ(estimated(k, cpu).time->latency_s, 0);
  k.load_chain->depth = k.load_chain->unforeseen = 1;
  EXPECT_FALSE(estimated(k, cpu).time->latency_s) << "unknown, not zero";
  k.load_chain.reset();
  EXPECT_FALSE(estimated(k, made_device()).time->latency_s);
  EXPECT_THAT(estimated(k, made_device()).notes, Contains(HasSubstr("older version")));
}

/// The chain of floating-point operations keeps the order of the program. A port may reorder sums,
/// so it only needs the rate of these operations.
TEST(Estimates, SumsMayBeReordered) {
  kernels::KernelAnalysis k = with_all_operations();
  k.floating_point->depth = 4'010;
  k.floating_point->widths = {{1, 1, 4'010, 4'010}};
  EXPECT_NEAR(estimated(k, made_device()).time->computation_s, 1000 / 50.0, 1e-9);
  Device slow = made_device();
  slow.in_double.peak_all->value = 10;
  EXPECT_NEAR(estimated(k, slow).time->computation_s, 4010 / (10 * 0.75), 1e-9);
}

TEST(Estimates, ASampleWithoutLinesSaysNothingAboutTheSlowMemory) {
  kernels::KernelAnalysis k = with_all_operations();
  k.sampled_locality = k.locality;
  k.locality.reset();
  k.sampled_locality->one_line_of = 128;
  k.sampled_locality->cold = 0;
  k.sampled_locality->distances.clear();
  const DevicePrediction p = estimated(k, made_device());
  EXPECT_FALSE(p.time->slow_memory_s) << "unknown, not zero";
  EXPECT_FALSE(p.slow_bytes);
  EXPECT_THAT(p.notes, Contains(HasSubstr("--with stack-distances")));
}

TEST(Estimates, ABareAnalysisIsRefused) {
  kernels::KernelAnalysis k = made_kernel();
  k.mix.reset();
  EXPECT_THAT(estimated(k, made_device()).why_not, HasSubstr("counts"));
  k = made_kernel();
  k.locality.reset();
  EXPECT_THAT(estimated(k, made_device()).why_not, HasSubstr("stack distances"));
  k.sampled_locality = kernels::Locality{};
  k.sampled_locality->one_line_of = 128;
  k.sampled_locality->accesses = 10;
  EXPECT_THAT(estimated(k, made_device()).notes, Contains(HasSubstr("sampled")));
}

TEST(Estimates, AFasterDeviceIsNeverSlower) {
  const kernels::KernelAnalysis k = with_all_operations();
  double before = 1e300;
  for (double factor = 1; factor < 100; factor *= 1.7) {
    const double now = estimated(k, made_device("box", factor), DataPlace::kOnce).time->total_s;
    EXPECT_LT(now, before);
    before = now;
  }
}

/// Tests a kernel with all parts of a time (synchronisations, idioms, transfers), on accelerators
/// and on processors. If no single better figure makes the kernel slower, several better figures
/// together do not either.
TEST(AnyCards, NoBetterFigureMakesAKernelSlower) {
  kernels::KernelAnalysis k = two_idioms().kernels[0];
  k.all_operations = k.floating_point;
  for (const char* kind : {"gpu", "cpu"})
    for (const bool is_opencl : {false, true})
      for (unsigned seed = 0; seed < 200; ++seed) {
        k.is_opencl = is_opencl;
        Device base = made_device();
        base.kind = kind;
        base.to_device.latency_s = base.from_device.latency_s = figure(0.01);
        AnyCard cards(base, seed);
        const Device slow = cards.slow();
        const auto data = static_cast<DataPlace>(seed % 3);
        const DevicePrediction a = estimated(k, slow, data);
        ASSERT_TRUE(a.time) << a.why_not;
        EXPECT_GT(*a.time->synchronisation_s, 0);
        for (int which = 0; const auto fast = cards.faster(slow, which); ++which)
          EXPECT_LE(estimated(k, *fast, data).time->total_s, a.time->total_s * (1 + 1e-12))
              << kind << ", card " << seed << ", figure " << which;
      }
}

}  // namespace
}  // namespace apmt::devices
