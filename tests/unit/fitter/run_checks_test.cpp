// Tests of the warnings about runs that are too short, about ranks that were off the CPU, and about
// runs that cannot be compared.
#include "fitter/runs/run_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::halo_run;
using synthetic::PlantedRun;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A run that computes for `seconds`, with a sample each millisecond.
RunProfile of_length(int procs, double seconds) {
  PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"sweep", seconds}};
  run.others_s = 0.01;
  run.sample_s = 1e-3;
  return synthetic::profile(run);
}

TEST(ShortRuns, AreNamedWithTheirLengthAndSamples) {
  const Experiment e = make_experiment(
      {of_length(2, 0.04), of_length(4, 0.02), of_length(8, 0.5), of_length(16, 0.2)});
  EXPECT_THAT(short_runs(e),
              ElementsAre(AllOf(HasSubstr("at P = 2, 4 are too short"),
                                HasSubstr("(under 100 ms or under 100 samples: 50 ms at "
                                          "most, 80 samples at least)"))));
  EXPECT_THAT(e.warnings, Contains(short_runs(e).front()));
}

TEST(ShortRuns, OfSeveralSizesAreNamedWithTheirs) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4})
    for (const double n : {100, 200, 1500}) {
      runs.push_back(of_length(procs, procs == 2 || n < 1000 ? 0.02 : 2));
      runs.back().config.params["n"] = n;
    }
  EXPECT_THAT(short_runs(make_experiment(runs)),
              ElementsAre(HasSubstr("the runs at P = 2, 4 (n = 100; n = 200) are too short")))
      << "without sizes, a count stands for all";
  runs[5].times.wall_s.per_rank[0] *= 3;
  runs.push_back(runs[5]);
  runs.back().config.repetition = 2;
  runs.back().times.wall_s.per_rank[0] *= 3;
  EXPECT_THAT(make_experiment(runs).warnings,
              Contains(HasSubstr("repetitions at P = 4 (n = 1500) vary widely")));
}

TEST(ShortRuns, OnePointHasOneLongRepetitionOrNone) {
  RunProfile long_one = of_length(2, 2);
  long_one.config.repetition = 2;
  EXPECT_THAT(short_runs(make_experiment({of_length(2, 0.3), long_one})), IsEmpty());
}

TEST(ShortRuns, FewSamplesAreShortWhateverTheClockSays) {
  RunProfile simulated = of_length(2, 0.03);
  simulated.config.is_virtual = true;
  EXPECT_THAT(short_runs(make_experiment({simulated})),
              ElementsAre(HasSubstr("(under 100 samples: 60 samples at least)")))
      << "a simulated time says nothing about the number of samples";
  // A simulated time does not show how long the simulation took.
  simulated.kernels[0].counters["cpu_s"].samples = {400, 400};
  EXPECT_THAT(short_runs(make_experiment({simulated})), IsEmpty());
  simulated.kernels.clear();  // no sample fell outside MPI
  simulated.grade = Grade::kD;
  EXPECT_THAT(short_runs(make_experiment({simulated})), ElementsAre(HasSubstr("0 samples")));
  simulated.sampling.source = "none";  // a simulation without computation has exact times
  EXPECT_THAT(short_runs(make_experiment({simulated})), IsEmpty());
}

TEST(ShortRuns, ImportedTimesAreNotJudged) {
  RunProfile imported = of_length(2, 0.01);
  imported.sampling.source = kImported;
  EXPECT_THAT(short_runs(make_experiment({imported})), IsEmpty());
}

/// Three repetitions on four ranks. In the repetitions in `stalled`, rank `rank` is off the CPU for
/// `seconds`.
Experiment with_stall(const std::vector<int>& stalled, std::size_t rank, double seconds) {
  std::vector<RunProfile> runs;
  for (int repetition = 1; repetition <= 3; ++repetition) {
    runs.push_back(synthetic::profile(halo_run(4, repetition)));
    if (std::find(stalled.begin(), stalled.end(), repetition) == stalled.end()) continue;
    RankTimes& t = runs.back().times;
    for (std::size_t r = 0; r < 4; ++r) {
      t.main_s.per_rank[r] += seconds;
      t.wall_s.per_rank[r] += seconds;
      // The others wait for it in MPI, without sleeping.
      if (r == rank) continue;
      t.mpi_s.per_rank[r] += seconds;
      t.main_cpu_s.per_rank[r] += seconds;
    }
  }
  return make_experiment(runs);
}

