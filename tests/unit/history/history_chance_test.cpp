// Tests how often `apmt history` reports a change, in simulated experiments with and without one.
// All series of an experiment are tested, as in `apmt history`. Each version ran once.
#include <gtest/gtest.h>

#include <cstdio>

#include "history/history.h"
#include "tests/unit/fitter/synthetic_runs.h"
#include "tests/unit/history/noise.h"

namespace apmt {
namespace {

struct Simulated {
  std::size_t versions = 30;
  std::vector<int> procs = {8};
  int kernels = 10;
  double slow_down = 0;     // of the elapsed time from index `slower` on, outside all kernels
  std::size_t slower = 16;  // the 17th version
};

/// Kernels take equal shares of 80 % of the run. All times have noise of their own.
std::vector<Version> simulate(const Simulated& simulated, Noise* noise) {
  std::vector<Version> versions;
  for (std::size_t v = 0; v < simulated.versions; ++v) {
    Version& version = versions.emplace_back(Version{"v" + std::to_string(v + 1), {}});
    for (const int procs : simulated.procs) {
      synthetic::PlantedRun run;
      run.procs = procs;
      for (int k = 0; k < simulated.kernels; ++k)
        run.kernel_s["kernel_" + std::to_string(k)] = 2.0 / simulated.kernels * noise->factor();
      run.coll_s = 0.25 * noise->factor();
      version.runs.push_back(synthetic::profile(run));
      const double factor = v >= simulated.slower ? 1 + simulated.slow_down : 1;
      version.runs.back().times.wall_s.per_rank = {2.5 * factor * noise->factor()};
    }
  }
  return versions;
}

struct Reported {
  int any = 0;     // experiments with a change in any series
  int slower = 0;  // experiments with a slower elapsed time
  int near = 0;    // of these, those with a slow-down within 5 versions of the true one
};

Reported reported_in(int experiments, const Simulated& simulated, unsigned seed) {
  Noise noise(seed);
  Reported reported;
  for (int i = 0; i < experiments; ++i) {
    const History history = make_history(simulate(simulated, &noise));
    bool any = false;
    bool slower = false;
    bool near = false;
    for (const HistorySeries& series : history.series)
      for (const ChangePoint& change : series.changes) {
        any = true;
        if (!series.is_elapsed() || change.after <= change.before) continue;
        slower = true;
        const auto distance =
            std::abs(static_cast<int>(change.at) - static_cast<int>(simulated.slower));
        near = near || distance <= 5;
      }
    reported.any += any;
    reported.slower += slower;
    reported.near += near;
  }
  std::printf(
      "of %d experiments, %d have a change, %d a slower elapsed time, %d near the right version\n",
      experiments, reported.any, reported.slower, reported.near);
  return reported;
}

TEST(HistoryChance, AnUnchangedProgramHasNoReportIn95Of100) {
  EXPECT_LE(reported_in(400, {}, 1).any, 20);
  EXPECT_LE(reported_in(200, {.procs = {2, 4, 8}, .kernels = 4}, 2).any, 10);
  EXPECT_LE(reported_in(400, {.versions = 9, .procs = {4, 8}, .kernels = 3}, 3).any, 20);
}

TEST(HistoryChance, FivePercentAtVersion17Of30AreFoundIn95Of100) {
  const Reported at_one_count = reported_in(400, {.slow_down = 0.05}, 4);
  EXPECT_GE(at_one_count.slower, 380);
  EXPECT_GE(at_one_count.near, 360);
  const Reported at_three = reported_in(100, {.procs = {2, 4, 8}, .slow_down = 0.05}, 5);
  EXPECT_GE(at_three.slower, 98);
  EXPECT_GE(at_three.near, 98);
}

}  // namespace
}  // namespace apmt
