// Tests of measuring a CPU: the loops do exactly the work that they claim, and the resulting card
// has the properties that hold on any machine. No time is compared with a constant.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "devices/calibrate/arithmetic.h"
#include "devices/calibrate/cpu.h"
#include "devices/calibrate/cpu_levels.h"
#include "devices/calibrate/idiom_loops.h"
#include "devices/calibrate/system_memory.h"
#include "machine/topology.h"

namespace apmt::devices {
namespace {

TEST(Teams, EachThreadWorksOnceARun) {
  Team team(std::vector<int>(3, usable_cpus().at(0)));
  std::atomic<int> calls = 0;
  for (int run = 0; run < 5; ++run)
    EXPECT_GE(team.run([&](std::size_t thread) { calls += static_cast<int>(thread) + 1; }), 0);
  EXPECT_EQ(calls, 5 * (1 + 2 + 3));
  const std::vector<int> cpus = usable_cpus();
  std::vector<int> ran_on(cpus.size());
  Team(cpus).run([&](std::size_t thread) { ran_on[thread] = ::sched_getcpu(); });
  EXPECT_EQ(ran_on, cpus);
}

TEST(Teams, ABarrierLetsNobodyPassAlone) {
  constexpr int kThreads = 3, kRounds = 200;
  Team team(std::vector<int>(kThreads, usable_cpus().at(0)));
  SpinBarrier barrier(kThreads);
  std::atomic<int> arrived = 0, early = 0;
  team.run([&](std::size_t) {
    for (int round = 1; round <= kRounds; ++round) {
      ++arrived;
      barrier.wait();
      if (arrived < round * kThreads) ++early;
      barrier.wait();
    }
  });
  EXPECT_EQ(arrived, kThreads * kRounds);
  EXPECT_EQ(early, 0);
}

TEST(ArithmeticLoops, CountTheirOperations) {
  for (const std::string& set : vector_sets()) {
    // Ten chains of 50 operations each; single precision has twice the lanes.
    EXPECT_EQ(arithmetic(set, Form::kScalar, true, 50), 500);
    const double lanes = arithmetic(set, Form::kVector, true, 50) / 500;
    EXPECT_GE(lanes, 2);
    EXPECT_EQ(arithmetic(set, Form::kVector, false, 50), 2 * lanes * 500);
    const double fused = arithmetic(set, Form::kFma, true, 50);
    EXPECT_TRUE(fused == 0 || fused == 1000) << set;
    EXPECT_EQ(arithmetic(set, Form::kPeak, true, 50), lanes * (fused > 0 ? 1000 : 500));
  }
  EXPECT_EQ(arithmetic("none", Form::kPeak, true, 50), 0);
}

class IdiomLoopsHere : public ::testing::Test {
 protected:
  Team team_{std::vector<int>(2, usable_cpus().at(0))};
  SharedMemory memory_{1 << 20, team_};
  IdiomLoops loops_{memory_, team_};
  IdiomPass prepare(const char* idiom, std::uint64_t bytes) {
    const IdiomPass pass = pass_of(idiom, bytes, loops_.workers());
    loops_.prepare(pass);
    return pass;
  }
  double* data() const { return reinterpret_cast<double*>(memory_.begin()); }
};

TEST_F(IdiomLoopsHere, TouchNoMoreThanTheySay) {
  for (const char* idiom : kIdioms)
    for (std::uint64_t bytes = 1024; bytes <= memory_.bytes() / 2; bytes *= 4) {
      const IdiomPass pass = prepare(idiom, bytes);
      EXPECT_LE(pass.footprint_bytes, static_cast<double>(bytes)) << idiom;
      EXPECT_GE(pass.footprint_bytes, static_cast<double>(bytes) / 4) << idiom << bytes;
      std::fill(memory_.begin() + bytes, memory_.begin() + memory_.bytes(), 'x');
      loops_.seconds(2);
      EXPECT_EQ(std::count(memory_.begin() + bytes, memory_.begin() + memory_.bytes(), 'x'),
                static_cast<std::ptrdiff_t>(memory_.bytes() - bytes))
          << idiom << " wrote beyond its data";
    }
}

TEST_F(IdiomLoopsHere, DoWhatTheyAreNamedFor) {
  {
    const IdiomPass pass = prepare("stream", 1024);
    for (int i = 0; i < 124; ++i) data()[i] = i;
    loops_.seconds(1);
    EXPECT_EQ(data()[0], 0 + 62);  // a[i] += b[i]; b is the second half
    EXPECT_EQ(data()[61], 61 + 123);
    EXPECT_EQ(pass.referenced_bytes, 3 * 62 * 8);
  }
  {
    prepare("transpose", 1024);  // two matrices of side 8
    for (int i = 0; i < 64; ++i) data()[64 + i] = i;
    loops_.seconds(1);
    EXPECT_EQ(data()[1], 8);
    EXPECT_EQ(data()[8], 1);
  }
  {
    prepare("matrix-matrix product", 3 * 16 * 8);  // side 4
    for (int i = 0; i < 16; ++i) data()[i] = data()[16 + i] = i, data()[32 + i] = 0;
    loops_.seconds(1);
    EXPECT_EQ(data()[32], 0 * 0 + 1 * 4 + 2 * 8 + 3 * 12);
    EXPECT_EQ(data()[47], 12 * 3 + 13 * 7 + 14 * 11 + 15 * 15);
  }
  {
    prepare("matrix-vector product", 16 * 8 + 8 * 8);  // side 3
    for (int i = 0; i < 12; ++i) data()[i] = i;
    loops_.seconds(1);
    EXPECT_EQ(data()[12], 0 * 9 + 1 * 10 + 2 * 11);
    EXPECT_EQ(data()[14], 6 * 9 + 7 * 10 + 8 * 11);
  }
}

TEST_F(IdiomLoopsHere, GatherAndScatterReachEveryElementOnce) {
  for (const char* idiom : {"gather", "scatter"})
    for (const int n : {256, 300}) {
      prepare(idiom, static_cast<std::uint64_t>(3 * n * 8));
      double* a = data();
      double* b = data() + n;
      std::set<double> numbers;
      for (int i = 0; i < n; ++i) a[i] = -1, b[i] = i, numbers.insert(i);
      loops_.seconds(1);
      EXPECT_EQ(std::set<double>(a, a + n), numbers) << idiom;
      int in_order = 0;
      for (int i = 1; i < n; ++i) in_order += a[i] == a[i - 1] + 1 ? 1 : 0;
      EXPECT_LT(in_order, n / 4) << idiom << " accesses memory in a predictable order";
    }
}

/// Measures the levels of memory on this machine as if its processor had these caches, and returns
/// the card.
Device with_caches(const std::vector<Cache>& caches, int* steps) {
  const int cpu = usable_cpus().at(0);
  Team team(std::vector<int>(2, cpu));
  Device card;
  measure_levels({.caches = caches, .cpu = cpu, .effort = 0.001, .step = [&] { ++*steps; }}, team,
                 &card);
  return card;
}

TEST(CpuLevels, AreMeasuredWithDataThatFitIntoEachAlone) {
  int steps = 0;
  const Device d =
      with_caches({{"L1", 32 << 10, 64}, {"L2", 256 << 10, 64}, {"LLC", 2 << 20, 64}}, &steps);
  EXPECT_EQ(steps, 4);
  ASSERT_EQ(d.levels.size(), 4u);
  // The sizes of the chases: for L1, half of it; for L2 and LLC, three times the previous cache;
  // for memory, four times the last cache, but at least 64 MiB, of which an effort of 0.001 leaves
  // a thousandth.
  const char* const chases[] = {"16384", "98304", "786432", "67108"};
  const char* const names[] = {"L1", "L2", "LLC", "memory"};
  for (std::size_t i = 0; i < 4; ++i) {
    const CardLevel& level = d.levels[i];
    EXPECT_EQ(level.name, names[i]);
    EXPECT_EQ(level.size_bytes.has_value(), i < 3);
    EXPECT_EQ(level.latency_s->origin.line, "a chase through " + std::string(chases[i]) + " bytes");
    EXPECT_GT(level.latency_s->value, 0);
    EXPECT_LT(level.latency_s->value, 1) << "in seconds, not in nanoseconds";
    EXPECT_GT(level.bytes_per_s->value, 0);
  }
  EXPECT_EQ(d.levels[1].size_bytes->value, 256 << 10);
  const auto mean = [&](MaybeFigure CardLevel::*figure) {
    return ((d.levels[0].*figure)->value + (d.levels[1].*figure)->value +
            (d.levels[2].*figure)->value) /
           3;
  };
  EXPECT_NEAR(d.fast_latency_s->value / mean(&CardLevel::latency_s), 1, 1e-12);
  EXPECT_NEAR(d.fast_bytes_per_s->value / mean(&CardLevel::bytes_per_s), 1, 1e-12);
  EXPECT_GE(d.fast_latency_s->spread, d.levels[2].latency_s->spread);
  EXPECT_EQ(d.slow_latency_s->value, d.levels[3].latency_s->value);
  EXPECT_EQ(d.slow_bytes_per_s->value, d.levels[3].bytes_per_s->value);
}

TEST(CpuLevels, AreOnlyTheMemoryIfNoCacheIsKnown) {
  int steps = 0;
  const Device d = with_caches({}, &steps);
  EXPECT_EQ(steps, 1);
  ASSERT_EQ(d.levels.size(), 1u);
  EXPECT_EQ(d.levels[0].name, "memory");
  EXPECT_FALSE(d.fast_latency_s || d.fast_bytes_per_s);
  EXPECT_TRUE(d.slow_latency_s && d.slow_bytes_per_s);
}

class SystemMemoryIn : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, text);
  }
  std::uint64_t half() const { return half_of_memory(root_.path()); }
  const TemporaryFolder root_;
};

