// Tests the accuracy of sampled shares of functions and CPU times of threads. The true values come
// from the program, which reads the CPU clocks of its threads; so load on the machine affects the
// sampled and the true values alike. bench/accuracy prints the same figures for longer runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "command.h"
#include "profiler/reader/raw_recording.h"
#include "stolen.h"

namespace apmt::testing {
namespace {

constexpr int kGroups = 16;

/// The factor by which runs are longer than usual; bench/accuracy sets it.
double scale() {
  const char* text = std::getenv("APMT_TEST_SCALE");
  return text == nullptr ? 1 : std::atof(text);
}

struct Shares {
  double samples = 0;   // mean number per group
  double nrmse = 0;     // equation 1 of the APMT paper; root mean square over the groups
  double binomial = 0;  // the nrmse to expect of as many independent samples
  double stolen = 0;    // CPU time that a hypervisor took in the run / CPU time of a group
};

/// Equation 1 of the APMT paper: the square root of the sum of t (t - r)^2, divided by the range of
/// all t and r. Here t are the sampled shares and r the true ones. Each group of functions is a
/// separate experiment.
Shares shares_of_a_run(const std::string& source, double milliseconds) {
  Folder folder;
  const double stolen_before_s = stolen_s();
  const Output output = folder.run("apmt record --interval 1 --source " + source +
                                   " -d experiment " APMT_PROGRAMS "/planted shares " +
                                   std::to_string(kGroups) + " " + std::to_string(milliseconds));
  EXPECT_EQ(output.exit_code, 0) << output.err;
  std::map<std::string, double> sampled;
  double unit_s = 0;
  const Json profile = folder.json("apmt info --json experiment/apmt-planted.p1.r1");
  for (const Json& kernel : profile.at("kernels")) {
    const Json& cpu = kernel.at("counters").at("cpu_s");
    sampled[kernel.at("name")] = cpu.at("samples").at(0).get<double>();
    unit_s = cpu.at("unit_per_sample");
  }
  EXPECT_GT(unit_s, 0.0);
  std::map<int, std::vector<std::pair<double, double>>> groups;  // sampled, true
  std::istringstream truth(output.out);
  int group = 0, number = 0;
  double cpu_ns = 0;
  while (truth >> group >> number >> cpu_ns) {
    std::string name;
    for (const auto& [kernel, samples] : sampled)
      if (kernel.find("spend<" + std::to_string(number) + ">") != std::string::npos) name = kernel;
    groups[group].emplace_back(name.empty() ? 0 : sampled.at(name), cpu_ns);
  }
  EXPECT_EQ(groups.size(), static_cast<std::size_t>(kGroups));
  Shares result;
  for (const auto& [g, functions] : groups) {
    double samples = 0, time = 0;
    for (const auto& [n, ns] : functions) samples += n, time += ns;
    double sum = 0, expected = 0, low = 1, high = 0;
    for (const auto& [n, ns] : functions) {
      const double t = n / std::max(samples, 1.0);
      const double r = ns / time;
      sum += t * (t - r) * (t - r);
      expected += r * r * (1 - r) / std::max(samples, 1.0);
      low = std::min({low, t, r});
      high = std::max({high, t, r});
    }
    result.samples += samples / kGroups;
    result.nrmse += sum / ((high - low) * (high - low)) / kGroups;
    result.binomial += expected / ((high - low) * (high - low)) / kGroups;
  }
  result.nrmse = std::sqrt(result.nrmse);
  result.binomial = std::sqrt(result.binomial);
  result.stolen = (stolen_s() - stolen_before_s) / (1e-3 * milliseconds);
  std::printf("%10.0f samples   NRMSE %.4f   binomial %.4f   ratio %.2f\n", result.samples,
              result.nrmse, result.binomial, result.nrmse / result.binomial);
  return result;
}

constexpr double kLonger = 6;

struct TwoRuns {
  Shares few, many;
};

TwoRuns two_runs(const std::string& source) {
  return {shares_of_a_run(source, 70 * scale()), shares_of_a_run(source, 70 * kLonger * scale())};
}

/// Whether the error of the shares may come from stolen time (time in which a hypervisor took the
/// processor away). This is possible if the error is far above the binomial error, and the share of
/// stolen time is larger than the error.
bool may_be_by_theft(const Shares& run) {
  return run.nrmse >= 3 * run.binomial && run.stolen > run.nrmse;
}

#define SKIP_IF_BY_THEFT(runs)                                                                     \
  if (may_be_by_theft((runs).few) || may_be_by_theft((runs).many))                                 \
  GTEST_SKIP() << "shares are not known: a hypervisor took " << 100 * (runs).few.stolen << " and " \
               << 100 * (runs).many.stolen << " % of a group's CPU time meanwhile"

void expect_good_shares(const TwoRuns& runs) {
  EXPECT_LT(runs.few.nrmse, 3 * runs.few.binomial);
  EXPECT_LT(runs.many.nrmse, 3 * runs.many.binomial);
  EXPECT_NEAR(std::sqrt(runs.many.samples / runs.few.samples), std::sqrt(kLonger), 0.3);
}

TEST(Accuracy, SharesOfFunctionsAreAsGoodAsTheNumberOfSamples) {
  const TwoRuns runs = two_runs("auto");
  SKIP_IF_BY_THEFT(runs);
  expect_good_shares(runs);
}

/// The error must fall with one over the square root of the number of samples, within a factor of
/// two. Each error comes from 16 groups of 8 functions and is therefore known to about a tenth.
/// Only the timer is tested: a task clock takes samples at equal distances, which may happen to be
/// more accurate than independent samples.
TEST(Accuracy, SharesByTheTimerFallAsOneOverTheRoot) {
  const TwoRuns runs = two_runs("posix-timer");
  SKIP_IF_BY_THEFT(runs);
  expect_good_shares(runs);
  const auto& [few, many] = runs;
  const double root = std::sqrt(many.samples / few.samples);
  EXPECT_GT(few.nrmse / many.nrmse, 0.5 * root);
  EXPECT_LT(few.nrmse / many.nrmse, 2 * root);
}

/// Records a program that prints "tid cpu_ns" for each thread, and compares the samples of each
/// thread with its CPU time.
void expect_samples_of_threads(const std::string& program, const std::string& arguments) {
  Folder folder;
  const double stolen_before_s = stolen_s();
  const Output output = folder.run("apmt record --interval 1 -d experiment " APMT_PROGRAMS "/" +
                                   program + " " + arguments);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const RawRecording raw = read_recording(folder.path() / "experiment" /
                                          ("apmt-" + program + ".p1.r1") / "rank-00000.apmt");
  if (raw.header.sample_source == format::SampleSource::kHardware)
    GTEST_SKIP() << "a period of a counter is not a time";
  std::istringstream truth(output.out);
  int tid = 0, threads = 0;
  double cpu_ns = 0, farthest = 0, most_beyond_s = 0;
  constexpr double kNear = 0.02;
  while (truth >> tid >> cpu_ns) {
    ++threads;
    const auto thread = std::find_if(raw.threads.begin(), raw.threads.end(),
                                     [&](const format::Thread& t) { return t.tid == tid; });
    ASSERT_NE(thread, raw.threads.end()) << "no entry of thread " << tid;
    const double period_ns = static_cast<double>(raw.header.events[0].period);
    const double sampled_ns = static_cast<double>(thread->samples) * period_ns;
    std::printf("thread %d: %+.2f %%\n", threads, 100 * (sampled_ns / cpu_ns - 1));
    farthest = std::max(farthest, std::abs(sampled_ns / cpu_ns - 1));
    EXPECT_GE(sampled_ns / cpu_ns, 1 - kNear);
    most_beyond_s = std::max(most_beyond_s, 1e-9 * (sampled_ns - (1 + kNear) * cpu_ns));
  }
  EXPECT_EQ(threads, 3);
  // Stolen time may cause too many samples. The surplus samples may stand for no more time than was
  // stolen during the run.
  const double stolen = stolen_s() - stolen_before_s;
  EXPECT_LE(most_beyond_s, stolen);
  if (farthest > kNear && !::testing::Test::HasFailure())
    GTEST_SKIP() << "known to " << 100 * farthest << " % only: a hypervisor took " << stolen
                 << " s of the CPUs meanwhile";
}

TEST(Accuracy, SamplesOfAThreadAreItsCpuTime) {
  expect_samples_of_threads("planted", "threads 3 " + std::to_string(1500 * scale()));
}

TEST(Accuracy, SamplesOfAnOpenMpPoolAreItsCpuTime) {
  if (!std::filesystem::exists(APMT_PROGRAMS "/thread_pool"))
    GTEST_SKIP() << "the compiler has no OpenMP";
  expect_samples_of_threads("thread_pool", "");
}

}  // namespace
}  // namespace apmt::testing
