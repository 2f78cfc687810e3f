#include "history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/input_error.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// `count` versions. "sweep" is a tenth slower from index `slower` on; from index 3 on, the kernels
/// lie in another source file.
std::vector<Version> planted(std::size_t count, std::size_t slower, int reps = 3) {
  std::vector<Version> versions;
  for (std::size_t v = 0; v < count; ++v) {
    Version version{"v" + std::to_string(v + 1), {}};
    for (const int procs : {4, 8})
      for (int r = 1; r <= reps; ++r) {
        const double noise =
            1 + 0.004 * (static_cast<double>((v * 7 + static_cast<std::size_t>(r) * 3) % 5) - 2);
        PlantedRun run;
        run.procs = procs;
        run.repetition = r;
        run.kernel_s = {{"sweep", 8.0 / procs * noise * (v >= slower ? 1.1 : 1)},
                        {"pack", 2.0 / procs / noise},
                        {"tiny", 1e-3 * noise}};
        run.coll_s = 0.5 * noise;
        RunProfile profile = synthetic::profile(run);
        profile.started_at = "2026-01-" + std::to_string(10 + v) + "T10:00:00Z";
        if (v >= 3)
          for (KernelProfile& kernel : profile.kernels) kernel.id.source = "moved.cpp";
        version.runs.push_back(std::move(profile));
      }
    versions.push_back(std::move(version));
  }
  return versions;
}

PlantedRun one_run() {
  PlantedRun run;
  run.kernel_s = {{"sweep", 1}};
  return run;
}

const HistorySeries& series(const History& history, const std::string& what, int procs) {
  for (const HistorySeries& s : history.series)
    if (s.what == what && s.procs == procs) return s;
  throw std::runtime_error("no series of " + what);
}

TEST(History, AnOrderWithoutStartTimesIsWarnedAbout) {
  std::vector<Version> versions = planted(12, 7);
  for (RunProfile& run : versions[0].runs) run.started_at.clear();
  EXPECT_THAT(make_history(versions).warnings,
              ElementsAre(HasSubstr("these versions come first, in the order in which")));
  for (Version& version : versions)
    for (RunProfile& run : version.runs) run.started_at.clear();
  EXPECT_THAT(make_history(versions).warnings,
              ElementsAre(HasSubstr("the versions are in the order in which they were given")));
}

TEST(History, ASlowerKernelIsFoundWhereverItsSourceLies) {
  const History history = make_history(planted(12, 7));
  EXPECT_THAT(history.versions, SizeIs(12));
  for (const int procs : {4, 8}) {
    const HistorySeries& sweep = series(history, "sweep", procs);
    ASSERT_THAT(sweep.changes, SizeIs(1)) << procs;
    EXPECT_EQ(sweep.changes[0].at, 7u);
    EXPECT_NEAR(sweep.changes[0].change(), 0.1, 0.01);
    EXPECT_EQ(sweep.source, "moved.cpp");
    EXPECT_THAT(series(history, "elapsed", procs).changes, SizeIs(1));
    EXPECT_THAT(series(history, "pack", procs).changes, IsEmpty());
    EXPECT_THAT(series(history, "collectives", procs).changes, IsEmpty());
  }
  // The elapsed time at the largest count comes first; negligible times are left out.
  EXPECT_EQ(history.series.front().what, "elapsed");
  EXPECT_EQ(history.series.front().procs, 8);
  EXPECT_GT(&series(history, "pack", 8), &series(history, "sweep", 8)) << "sorted by share";
  for (const HistorySeries& s : history.series) EXPECT_NE(s.what, "tiny");
  EXPECT_THAT(history.warnings, IsEmpty());
}

TEST(History, AVersionThatLacksAKernelIsNoChange) {
  std::vector<Version> versions = planted(12, 7);
  for (RunProfile& run : versions[5].runs)
    std::erase_if(run.kernels, [](const KernelProfile& k) { return k.name == "sweep"; });
  const History history = make_history(versions);
  const HistorySeries& sweep = series(history, "sweep", 8);
  EXPECT_FALSE(sweep.seconds[5]);
  ASSERT_THAT(sweep.changes, SizeIs(1));
  EXPECT_EQ(sweep.changes[0].at, 7u);
}