TEST_F(SystemMemoryIn, HalfOfWhatIsFreeIsWithinTheLimitOfAContainer) {
  EXPECT_THROW(half(), InputError);
  write("proc/meminfo", "MemTotal:        4000 kB\nMemFree: 1 kB\nMemAvailable:    3000 kB\n");
  EXPECT_EQ(system_memory(root_.path()).total_bytes, 4000u * 1024);
  EXPECT_EQ(half(), 1500u * 1024);
  write("sys/fs/cgroup/memory.current", "200000\n");
  EXPECT_EQ(half(), 1500u * 1024) << "use without a limit";
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(half(), 1500u * 1024) << "no limit";
  write("sys/fs/cgroup/memory.max", "1200000\n");
  EXPECT_EQ(half(), 500'000u);
  write("sys/fs/cgroup/memory.max", "900000000\n");
  EXPECT_EQ(half(), 1500u * 1024) << "a limit above what is free";
  write("proc/meminfo", "MemTotal: 4000 kB\n");
  EXPECT_EQ(half(), (900'000'000u - 200'000) / 2);
}

TEST(SystemMemoryHere, LessIsFreeThanThereIs) {
  EXPECT_GT(half_of_memory(), 0u);
  EXPECT_LE(half_of_memory(), system_memory().total_bytes / 2);
}

TEST(CpuCard, HoldsTogetherAndIsReadAgain) {
  std::size_t steps = 0, announced = 0;
  const Device d = measure_cpu({.name = "here",
                                .by = "a test",
                                .largest_bytes = 65536,
                                .effort = 0.01,
                                .on_progress = [&](std::size_t, std::size_t total) {
                                  ++steps;
                                  announced = total;
                                }});
  EXPECT_EQ(steps, announced);
  EXPECT_EQ(d.cores->value, static_cast<double>(usable_cpus().size()));
  EXPECT_TRUE(d.peak_flops_per_s(0.5));
  EXPECT_EQ(d.levels.size(), caches_here().size() + 1);
  EXPECT_TRUE(d.slow_latency_s && d.slow_bytes_per_s);
  EXPECT_EQ(d.idioms.size(), kIdioms.size());
  for (const auto& [idiom, curve] : d.idioms) EXPECT_GE(curve.points.size(), 6u) << idiom;
  if (d.cores->value > 1) {
    EXPECT_GT(d.synchronisation_s->value, 0);
    EXPECT_EQ(d.loop_start_s.has_value(), ::dlopen("libgomp.so.1", RTLD_LAZY) != nullptr);
  }
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "card.yaml", to_yaml(d));
  EXPECT_EQ(to_yaml(read_device(folder.path() / "card.yaml")), to_yaml(d));
}

}  // namespace
}  // namespace apmt::devices
