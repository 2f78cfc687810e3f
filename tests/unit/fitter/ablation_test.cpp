// Tests of the bench that measures what each mechanism of the model is worth: turning off any of
// them must change a prediction, and the comparison must be paired and repeatable.
#include "bench/fitter/ablation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt::bench {
namespace {

/// Ranks compute for different times and wait for each other in MPI_Alltoall and MPI_Allgather. How
/// long they wait is known, because every call was recorded as an instance. MPI takes longer to
/// start on several processes than on one.
AblationSet uneven_set() {
  const auto runs = [](const std::vector<int>& counts) {
    std::vector<RunProfile> list;
    for (const int procs : counts)
      for (int repetition = 1; repetition <= 2; ++repetition) {
        const double noise = repetition == 1 ? 1 : 1.02;
        synthetic::PlantedRun run;
        run.procs = procs;
        run.repetition = repetition;
        run.sample_s = 1e-6;
        run.kernel_s = {{"work", noise * 4 / procs}};
        const int part = (procs + 1) / 2;
        const double exchange_s = 0.5 / procs;
        const double small_s = 0.02 * std::log2(1 + part);  // along a tree
        run.coll_s = procs == 1 ? 0 : noise * (exchange_s + small_s);
        run.others_s = procs == 1 ? 0.01 : noise * 0.05;
        RunProfile p = profile(run);
        p.times.mpi_s.per_rank[0] -= 0.8 * run.coll_s;  // computes longer, and waits less
        p.times.mpi_coll_s.per_rank[0] -= 0.8 * run.coll_s;
        p.kernels.front().counters["cpu_s"].samples[0] +=
            static_cast<std::uint64_t>(0.8 * run.coll_s / run.sample_s);
        for (const auto& [op, seconds] :
             {std::pair("MPI_Alltoall", exchange_s), {"MPI_Allgather", small_s}}) {
          MpiRow row;
          row.op = op;
          row.op_class = "collective";
          row.comm_size = op == std::string("MPI_Alltoall") ? procs : part;
          row.calls = static_cast<std::uint64_t>(procs);
          row.time_s = seconds / (exchange_s + small_s) * p.times.mpi_coll_s.total();
          p.mpi.push_back(row);
        }
        p.communication.coll_wait_s = 0.5 * run.coll_s;
        p.communication.coll_wait_coverage = 1;
        list.push_back(std::move(p));
      }
    return list;
  };
  return {"uneven", {{"uneven", runs({1, 2, 4, 8}), runs({32})}}};
}

AblationSet first(std::size_t cases, AblationSet set) {
  set.cases.resize(cases);
  return set;
}

const std::vector<AblationSet>& small_sets() {
  static const std::vector<AblationSet> kSets = {planted_set("strong, instructions", 2, 1),
                                                 planted_set("strong", 2, 1), failing_set(1),
                                                 first(4, published_set(4)), uneven_set()};
  return kSets;
}

const std::vector<std::vector<Judged>>& with_all() {
  static const std::vector<std::vector<Judged>> kJudged = [] {
    std::vector<std::vector<Judged>> judged;
    for (const AblationSet& set : small_sets()) judged.push_back(judge(set, {}));
    return judged;
  }();
  return kJudged;
}

TEST(Ablation, EverySwitchChangesAPrediction) {
  for (const Mechanism& mechanism : all_mechanisms()) {
    Mechanisms on;
    on.*mechanism.is_on = false;
    bool changes = false;
    for (std::size_t i = 0; i < small_sets().size() && !changes; ++i)
      changes = judge(small_sets()[i], on) != with_all()[i];
    EXPECT_TRUE(changes) << mechanism.name;
  }
}

TEST(Ablation, AllMechanismsAreInForceAgainAfterwards) {
  Mechanisms none;
  none.plain_laws = none.message_counts = none.outliers = false;
  for (std::size_t i = 0; i < small_sets().size(); ++i) {
    judge(small_sets()[i], none);
    EXPECT_TRUE(mechanisms().plain_laws && mechanisms().message_counts && mechanisms().outliers);
    EXPECT_EQ(judge(small_sets()[i], {}), with_all()[i]) << small_sets()[i].name;
  }
}

TEST(Ablation, EverySetHasPointsBeyondTheModel) {
  for (std::size_t i = 0; i < small_sets().size(); ++i) {
    EXPECT_GE(with_all()[i].size(), small_sets()[i].cases.size()) << small_sets()[i].name;
    for (const Judged& point : with_all()[i]) EXPECT_TRUE(std::isfinite(point.score));
  }
}

TEST(Ablation, FoldersWithoutRecordingsAreAnError) {
  EXPECT_THROW(recorded_set(source_dir(), false), std::runtime_error);
}

TEST(Paired, AMeanOfLikeProgramsHasNoSpread) {
  const MeanOfPrograms mean =
      mean_over_programs({{"a", 0.1, 1, 1}, {"a", 0.3, 1, 1}, {"b", 0.2, 1, 1}}, &Judged::error);
  EXPECT_NEAR(mean.mean, 0.2, 1e-12);
  EXPECT_NEAR(mean.low, 0.2, 1e-12);
  EXPECT_NEAR(mean.high, 0.2, 1e-12);
}

/// The errors of n programs are 0 or 1 with even odds, so the standard deviation of their mean is 1
/// / (2 sqrt n). Several points of each program do not change this, because here all points of a
/// program have the same error.
TEST(Paired, TheSpreadIsThatOfProgramsNotOfPoints) {
  std::vector<Judged> points;
  constexpr int kPrograms = 100, kPointsOfEach = 4;
  for (int i = 0; i < kPrograms; ++i)
    for (int j = 0; j < kPointsOfEach; ++j)
      points.push_back({std::to_string(i), i % 2 == 0 ? 1.0 : 0.0, 0, 0});
  const MeanOfPrograms mean = mean_over_programs(points, &Judged::error);
  EXPECT_DOUBLE_EQ(mean.mean, 0.5);
  EXPECT_NEAR(mean.low, 0.5 - 1.2816 * 0.05, 0.015);
  EXPECT_NEAR(mean.high, 0.5 + 1.2816 * 0.05, 0.015);
}

TEST(Paired, DifferencesAreOfTheSamePoints) {
  const std::vector<Judged> a = {{"a", 0.5, 2, 1}, {"b", 0.25, 1, 0}};
  const std::vector<Judged> b = {{"a", 0.25, 3, 0}, {"b", 0.25, 1, 1}};
  const std::vector<Judged> expected = {{"a", 0.25, -1, 1}, {"b", 0, 0, -1}};
  EXPECT_EQ(differences(a, b), expected);
  EXPECT_THROW(differences(a, {a[0]}), std::logic_error);
  EXPECT_THROW(differences(a, {a[1], a[0]}), std::logic_error);
}

TEST(Paired, ATimeOutsideItsIntervalScoresMore) {
  const Judged inside = judged("a", {.predicted = {2, 1, 4}, .measured_s = 2});
  EXPECT_EQ(inside.covered, 1);
  EXPECT_NEAR(inside.error, 0, 1e-12);
  EXPECT_NEAR(inside.score, std::log(4), 1e-12);
  const Judged outside = judged("a", {.predicted = {2, 1, 4}, .measured_s = 8});
  EXPECT_EQ(outside.covered, 0);
  EXPECT_NEAR(outside.error, std::log(4), 1e-12);
  EXPECT_NEAR(outside.score, std::log(4) + 10 * std::log(2), 1e-12);
}

}  // namespace
}  // namespace apmt::bench
