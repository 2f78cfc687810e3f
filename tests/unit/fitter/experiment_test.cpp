// Tests of joining runs to an experiment: points, medians, usable runs, and warnings.
#include "fitter/runs/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "fitter/fit/measured_model.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::halo_run;
using synthetic::PlantedRun;
using synthetic::profiles;
using testing::Contains;
using testing::HasSubstr;

TEST(Experiment, GroupsRepetitionsAndTakesMedians) {
  std::vector<PlantedRun> runs;
  for (const int p : {8, 2, 4})
    for (int r = 1; r <= 3; ++r) {
      PlantedRun run = halo_run(p, r);
      run.coll_s = 1 + 0.1 * r;
      runs.push_back(run);
    }
  const Experiment e = make_experiment(profiles(runs));
  ASSERT_EQ(e.points.size(), 3u);
  EXPECT_EQ(e.process_counts(), (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(e.scaling, Scaling::kStrong);
  EXPECT_EQ(e.points[1].runs.size(), 3u);
  EXPECT_DOUBLE_EQ(e.points[1].parts.comm_coll_s->value, 1.2);
  EXPECT_NEAR(e.points[1].parts.comm_coll_s->rel_sigma, 0.1 / 1.2, 1e-9);
  EXPECT_NEAR(e.points[1].parts.comp_s->value, 10.2, 1e-6);
  EXPECT_NEAR(e.points[1].parts.closure_s, 0, 1e-6);
  EXPECT_TRUE(e.warnings.empty()) << e.warnings.front();
}

TEST(Experiment, RecognisesStrongWeakAndMixed) {
  const auto scaling = [](const std::vector<std::pair<int, double>>& runs) {
    std::vector<PlantedRun> list;
    for (const auto& [p, n] : runs) list.push_back(halo_run(p, 1, n));
    return make_experiment(profiles(list)).scaling;
  };
  EXPECT_EQ(scaling({{2, 64}, {4, 64}}), Scaling::kStrong);
  EXPECT_EQ(scaling({{2, 64}, {4, 128}, {8, 256}}), Scaling::kWeak);
  EXPECT_EQ(scaling({{2, 64}, {4, 64}, {4, 128}}), Scaling::kMixed);
  EXPECT_EQ(scaling({{2, 64}, {2, 128}}), Scaling::kSinglePoint);
}

TEST(Experiment, OversubscribedRunsGiveComputeAndCountsOnly) {
  std::vector<PlantedRun> runs = {halo_run(2), halo_run(4), halo_run(8)};
  runs[2].oversubscribed = true;
  const Experiment e = make_experiment(profiles(runs));
  const MeasuredParts& parts = e.points[2].parts;
  EXPECT_TRUE(parts.comp_s);
  EXPECT_FALSE(parts.comm_p2p_s);
  EXPECT_FALSE(parts.comm_coll_s);
  EXPECT_FALSE(parts.start_s);
  EXPECT_FALSE(parts.end_s);
  EXPECT_FALSE(parts.off_cpu_s);
  EXPECT_TRUE(e.points[1].parts.comm_p2p_s);
  EXPECT_THAT(e.warnings, Contains(HasSubstr("more ranks than CPUs at P = 8")));
}

TEST(Experiment, OffCpuTimeIsAPartOfItsOwn) {
  PlantedRun run = halo_run(4);
  run.off_cpu_s = 0.75;
  const Experiment e = make_experiment(profiles({run}));
  EXPECT_NEAR(e.points[0].parts.off_cpu_s->value, 0.75, 1e-6);
  EXPECT_NEAR(e.points[0].parts.closure_s, 0, 1e-6);
}

TEST(Experiment, ClosureResidualIsWhatNothingExplains) {
  RunProfile p = synthetic::profile(halo_run(4));
  for (double& s : p.times.main_s.per_rank) s += 2;  // on the CPU, but not sampled
  for (double& s : p.times.wall_s.per_rank) s += 2;
  for (double& s : p.times.main_cpu_s.per_rank) s += 2;
  const Experiment e = make_experiment({p});
  EXPECT_NEAR(e.points[0].parts.closure_s, 2, 1e-6);
  EXPECT_NEAR(e.points[0].parts.off_cpu_s->value, 0, 1e-6);
}

TEST(Experiment, WorkerThreadsCloseOnTheElapsedTime) {
  RunProfile p = synthetic::profile(halo_run(2));
  p.config.threads_per_rank = 4;
  for (KernelProfile& k : p.kernels)
    for (auto& samples : k.counters["cpu_s"].samples) samples *= 4;
  const Experiment e = make_experiment({p});
  EXPECT_NEAR(e.points[0].parts.comp_s->value, 20.2, 1e-6);
  EXPECT_NEAR(e.points[0].parts.closure_s, 0, 1e-6);
}

TEST(Experiment, GradeDComputesByElapsedTimeOutsideMpi) {
  RunProfile p = synthetic::profile(halo_run(4));
  p.grade = Grade::kD;
  p.kernels.clear();
  const Experiment e = make_experiment({p});
  EXPECT_EQ(e.grade, Grade::kD);
  EXPECT_NEAR(e.points[0].parts.comp_s->value, 10.2, 1e-6);
}

TEST(Experiment, LoadBalanceWithoutSamplesIsThatOfTheTimeOutsideMpi) {
  RunProfile p = synthetic::profile(halo_run(4));
  p.grade = Grade::kD;
  p.kernels.clear();
  const double outside_s = p.times.main_s.per_rank[0] - p.times.mpi_s.per_rank[0];
  for (const std::size_t r : {1, 2, 3}) p.times.mpi_s.per_rank[r] += 0.5 * outside_s;
  const auto balance = [](const RunProfile& run) {
    return make_experiment({run}).points[0].load_balance;
  };
  EXPECT_NEAR(balance(p).value(), (1 + 3 * 0.5) / 4, 1e-9);
  RunProfile crowded = p;
  crowded.config.oversubscribed = true;
  EXPECT_FALSE(balance(crowded)) << "a rank that is not in MPI may wait for a core";
  RunProfile partial = p;
  partial.config.procs = 5;
  EXPECT_FALSE(balance(partial)) << "the fifth rank may be the busiest";
}

TEST(Experiment, WhatCannotBeComparedIsSaid) {
  std::vector<RunProfile> runs = profiles({halo_run(2), halo_run(4)});
  runs[0].kernels[0].build_id = "aa";
  runs[1].kernels[0].build_id = "bb";
  runs[1].hosts[0].cpu_model = "another CPU";
  runs[1].health.ranks_cut_off = 1;
  const Experiment e = make_experiment(runs);
  EXPECT_THAT(e.warnings, Contains(HasSubstr("build-ids differ")));
  EXPECT_THAT(e.warnings, Contains(HasSubstr("different processors")));
  EXPECT_THAT(e.warnings, Contains(HasSubstr("ended abnormally")));
  runs[1].health.ranks_running = 1;
  EXPECT_THAT(make_experiment(runs).warnings, Contains(HasSubstr("1 rank was still running")));
  EXPECT_THAT(make_experiment(runs).warnings, Not(Contains(HasSubstr("ended abnormally"))));
  EXPECT_THAT(make_experiment(runs, {.same_program = true}).warnings,
              Not(Contains(HasSubstr("build-ids"))));
}

TEST(Experiment, AProblemThatSeemsToGrowWithTheProcessesIsSaid) {
  const auto warned = [](double exponent, const std::vector<int>& counts, bool has_size = false) {
    std::vector<PlantedRun> planted;
    for (const int procs : counts) {
      planted.push_back(halo_run(procs));
      planted.back().kernel_s = {{"sweep", 10 * std::pow(procs, exponent)}};
      planted.back().params = {{"n", has_size ? 100.0 * procs : 100.0}};
    }
    const std::vector<std::string> warnings = make_experiment(profiles(planted)).warnings;
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.find("seems to grow with the processes") != std::string::npos;
    });
  };
  EXPECT_TRUE(warned(0, {2, 4, 8}));
  EXPECT_TRUE(warned(0.3, {2, 4, 8}));
  EXPECT_FALSE(warned(-0.3, {2, 4, 8})) << "half serial";
  EXPECT_FALSE(warned(0, {2, 4})) << "too close to tell";
  EXPECT_FALSE(warned(0, {2, 4, 8}, true)) << "recorded as weak scaling";
  std::vector<PlantedRun> hardly;  // as where computation is not simulated
  for (const int procs : {2, 4, 8}) {
    hardly.push_back(halo_run(procs));
    hardly.back().kernel_s = {{"sweep", 2e-8}};
  }
  EXPECT_THAT(make_experiment(profiles(hardly)).warnings,
              Not(Contains(HasSubstr("seems to grow with the processes"))));
}