TEST(StalledRuns, TheRankAndItsTimeAreNamed) {
  EXPECT_THAT(stalled_runs(with_stall({}, 2, 4)), IsEmpty());
  const Experiment e = with_stall({2}, 3, 4);
  EXPECT_THAT(stalled_runs(e),
              ElementsAre(AllOf(HasSubstr("P = 4, repetition 2: rank 3 was off the CPU for 4.0 s"),
                                HasSubstr("usual: 0 ms"))));
  EXPECT_THAT(e.warnings, testing::Contains(HasSubstr("rank 3 was off the CPU")));
}

TEST(StalledRuns, WhatEveryRepetitionDoesIsTheProgram) {
  EXPECT_THAT(stalled_runs(with_stall({1, 2, 3}, 0, 4)), IsEmpty());
  EXPECT_THAT(stalled_runs(with_stall({1, 2}, 0, 4)), IsEmpty());
  EXPECT_THAT(stalled_runs(with_stall({1}, 0, 0.05)), IsEmpty());
}

TEST(StalledRuns, SharedCoresThreadsAndSleepInMpiAreNone) {
  for (const int change : {0, 1, 2}) {
    std::vector<RunProfile> runs;
    for (int repetition = 1; repetition <= 3; ++repetition) {
      runs.push_back(synthetic::profile(halo_run(4, repetition)));
      RunProfile& run = runs.back();
      if (change == 0) run.config.oversubscribed = true;
      if (change == 1) run.config.threads_per_rank = 2;
      if (repetition != 2) continue;
      run.times.main_s.per_rank[1] += 4;
      run.times.wall_s.per_rank[1] += 4;
      if (change == 2) run.times.mpi_s.per_rank[1] += 4;  // asleep inside MPI
    }
    EXPECT_THAT(stalled_runs(make_experiment(runs)), IsEmpty()) << change;
  }
}

TEST(RunsOffCpu, AreNamedWithTheirShareAndCauses) {
  const auto with_pauses = [](double seconds) {
    std::vector<RunProfile> runs;
    for (const int procs : {2, 4}) {
      RunProfile run = of_length(procs, 2);
      for (double& s : run.times.main_s.per_rank) s += seconds;
      for (double& s : run.times.wall_s.per_rank) s += seconds;
      runs.push_back(std::move(run));
    }
    return make_experiment(runs);
  };
  const Experiment e = with_pauses(6);
  EXPECT_THAT(runs_off_cpu(e),
              ElementsAre(AllOf(HasSubstr("at P = 2, 4, the processes were off the CPU"),
                                HasSubstr("up to 75 % of the time"), HasSubstr("idle machine"))));
  EXPECT_THAT(e.warnings, Contains(runs_off_cpu(e).front()));
  EXPECT_THAT(runs_off_cpu(with_pauses(0.5)), IsEmpty());
}

TEST(Comparability, ThreadsThatShareCpusAreNamed) {
  RunProfile run = of_length(2, 2);
  run.hosts = {{"node", "CPU", 4, 2}};
  run.config.threads_per_rank = 2;
  const auto warns = [&] {
    const Experiment e = make_experiment({run});
    return std::ranges::any_of(e.warnings, [](const std::string& warning) {
      return warning.starts_with("more threads than CPUs at P = 2");
    });
  };
  EXPECT_FALSE(warns()) << "each thread has a CPU";
  run.hosts[0].usable_cpus = 3;
  EXPECT_TRUE(warns());
  run.config.is_virtual = true;
  EXPECT_FALSE(warns()) << "simulated ranks have a CPU for each thread";
}

TEST(Comparability, ThreadsOnAVirtualClusterAreNamed) {
  RunProfile run = of_length(2, 2), other = of_length(4, 2);
  EXPECT_THAT(runs_with_created_threads(make_experiment({run, other})), IsEmpty());
  other.health.created_threads_s = 1;
  const Experiment e = make_experiment({run, other});
  EXPECT_THAT(runs_with_created_threads(e),
              ElementsAre(HasSubstr("in the runs at P = 4, the ranks created threads")));
  EXPECT_THAT(e.warnings, Contains(runs_with_created_threads(e).front()));
}

TEST(Comparability, RepetitionsWithOtherArgumentsAreNamed) {
  RunProfile one = of_length(2, 2), two = of_length(2, 2), larger = of_length(4, 2);
  two.config.repetition = 2;
  one.command = two.command = "app -n 10";
  larger.command = "app -n 20";
  EXPECT_THAT(make_experiment({one, two, larger}).warnings,
              Not(Contains(HasSubstr("different arguments"))));
  two.command = "app -n 11";
  EXPECT_THAT(make_experiment({one, two, larger}).warnings,
              Contains(AllOf(HasSubstr("P = 2"), HasSubstr("'app -n 10' and 'app -n 11'"))));
}

}  // namespace
}  // namespace apmt