/// One version for each inner list; each of its runs is a repetition in which "sweep" takes the
/// given seconds.
std::vector<Version> with_sweeps(const std::vector<std::vector<double>>& seconds) {
  std::vector<Version> versions;
  for (const std::vector<double>& repetitions : seconds) {
    versions.push_back({"v" + std::to_string(versions.size() + 1), {}});
    for (const double s : repetitions) {
      PlantedRun run = one_run();
      run.kernel_s = {{"sweep", s}};
      run.others_s = 1;
      versions.back().runs.push_back(synthetic::profile(run));
    }
  }
  return versions;
}

TEST(History, SecondsAreMediansOverRunsAndMeansOverRanks) {
  std::vector<Version> versions = with_sweeps({{3, 9, 4}, {6, 5}});
  versions[1].runs[0].times.wall_s.per_rank = {2, 12};  // a run lasts as long as its longest rank
  const History history = make_history(versions);
  EXPECT_NEAR(*series(history, "sweep", 2).seconds[0], 4, 1e-6);
  EXPECT_NEAR(*series(history, "sweep", 2).seconds[1], 5.5, 1e-6);
  EXPECT_NEAR(*series(history, "elapsed", 2).seconds[1], (12 + 6) / 2.0, 1e-6);
  EXPECT_NEAR(series(history, "sweep", 2).share, 4 / 5.0, 1e-6) << "in the version with the most";
  EXPECT_EQ(history.versions[0].runs, 3);
  EXPECT_EQ(history.versions[1].runs, 2);
}

TEST(History, WaitingIsASeriesOfItsOwnAsInOtherReports) {
  std::vector<Version> versions = with_sweeps({{1}, {1}});
  for (Version& version : versions)
    for (RunProfile& run : version.runs) {
      run.times.mpi_p2p_s.per_rank = run.times.mpi_s.per_rank = {0.5, 0.1};
      run.times.main_s.per_rank = {1.1, 1.1};  // the first rank waits for the second
    }
  const History history = make_history(versions);
  const MeasuredParts parts = make_experiment(versions[0].runs).points[0].parts;
  ASSERT_GT(parts.comm_wait_s->value, 0.1);
  EXPECT_EQ(*series(history, "waiting in MPI", 2).seconds[0], parts.comm_wait_s->value);
  EXPECT_EQ(*series(history, "point-to-point", 2).seconds[0], parts.comm_p2p_s->value);
}

TEST(History, FunctionsOfOneNameAreOneSeries) {
  std::vector<Version> versions = with_sweeps({{1}, {1}});
  for (Version& version : versions) {
    KernelProfile twin = version.runs[0].kernels[0];
    twin.id.source = "other.cpp";
    version.runs[0].kernels.push_back(twin);
  }
  EXPECT_NEAR(*series(make_history(versions), "sweep", 2).seconds[0], 2, 1e-6);
}

TEST(History, WhatIsLargeInOneVersionIsShown) {
  const History history = make_history(with_sweeps({{1e-3}, {5}, {1e-3}}));
  EXPECT_NO_THROW(series(history, "sweep", 2));
}

TEST(History, SizesAreSeriesOfTheirOwn) {
  std::vector<Version> versions = with_sweeps({{1, 2}, {1, 2}});
  for (Version& version : versions) {
    version.runs[0].config.params = {{"n", 100}};
    version.runs[1].config.params = {{"n", 200}};
  }
  std::map<double, double> by_size;
  for (const HistorySeries& s : make_history(versions).series)
    if (s.what == "sweep") by_size[s.params.at("n")] = *s.seconds[0];
  ASSERT_THAT(by_size, SizeIs(2));
  EXPECT_NEAR(by_size[100], 1, 1e-6);
  EXPECT_NEAR(by_size[200], 2, 1e-6);
}

