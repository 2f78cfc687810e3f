// Tests that exported measurements contain what was measured and that an import returns them
// unchanged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "foreign/export.h"
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

void expect_equal(const std::vector<ForeignValues>& a, const std::vector<ForeignValues>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].callpath, b[i].callpath);
    EXPECT_EQ(a[i].metric, b[i].metric);
    EXPECT_EQ(a[i].params, b[i].params);
    EXPECT_EQ(a[i].values, b[i].values) << a[i].callpath << " " << a[i].metric;
  }
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
      << "a run without samples has no functions";
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
    // Calls and bytes of MPI operations belong to no part of the time, but must not be lost either.
    expect_equal(values_of(after, ExportOf::kParts), values);
    EXPECT_NE(find(values_of(after, ExportOf::kParts), "main->MPI_Isend", "calls", 8), nullptr);
    EXPECT_NE(find(values_of(after, ExportOf::kParts), "main->MPI_Isend", "bytes", 8), nullptr);
  }
}

TEST(Export, WhatWasImportedKeepsEveryNumber) {
  // Values as read from files of Score-P, mpiP, TALP and Caliper (kernels by region, MPI
  // operations) and from Extra-P's files (metrics of every kind), in the order of the export.
  std::vector<ForeignValues> values;
  const auto add = [&](const char* path, const char* metric, std::vector<double> repetitions) {
    for (const double p : {4.0, 27.0}) {
      for (double& x : repetitions) x *= 1 + p / 7;
      values.push_back({path, metric, {{"p", p}, {"size", 30}}, repetitions});
    }
  };
  add("main", "memory", {1.5});  // measured in the first repetition only
  add("main", "time", {1.0 / 3, 0.1});
  add("main->MPI_ (not listed)", "time", {0.011, 0.013});
  add("main->MPI_Allreduce", "bytes", {81.0, 1e9 / 3});
  add("main->MPI_Allreduce", "calls", {100.25, 0});
  add("main->MPI_Allreduce", "time", {0.1 / 3, 0.2});
  add("main->MPI_Send", "time", {0.3, 0.7});
  add("main->solve (int)", "PAPI_FP_OPS", {0, 0});
  add("main->solve (int)", "PAPI_TOT_INS", {123456789.0, 5});
  add("main->solve (int)", "time", {2.0 / 7, 1e-7});
  const ForeignOptions options{.program = "planted"};
  const Experiment before = make_experiment(profiles_from(values, options));
  std::vector<std::string> left_out;
  const std::vector<ForeignValues> exported = values_of(before, ExportOf::kParts, &left_out);
  EXPECT_TRUE(left_out.empty());
  expect_equal(exported, values);
  for (const std::vector<ForeignValues>& read :
       {read_extrap_json_lines(to_extrap_json_lines(exported), "lines"),
        read_extrap_text(to_extrap_text(exported, &left_out), "text")}) {
    const Experiment after = make_experiment(profiles_from(read, options));
    ASSERT_EQ(after.runs.size(), 4u);
    for (std::size_t r = 0; r < after.runs.size(); ++r)
      EXPECT_EQ(to_json(after.runs[r]), to_json(before.runs[r])) << r;
  }
  EXPECT_TRUE(left_out.empty());
}

TEST(Export, ATotalKeepsWhatElseWasMeasured) {
  const std::vector<ForeignValues> values = {{"", "energy", {{"p", 2}}, {7.0 / 3, 2}},
                                             {"", "time", {{"p", 2}}, {1.0 / 3, 0.4}}};
  const ForeignOptions options{.program = "planted"};
  const Experiment before = make_experiment(profiles_from(values, options));
  expect_equal(values_of(before, ExportOf::kParts), values);
  std::vector<std::string> left_out;
  const auto read = read_extrap_text(to_extrap_text(values, &left_out), "text");
  expect_equal(values_of(make_experiment(profiles_from(read, options)), ExportOf::kParts), values);
}

/// Three runs at 4 processes, from three files; the second never entered "solve".
std::vector<RunProfile> runs_of_files() {
  const auto value = [](const char* path, const char* metric, double x, std::size_t file) {
    return ForeignValues{path, metric, {{"p", 4}}, {x}, file};
  };
  return profiles_from({value("main", "time", 1, 0), value("main", "PAPI_TOT_INS", 10, 0),
                        value("solve", "time", 5, 0), value("solve", "PAPI_TOT_INS", 50, 0),
                        value("main", "time", 2, 1), value("main", "PAPI_TOT_INS", 20, 1),
                        value("main", "time", 3, 2), value("main", "PAPI_TOT_INS", 30, 2),
                        value("solve", "time", 7, 2), value("solve", "PAPI_TOT_INS", 70, 2)},
                       {.program = "planted"});
}

TEST(Export, AnImportedRunTookNoTimeInWhatItNeverEntered) {
  std::vector<std::string> left_out;
  const auto values = values_of(make_experiment(runs_of_files()), ExportOf::kParts, &left_out);
  EXPECT_TRUE(left_out.empty());
  EXPECT_EQ(find(values, "main", "time", 4)->values, (std::vector<double>{1, 2, 3}));
  ASSERT_NE(find(values, "solve", "time", 4), nullptr);
  EXPECT_EQ(find(values, "solve", "time", 4)->values, (std::vector<double>{5, 0, 7}));
  EXPECT_EQ(find(values, "solve", "PAPI_TOT_INS", 4)->values, (std::vector<double>{50, 0, 70}));
}

TEST(Export, AMeasurementThatAPointLacksIsNotMadeUp) {
  const std::vector<ForeignValues> values = {{"main", "time", {{"p", 2}}, {1, 2}},
                                             {"main", "time", {{"p", 4}}, {1, 2}},
                                             {"solve", "time", {{"p", 4}}, {3, 4}}};
  const Experiment e = make_experiment(profiles_from(values, {.program = "planted"}));
  expect_equal(values_of(e, ExportOf::kParts), values);
}

TEST(Export, CountsThatAnEarlierRepetitionLacksAreNamed) {
  std::vector<RunProfile> list = runs_of_files();
  std::erase_if(list[0].imported,
                [](const ImportedValue& v) { return v.metric == "PAPI_TOT_INS"; });
  std::vector<std::string> left_out;
  const auto values = values_of(make_experiment(list), ExportOf::kParts, &left_out);
  EXPECT_EQ(left_out, (std::vector<std::string>{"main (PAPI_TOT_INS)", "solve (PAPI_TOT_INS)"}));
  EXPECT_EQ(find(values, "main", "PAPI_TOT_INS", 4), nullptr);
  EXPECT_NE(find(values, "main", "time", 4), nullptr);
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

TEST(Export, TheTextFormatNeedsTheSameParametersAtEveryPoint) {
  const std::vector<ForeignValues> values = {{"main", "time", {{"p", 2}}, {1}},
                                             {"main", "time", {{"p", 4}, {"size", 30}}, {1}}};
  std::vector<std::string> left_out;
  try {
    to_extrap_text(values, &left_out);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("different parameters: p, size and p"));
    EXPECT_THAT(error.hint(), HasSubstr("--format jsonl"));
  }
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