TEST(Experiment, ALongTimeBeforeMpiInitIsSaid) {
  const auto warnings = [](double before_init_s) {
    std::vector<RunProfile> runs = profiles({halo_run(2), halo_run(4)});
    runs[1].times.wall_s.per_rank = {10, 20, 10, 10};
    runs[1].health.before_init_s = before_init_s;
    return make_experiment(runs).warnings;
  };
  const auto says = Contains(
      AllOf(HasSubstr("P = 4"),
            HasSubstr("95 % of the run passed before MPI_Init was called and was not sampled")));
  EXPECT_THAT(warnings(19), says);
  EXPECT_THAT(warnings(0.9), Not(Contains(HasSubstr("before MPI_Init")))) << "about 5 % of the run";
}

TEST(Experiment, RunsThatWereCutOffAreLeftOutAndSaid) {
  const TemporaryFolder folder;
  const auto add = [&](int repetition, int cut_off) {
    RunProfile profile = synthetic::profile(halo_run(2, repetition));
    profile.health.ranks_expected = profile.health.ranks_present = 2;
    profile.health.ranks_cut_off = cut_off;
    const std::filesystem::path run = folder.path() / ("r" + std::to_string(repetition));
    std::filesystem::create_directories(run);
    write_run_profile(profile, run / "profile.json");
  };
  add(1, 2);
  EXPECT_EQ(read_experiment(folder.path()).runs.size(), 1u) << "there is no other";
  add(2, 0);
  const Experiment e = read_experiment(folder.path());
  ASSERT_EQ(e.runs.size(), 1u);
  EXPECT_EQ(e.runs[0].config.repetition, 2);
  EXPECT_THAT(e.warnings, Contains(HasSubstr("repetition 1, is left out: 2 of 2 ranks were cut "
                                             "off before")));
}