TEST(History, ATimeOfNothingIsNoLevel) {
  std::vector<Version> versions = planted(12, 7);
  for (RunProfile& run : versions[2].runs)
    for (KernelProfile& kernel : run.kernels)
      if (kernel.name == "sweep")
        for (std::uint64_t& samples : kernel.counters.at("cpu_s").samples) samples = 0;
  const History history = make_history(versions);
  const HistorySeries& sweep = series(history, "sweep", 8);
  ASSERT_THAT(sweep.changes, SizeIs(1));
  EXPECT_EQ(sweep.changes[0].at, 7u);
}

TEST(History, TimesInMpiOfSharedCoresAreLeftOut) {
  std::vector<Version> versions = planted(6, 99);
  for (Version& version : versions)
    for (RunProfile& run : version.runs) run.config.oversubscribed = true;
  for (const HistorySeries& s : make_history(versions).series) EXPECT_NE(s.what, "collectives");
}

TEST(History, FewVersionsOrRunsAreSaid) {
  EXPECT_THAT(make_history(planted(4, 2)).warnings, ElementsAre(HasSubstr("7 are needed")));
  for (const int reps : {1, 2})
    EXPECT_THAT(make_history(planted(8, 99, reps)).warnings, ElementsAre(HasSubstr("--reps 3")));
  try {
    make_history(planted(1, 9));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
}

TEST(History, AKernelAmongManyIsFoundToo) {
  // With more than 400 series, Holm's first level is below 5 % / 400 = 0.0125 %. The smallest
  // p-value that 1,999 random orders can give is 1 / 2,000 = 0.05 %, so more orders are needed.
  std::vector<Version> versions = planted(24, 12);
  for (std::size_t v = 0; v < versions.size(); ++v)
    for (std::size_t r = 0; r < versions[v].runs.size(); ++r) {
      RunProfile& run = versions[v].runs[r];
      const KernelProfile pack = run.kernels.front();
      for (int k = 0; k < 200; ++k) {
        KernelProfile& other = run.kernels.emplace_back(pack);
        other.name = other.id.linkage_name = "other_" + std::to_string(k);
        for (std::uint64_t& samples : other.counters.at("cpu_s").samples)
          samples += samples * ((v * 31 + r * 17 + static_cast<std::size_t>(k) * 7) % 13) / 1000;
      }
    }
  const History history = make_history(versions, {.change = {}, .least_share = 0});
  EXPECT_GT(history.series.size(), 400u);
  for (const int procs : {4, 8}) {
    EXPECT_THAT(series(history, "sweep", procs).changes, SizeIs(1)) << procs;
    EXPECT_THAT(series(history, "pack", procs).changes, IsEmpty()) << procs;
  }
}

TEST(History, ChanceAmongManyKernelsIsNoChange) {
  // 400 series of pure noise (200 kernels at two process counts). If each were tested by itself at
  // the significance level of 5 %, about twenty would seem to change.
  std::vector<Version> versions = planted(12, 99);
  std::mt19937 random(23);
  std::normal_distribution<double> noise(0, 0.01);
  for (Version& version : versions)
    for (RunProfile& run : version.runs) {
      const KernelProfile pack = run.kernels.front();
      for (int k = 0; k < 200; ++k) {
        KernelProfile& other = run.kernels.emplace_back(pack);
        other.name = other.id.linkage_name = "other_" + std::to_string(k);
        const double factor = 1 + noise(random);
        for (std::uint64_t& samples : other.counters.at("cpu_s").samples)
          samples = static_cast<std::uint64_t>(static_cast<double>(samples) * factor);
      }
    }
  const History history = make_history(versions, {.change = {}, .least_share = 0});
  std::size_t changed = 0;
  for (const HistorySeries& s : history.series) changed += s.changes.size();
  EXPECT_LE(changed, 1u);
}

/// The elapsed time and the kernels "sweep", "second" and "third" change in the same way, so all
/// four changes have the same p-value, `chance`.
std::vector<Version> with_equal_chances(double* chance) {
  const std::vector<double> seconds = {4.0, 4.3, 3.8, 4.1, 3.9, 4.2, 4.4, 4.1, 4.5, 4.2, 4.6, 4.3};
  std::vector<std::vector<double>> sweeps;
  for (const double s : seconds) sweeps.push_back({s});
  std::vector<Version> versions = with_sweeps(sweeps);
  for (std::size_t v = 0; v < versions.size(); ++v) {
    RunProfile& run = versions[v].runs[0];
    run.times.wall_s.per_rank = {seconds[v]};
    for (const char* name : {"second", "third"}) {
      run.kernels.push_back(run.kernels[0]);
      run.kernels.back().name = name;
    }
  }
  *chance = chance_of_change(seconds, 99999);
  return versions;
}

TEST(History, MostOfTheLevelIsForTheElapsedTime) {
  double chance = 0;
  const std::vector<Version> versions = with_equal_chances(&chance);
  ASSERT_GT(chance, 0.002);
  ASSERT_LT(chance, 0.2);
  HistoryOptions options;
  // All four series have the p-value `chance`. The elapsed time is tested at 0.9 of the level,
  // which is 0.9 * 1.5 = 1.35 times `chance`, so a change must be found. After that, the three
  // kernels share the whole level: each is tested at 1.5 / 3 = 0.5 times `chance`, so no change may
  // be found in them.
  options.change.level = 1.5 * chance;
  for (const HistorySeries& s : make_history(versions, options).series)
    EXPECT_THAT(s.changes, SizeIs(s.is_elapsed() ? 1 : 0)) << s.what;
  options.change.level = chance;  // now the limit of the elapsed time is 0.9 times `chance`
  for (const HistorySeries& s : make_history(versions, options).series)
    EXPECT_THAT(s.changes, IsEmpty()) << s.what;
}

TEST(History, TheLevelOfAChangedElapsedTimePassesToKernels) {
  double chance = 0;
  std::vector<Version> versions = with_equal_chances(&chance);
  HistoryOptions options;
  // All series have the p-value `chance`; the level of the test is 4 times that. If the elapsed
  // time has changed, the three kernels share the whole level: each is tested at 4 / 3 = 1.33 times
  // `chance`, so its change is found. Otherwise they share a tenth of the level: 0.1 * 4 / 3 = 0.13
  // times `chance`, so no change is found.
  options.change.level = 4 * chance;
  for (const HistorySeries& s : make_history(versions, options).series)
    EXPECT_THAT(s.changes, SizeIs(1)) << s.what;
  for (Version& version : versions) version.runs[0].times.wall_s.per_rank = {10};
  for (const HistorySeries& s : make_history(versions, options).series)
    EXPECT_THAT(s.changes, IsEmpty()) << s.what;
}

TEST(History, ASlowerKernelIsSlowerNowUnlessTheWholeIsFaster) {
  const auto names = [](const History& history) {
    std::vector<std::string> list;
    for (const HistorySeries* s : slower_now(history)) list.push_back(s->what);
    return list;
  };
  EXPECT_THAT(names(make_history(planted(12, 99))), IsEmpty());
  std::vector<Version> versions = planted(16, 8);
  EXPECT_THAT(names(make_history(versions)), ElementsAre("elapsed", "elapsed", "sweep", "sweep"));
  const auto set_elapsed = [&](double after_s) {
    for (std::size_t v = 0; v < versions.size(); ++v)
      for (RunProfile& run : versions[v].runs)
        run.times.wall_s.per_rank = {(v >= 8 ? after_s : 4) + 0.01 * static_cast<double>(v % 3)};
  };
  set_elapsed(4);
  EXPECT_THAT(names(make_history(versions)), ElementsAre("sweep", "sweep"));
  set_elapsed(3);
  EXPECT_THAT(names(make_history(versions)), IsEmpty()) << "work was moved into the kernel";
  History history = make_history(planted(12, 7));
  for (HistorySeries& s : history.series)  // repaired at index 10
    if (!s.changes.empty())
      s.changes.push_back({.at = 10, .earliest = 10, .latest = 10, .before = 2, .after = 1});
  EXPECT_THAT(names(history), IsEmpty());
}

TEST(RepeatedWarnings, AReasonIsSaidOnceWithTheNumberOfExperiments) {
  const std::string other = "kernel f2c has no source";
  EXPECT_THAT(
      each_reason_once(
          {{"the runs at P = 4, 8 are too short (19 ms at most, 5 samples at least)"},
           {"the runs at P = 8 are too short (1.2 s at most, 1 sample at least)", other},
           {other + " file"}}),
      ElementsAre("the runs at P = 4, 8 are too short (19 ms at most, 5 samples at least) (and "
                  "likewise in 1 more of the 3 experiments)",
                  other, other + " file"));
  EXPECT_THAT(each_reason_once({{}, {}}), IsEmpty());
}

TEST(History, WhatElseDiffersIsSaid) {
  std::vector<Version> versions = planted(8, 99);
  for (RunProfile& run : versions[5].runs) {
    run.program = "another";
    run.hosts[0].cpu_model = "newer CPU";
    run.mpi_library = "MPI 5";
  }
  for (RunProfile& run : versions[7].runs) run.mpi_library = "MPI 6";
  const History history = make_history(versions);
  EXPECT_THAT(history.warnings,
              ElementsAre(HasSubstr("different programs (another, planted)"),
                          HasSubstr("different processors (newer CPU, planted CPU)"),
                          HasSubstr("different MPI libraries (MPI 5, MPI 6)")));
  EXPECT_EQ(history.program, "planted") << "that of the newest version";
}

TEST(Versions, AreNamedByVariableOrBuild) {
  RunProfile run = synthetic::profile(one_run());
  EXPECT_EQ(version_of(run), "");
  run.kernels[0].build_id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";  // may be a library's
  EXPECT_EQ(version_of(run), "");
  run.build_id = "89abcdef0123456789abcdef0123456789abcdef";
  EXPECT_EQ(version_of(run), "89abcdef01");
  EXPECT_EQ(version_of(run, "nightly"), "nightly");
  run.environment["CI_COMMIT_SHA"] = "fedcba9876543210fedcba9876543210fedcba98";
  EXPECT_EQ(version_of(run, "nightly"), "fedcba9876");
  run.environment["GITHUB_SHA"] = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f";
  EXPECT_EQ(version_of(run), "0f0f0f0f0f");
  for (const char* name : {"release-2.1", "20260123114500"}) {  // no hashes: not shortened
    run.environment["APMT_VERSION"] = name;
    EXPECT_EQ(version_of(run), name);
  }
}

TEST(Versions, ComeInTheOrderOfTheirFirstRuns) {
  std::vector<NamedRun> runs;
  for (const auto& [version, day] :
       {std::pair("b", "02"), std::pair("a", "01"), std::pair("b", "03"), std::pair("", "04")}) {
    runs.push_back({synthetic::profile(one_run()), "folder"});
    runs.back().run.environment["APMT_VERSION"] = version;
    runs.back().run.started_at = "2026-01-" + std::string(day);
  }
  const std::vector<Version> versions = versions_of(runs);
  ASSERT_THAT(versions, SizeIs(3));
  EXPECT_EQ(versions[0].name, "a");
  EXPECT_EQ(versions[1].name, "b");
  EXPECT_THAT(versions[1].runs, SizeIs(2));
  EXPECT_EQ(versions[2].name, "folder");
  runs.back().folder.clear();
  EXPECT_THROW(versions_of(runs), InputError);
}

TEST(Versions, OfSeveralExperimentsBeginWithTheirEarliestRun) {
  // Version a is in both experiments, and the later experiment was given first.
  std::vector<NamedRun> runs;
  for (const auto& [version, day] :
       {std::pair("a", "09"), std::pair("b", "05"), std::pair("a", "01")}) {
    runs.push_back({synthetic::profile(one_run()), version});
    runs.back().run.started_at = "2026-01-" + std::string(day);
  }
  const std::vector<Version> versions = versions_of(runs);
  ASSERT_THAT(versions, SizeIs(2));
  EXPECT_EQ(versions[0].name, "a");
  EXPECT_EQ(make_history(versions).versions[0].since, "2026-01-01");
}

}  // namespace
}  // namespace apmt
