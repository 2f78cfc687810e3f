// Exported measurements contain what was measured, and an import returns them unchanged.
#include "fitter/foreign_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::halo_run;
using testing::Contains;
using testing::HasSubstr;

std::vector<RunProfile> runs() {
  std::vector<RunProfile> list;
  for (const int p : {2, 4, 8})
    for (int r = 1; r <= 2; ++r) {
      synthetic::PlantedRun planted = halo_run(p, r);
      planted.kernel_s["sweep"] *= 1 + 0.01 * r;
      RunProfile run = synthetic::profile(planted);
      run.mpi[0].time_s = planted.p2p_s * p;
      run.mpi[1].time_s = planted.coll_s * p;
      list.push_back(run);
    }
  return list;
}

const ForeignValues* find(const std::vector<ForeignValues>& values, const std::string& path,
                          const std::string& metric, double p) {
  for (const ForeignValues& v : values)
    if (v.callpath == path && v.metric == metric && v.params.at("p") == p) return &v;
  return nullptr;
}

TEST(Export, MeansOverRanksOfEveryRepetition) {
  const auto values = values_of(make_experiment(runs()), ExportOf::kParts);
  const ForeignValues* sweep = find(values, "main->sweep", "time", 4);
  ASSERT_NE(sweep, nullptr);
  ASSERT_EQ(sweep->values.size(), 2u);
  EXPECT_NEAR(sweep->values[0], 10 * 1.01, 1e-6);
  EXPECT_NEAR(sweep->values[1], 10 * 1.02, 1e-6);
  EXPECT_EQ(sweep->params.at("n"), 1024);
  EXPECT_NEAR(find(values, "main->MPI_Isend", "calls", 4)->values[0], 100 * 2 * 3 / 4.0, 1e-9);
  const auto total = values_of(make_experiment(runs()), ExportOf::kTotal);
  EXPECT_EQ(total.size(), 3u);
  EXPECT_EQ(total[0].callpath, "main");
}

TEST(Export, WhatARunNeverSampledTookNoTimeInIt) {
  std::vector<RunProfile> list = runs();
  std::erase_if(list[3].kernels, [](const KernelProfile& k) { return k.name == "sweep"; });
  const auto values = values_of(make_experiment(list), ExportOf::kParts);
  const ForeignValues* sweep = find(values, "main->sweep", "time", 4);
  ASSERT_NE(sweep, nullptr) << "seen in one of two runs";
  EXPECT_GT(sweep->values.at(0), 1);
  EXPECT_EQ(sweep->values.at(1), 0);
  list[3].grade = Grade::kD;
  EXPECT_EQ(find(values_of(make_experiment(list), ExportOf::kParts), "main->sweep", "time", 4),
            nullptr)
      << "a run that could not be sampled says nothing of functions";
}

TEST(Export, ComesBackThroughImport) {
  const Experiment before = make_experiment(runs());
  const auto values = values_of(before, ExportOf::kParts);
  std::vector<std::string> left_out;
  const std::vector<std::vector<ForeignValues>> read_back = {
      read_extrap_json_lines(to_extrap_json_lines(values), "lines"),
      read_extrap_text(to_extrap_text(values, &left_out), "text")};
  EXPECT_TRUE(left_out.empty());
  for (const auto& again : read_back) {
    ForeignOptions options;
    options.program = "planted";
    const Experiment after = make_experiment(profiles_from(again, options));
    ASSERT_EQ(after.points.size(), before.points.size());
    for (std::size_t i = 0; i < before.points.size(); ++i) {
      EXPECT_EQ(after.points[i].procs, before.points[i].procs);
      EXPECT_EQ(after.points[i].params, before.points[i].params);
      EXPECT_EQ(after.points[i].parts.comp_s->repetitions, 2);
      for (const auto part :
           {&MeasuredParts::comp_s, &MeasuredParts::comm_p2p_s, &MeasuredParts::comm_coll_s})
        EXPECT_NEAR((after.points[i].parts.*part)->value, (before.points[i].parts.*part)->value,
                    1e-8);
    }
  }
}

TEST(Export, WhatWasImportedKeepsEveryNumber) {
  // Values as read from files of Score-P, mpiP, TALP and Caliper: kernels by region, MPI
  // operations.
  std::vector<ForeignValues> values;
  for (const double p : {4.0, 27.0}) {
    const std::map<std::string, double> params = {{"p", p}, {"size", 30}};
    values.push_back({"main", "time", params, {1.0 / 3 / p, 0.1}});
    values.push_back({"main->solve (int)", "time", params, {2.0 / 7, 1e-7}});
    values.push_back({"main->solve (int)", "PAPI_TOT_INS", params, {123456789.0, 5}});
    values.push_back({"main->MPI_Send", "time", params, {0.3, 0.7}});
    values.push_back({"main->MPI_Allreduce", "time", params, {0.1 / 3, 0.2}});
    values.push_back({"main->MPI_ (not listed)", "time", params, {0.011, 0.013}});
  }
  const ForeignOptions options{.program = "planted"};
  const Experiment before = make_experiment(profiles_from(values, options));
  const std::string text = to_extrap_json_lines(values_of(before, ExportOf::kParts));
  const Experiment after =
      make_experiment(profiles_from(read_extrap_json_lines(text, "lines"), options));
  ASSERT_EQ(after.runs.size(), 4u);
  for (std::size_t r = 0; r < after.runs.size(); ++r) {
    Json again = to_json(after.runs[r]);
    Json first = to_json(before.runs[r]);
    EXPECT_EQ(again, first) << r;
  }
}

TEST(Export, TimesInMpiOfOversubscribedRunsAreNoTimes) {
  std::vector<RunProfile> oversubscribed = runs();
  for (RunProfile& run : oversubscribed) run.config.oversubscribed = run.config.procs == 8;
  const auto values = values_of(make_experiment(oversubscribed), ExportOf::kParts);
  EXPECT_NE(find(values, "main->MPI_Isend", "time", 4), nullptr);
  EXPECT_EQ(find(values, "main->MPI_Isend", "time", 8), nullptr);
  EXPECT_NE(find(values, "main->MPI_Isend", "calls", 8), nullptr);
  std::vector<std::string> left_out;
  const std::string text = to_extrap_text(values, &left_out);
  EXPECT_THAT(left_out, Contains("main->MPI_Isend (time)"));
  EXPECT_THAT(text, HasSubstr("PARAMETER n\nPARAMETER p\nPOINTS ( 1024 2 ) ( 1024 4 ) ( 1024 8 )"));
}

TEST(Export, TwoFunctionsOfOneNameStayApart) {
  std::vector<RunProfile> list = runs();
  for (RunProfile& run : list) {
    run.kernels.push_back(run.kernels[0]);
    run.kernels.back().id.source = "other.cpp";
  }
  const auto values = values_of(make_experiment(list), ExportOf::kParts);
  const std::string name = list[0].kernels[0].name;
  EXPECT_NE(find(values, "main->" + name + " [other.cpp]", "time", 2), nullptr);
  EXPECT_NE(find(values, "main->" + name + " [planted.cpp]", "time", 2), nullptr);
}

}  // namespace
}  // namespace apmt