TEST(MeasuredModel, HasWhatWasMeasuredAtASingleProcessCount) {
  const Experiment e = make_experiment(profiles({halo_run(4, 1), halo_run(4, 2)}));
  const Model model = measured_model(e, {});
  ASSERT_EQ(model.points.size(), 1u);
  EXPECT_EQ(model.points[0].repetitions, 2);
  EXPECT_DOUBLE_EQ(model.points[0].elapsed_s, e.points[0].elapsed_s.value);
  ASSERT_FALSE(model.kernels.empty());
  EXPECT_EQ(model.kernels[0].points.size(), 1u);
  EXPECT_EQ(model.start.points.size(), 1u);
  EXPECT_EQ(model.end.points.size(), 1u);
  EXPECT_THROW(fit(e, {}), InputError) << "which says nothing about scaling";
}

TEST(Experiment, NothingAndForeignersAreErrors) {
  try {
    make_experiment({});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
    EXPECT_FALSE(error.hint().empty());
  }
  std::vector<RunProfile> runs = profiles({halo_run(2), halo_run(4)});
  runs[1].program = "another";
  EXPECT_THROW(make_experiment(runs), InputError);
}

/// Runs on 2, 4 and 8 processes, each with a different executable.
std::vector<RunProfile> runs_of(std::string (*name_at)(int procs)) {
  std::vector<RunProfile> runs = profiles({halo_run(2), halo_run(4), halo_run(8)});
  for (RunProfile& run : runs) {
    give_name(name_at(run.config.procs), &run);
    run.kernels[0].build_id = name_at(run.config.procs);
  }
  return runs;
}

TEST(Experiment, ExecutablesOfOneProgramAreJoinedWhenTheUserSaysSo) {
  const auto runs =
      runs_of([](int procs) { return "app" + std::string(procs == 2 ? "-small" : ""); });
  EXPECT_THROW(make_experiment(runs), InputError);
  const Experiment joined = make_experiment(runs, {.same_program = true});
  EXPECT_EQ(joined.program, "app-small");
  for (const RunProfile& run : joined.runs)
    EXPECT_EQ(run.kernels.front().id, joined.runs.front().kernels.front().id);
}

TEST(Experiment, ExecutablesNamedAfterTheirProcessCountAreOneProgram) {
  for (const auto& [name_at, name] :
       {std::pair{+[](int p) { return "cg.B." + std::to_string(p); }, "cg.B"},
        {+[](int p) { return "app-" + std::to_string(p) + "-opt"; }, "app-opt"},
        {+[](int p) { return "app8." + std::to_string(p); }, "app8"}}) {
    const Experiment joined = make_experiment(runs_of(name_at));
    EXPECT_EQ(joined.program, name);
    EXPECT_THAT(joined.warnings, Not(Contains(HasSubstr("build-ids"))));
    for (const RunProfile& run : joined.runs)
      EXPECT_EQ(run.kernels.front().id, joined.runs.front().kernels.front().id);
  }
  // Names count as one program only if they differ by the process count, as a separate number. Not
  // accepted are: another number (v3 for 2 processes), the count as part of a longer number (v12),
  // and a name that is only the count.
  EXPECT_THROW(make_experiment(runs_of([](int p) { return "v" + std::to_string(p + 1); })),
               InputError);
  EXPECT_THROW(make_experiment(runs_of([](int p) { return "v1" + std::to_string(p); })),
               InputError);
  EXPECT_THROW(make_experiment(runs_of([](int p) { return std::to_string(p); })), InputError);
}

TEST(Experiment, IsReadFromADirectoryOfRuns) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path& dir = folder.path();
  for (const int p : {2, 4}) {
    const fs::path run = dir / ("apmt-planted.p" + std::to_string(p) + ".n1024.r1");
    fs::create_directories(run);
    write_run_profile(synthetic::profile(halo_run(p)), run / "profile.json");
  }
  fs::create_directories(dir / "unrelated");
  EXPECT_EQ(read_experiment(dir).points.size(), 2u);
  EXPECT_EQ(read_experiment(dir / "apmt-planted.p2.n1024.r1").points.size(), 1u);
  try {
    read_experiment(dir / "unrelated");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
  EXPECT_THROW(read_experiment(dir / "nowhere"), InputError);
}

}  // namespace
}  // namespace apmt
