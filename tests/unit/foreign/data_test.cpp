// Tests of reading Extra-P's files: what they contain, what is refused, and that their data can be
// fitted.
#include "foreign/data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "foreign/names.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "# two call paths, two metrics\n"
    "PARAMETER p\n"
    "PARAMETER n\n"
    "POINTS ( 2 100 ) ( 4 100 )\n"
    "POINTS ((8) (100))\n"
    "METRIC time\n"
    "REGION main->sweep\n"
    "DATA 8 8.1\nDATA 4 4.1\nDATA 2 2.1\n"
    "REGION main->MPI_Allreduce\n"
    "DATA 0.1 0.1\nDATA 0.2 0.2\nDATA 0.3 0.3\n"
    "METRIC PAPI_TOT_INS\n"
    "REGION main->sweep\n"
    "DATA 8e9\nDATA 4e9\nDATA 2e9\n";

ForeignOptions of_x() {
  ForeignOptions options;
  options.program = "x";
  return options;
}

std::string message_of(const char* text, bool json_lines = false) {
  try {
    profiles_from(json_lines ? read_extrap_json_lines(text, "in") : read_extrap_text(text, "in"),
                  of_x());
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ForeignData, TextGivesEveryValueWithItsPoint) {
  const std::vector<ForeignValues> values = read_extrap_text(kText, "in");
  ASSERT_EQ(values.size(), 9u);
  EXPECT_EQ(values[4].callpath, "main->MPI_Allreduce");
  EXPECT_EQ(values[4].metric, "time");
  EXPECT_EQ(values[4].params.size(), 2u);
  EXPECT_EQ(values[4].params.at("n"), 100);
  EXPECT_EQ(values[4].params.at("p"), 4);
  EXPECT_EQ(values[1].values, (std::vector<double>{4, 4.1}));
  EXPECT_EQ(values[8].metric, "PAPI_TOT_INS");
}

TEST(ForeignData, KernelsCountersAndCommunicationAreToldApart) {
  const std::vector<RunProfile> runs = profiles_from(read_extrap_text(kText, "in"), of_x());
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[3].kernels[0].counters.count("instructions"), 0u) << "counted once";
  EXPECT_DOUBLE_EQ(runs[3].times.wall_s.per_rank[0], 4.3);
  const RunProfile& run = runs[2];
  EXPECT_NO_THROW(run.check("x"));
  EXPECT_EQ(run.config.procs, 4);
  EXPECT_EQ(run.config.params.size(), 1u);
  EXPECT_EQ(run.config.params.at("n"), 100);
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_EQ(run.kernels[0].name, "main->sweep");
  EXPECT_DOUBLE_EQ(run.kernels[0].counters.at("cpu_s").total(), 4);
  EXPECT_DOUBLE_EQ(run.kernels[0].counters.at("instructions").total(), 4e9);
  EXPECT_DOUBLE_EQ(run.times.mpi_coll_s.per_rank[0], 0.2);
  EXPECT_DOUBLE_EQ(run.times.mpi_p2p_s.per_rank[0], 0);
  EXPECT_DOUBLE_EQ(run.times.wall_s.per_rank[0], 4.2);
}

TEST(ForeignData, ValuesBeyondTheTimesThatAllCallPathsHaveAreNamed) {
  std::vector<std::string> left_out;
  const std::vector<RunProfile> runs = profiles_from(
      read_extrap_text("PARAMETER p\nPOINTS 4\nMETRIC time\nREGION main\nDATA 8 9 10\n"
                       "REGION sweep\nDATA 4 5\nMETRIC visits\nREGION sweep\nDATA 1 1 1 1\n",
                       "in"),
      of_x(), &left_out);
  EXPECT_EQ(runs.size(), 2u);
  EXPECT_EQ(left_out, (std::vector<std::string>{"1 value of 'time' in 'main' at 4 processes",
                                                "2 values of 'visits' in 'sweep' at 4 processes"}));
}

TEST(ForeignData, JsonLinesOfOneTotalArePredictedFrom) {
  const std::string text =
      "{\"params\":{\"p\":1},\"value\":[64, 64]}\n"
      "{\"params\":{\"p\":2},\"value\":[32, 32]}\n"
      "{\"params\":{\"p\":4},\"value\":[16, 16]}\n";
  const std::vector<RunProfile> runs = profiles_from(read_extrap_json_lines(text, "in"), of_x());
  ASSERT_EQ(runs.size(), 6u);
  const Experiment experiment = make_experiment(runs);
  EXPECT_TRUE(experiment.warnings.empty()) << experiment.warnings.front();
  const Model model = fit(experiment, synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 32, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.time_s, 2, 1e-3);
}

TEST(ForeignData, SizesGetNamesThatWorkAndSetAccept) {
  std::vector<ForeignValues> values = {
      {"",
       "time",
       {{"num-procs", 4},
        {"mesh-size", 1},
        {"gr\xC3\xB6\xC3\x9F"
         "e",
         2}},
       {1}},
      {"", "time", {{"num-procs", 4}, {"2n", 3}, {"log2", 4}, {"my size", 5}}, {1}}};
  const std::map<std::string, std::string> renamed = rename_sizes(&values, "num-procs");
  EXPECT_EQ(renamed.size(), 4u);
  EXPECT_EQ(values[0].params,
            (std::map<std::string, double>{{"num-procs", 4}, {"mesh_size", 1}, {"gr__e", 2}}));
  EXPECT_EQ(values[1].params, (std::map<std::string, double>{
                                  {"num-procs", 4}, {"_2n", 3}, {"log2", 4}, {"my_size", 5}}));
  values = {{"", "time", {{"p", 4}, {"a-b", 1}, {"a_b", 2}}, {1}}};
  EXPECT_THROW(rename_sizes(&values, "p"), InputError);
}

TEST(ForeignData, AMetricMayStateAnotherUnitThanSeconds) {
  EXPECT_EQ(other_unit_in("runtime [ms]"), "ms");
  EXPECT_EQ(other_unit_in("time_us"), "us");
  EXPECT_EQ(other_unit_in("Time (Minutes)"), "minutes");
  EXPECT_EQ(other_unit_in("time/\xC2\xB5s"), "\xC2\xB5s");
  for (const char* seconds : {"time", "runtime [s]", "min time", "items", "status"})
    EXPECT_EQ(other_unit_in(seconds), "") << seconds;
}

TEST(ForeignData, SummedValuesAreSharedOut) {
  ForeignOptions summed = of_x();
  summed.summed = true;
  const std::vector<RunProfile> runs =
      profiles_from(read_extrap_text("PARAMETER p\nPOINTS 4\nREGION main\nDATA 8\n", "in"), summed);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_DOUBLE_EQ(runs[0].times.wall_s.per_rank[0], 2);
}

TEST(ForeignData, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(message_of("PARAMETER p\nPOINTS 2 4\nREGION a\nDATA 1\nREGION b\n"),
            "in:5: expected a DATA line for each of the 2 points, found 1");
  EXPECT_EQ(message_of("PARAMETER p\nPOINTS 2\nREGION a\nDATA 1\nDATA 2\n"),
            "in:5: more DATA lines than the 1 point");
  EXPECT_EQ(message_of("PARAMETER p n\nPOINTS 2 4 8\n"),
            "in:2: expected 2 coordinates for each point, found 3 numbers");
  EXPECT_EQ(message_of("PARAMETER p\nPOINTS two\n"), "in:2: expected a number, found 'two'");
  EXPECT_EQ(message_of("HELLO world\n"),
            "in:1: expected PARAMETER, POINTS, METRIC, REGION or DATA, found 'HELLO'");
  EXPECT_EQ(message_of(R"({"params":{"x":2},"value":1})", true),
            "it is not clear which parameter is the number of processes");
  EXPECT_EQ(message_of(R"({"params":{"p":2.5},"value":1})", true),
            "in:1: expected a whole number of processes in 'p', found 2.5");
  EXPECT_EQ(message_of(R"({"params":{"p":2},"value":-1})", true),
            "in:1: expected values that are not negative, found -1 for the whole program");
  EXPECT_EQ(
      message_of("{\"params\":{\"p\":2},\"value\":1}\n{\"params\":{\"p\":4},\"value\":[]}", true),
      "in:2: has no value in 'value'");
  EXPECT_EQ(message_of(""), "no measurement in the file");
}

/// The times 3.4, 1.8 and 1.8 have only two digits. It is by chance that a + b log2(P)/P passes
/// through them exactly.
TEST(ForeignData, ACoincidenceOfRoundedTotalsIsNoLaw) {
  std::vector<RunProfile> runs;
  for (const auto& [procs, time_s] : {std::pair(1, 3.4), {2, 1.8}, {4, 1.8}})
    runs.push_back(profile_of_total("rounded", procs, 1, time_s));
  const Model model = fit(make_experiment(std::move(runs)), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 8, .params = {}, .scaling = {}});
  EXPECT_LT(p.time.time_s, 1.8);
  EXPECT_GT(p.time.high_s / p.time.low_s, 1.2);
}

/// These values were not repeated. So their scatter is unknown, although 1/P passes through them
/// exactly.
TEST(ForeignData, SingleValuesHaveAnIntervalOfSomeWidth) {
  std::vector<RunProfile> runs;
  for (const auto& [procs, time_s] : {std::pair(1, 1.8), {2, 0.9}, {4, 0.45}})
    runs.push_back(profile_of_total("halved", procs, 1, time_s));
  const Model model = fit(make_experiment(std::move(runs)), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 8, .params = {}, .scaling = {}});
  EXPECT_GT(p.time.high_s / p.time.low_s, 1.03);
  EXPECT_NEAR(p.time.time_s, 0.225, 0.1 * 0.225);
}

TEST(ForeignData, EveryMpiCallIsOfThePartThatTheRecorderGivesIt) {
  const std::map<std::string, Column RankTimes::*> parts = {
      {"kPointToPoint", &RankTimes::mpi_p2p_s}, {"kCompletion", &RankTimes::mpi_p2p_s},
      {"kCollective", &RankTimes::mpi_coll_s},  {"kRooted", &RankTimes::mpi_coll_s},
      {"kOneSided", &RankTimes::mpi_other_s},   {"kIo", &RankTimes::mpi_other_s},
      {"kOther", &RankTimes::mpi_other_s}};
#define APMT_CALL(name, op_class, ...) \
  EXPECT_EQ(part_of_operation("MPI_" #name), parts.at(#op_class)) << #name;
#define APMT_CALL_C(name, op_class, ...)                                    \
  EXPECT_EQ(part_of_operation("MPI_" #name), parts.at(#op_class)) << #name; \
  EXPECT_EQ(part_of_operation("MPI_" #name "_c"), parts.at(#op_class)) << #name;
#define APMT_CALL_WIDE(name, op_class, ...) \
  EXPECT_EQ(part_of_operation("MPI_" #name), parts.at(#op_class)) << #name;
#include "pmpi-shim/mpi_calls.def"
}

TEST(ForeignData, OfTotalsNobodyIsToldPartsOrWhatBoundsThem) {
  std::vector<RunProfile> runs;
  for (const int p : {2, 4, 8, 16}) runs.push_back(profile_of_total("x", p, 1, 10.0 / p + 1));
  const Model model = fit(make_experiment(std::move(runs)), synthetic::fit_options());
  EXPECT_TRUE(knows_only_wholes(model));
  EXPECT_TRUE(model.backtest.possible) << "elapsed times can be compared";
  const Prediction said = predict(model, {.procs = 64, .params = {}, .scaling = {}});
  EXPECT_EQ(said.bound, "unknown");
  const Json json = to_json(said);
  EXPECT_TRUE(json.at("parts").at("comp_s").is_null());
  EXPECT_TRUE(json.at("parts").at("comm_coll_s").is_null());
  EXPECT_TRUE(json.at("missing").empty()) << "no part is missing from the total";
  EXPECT_TRUE(json.at("kernels").empty());
}

TEST(ForeignData, ATimeOfNothingIsRefused) {
  EXPECT_EQ(message_of("PARAMETER p\nPOINTS 2 4 8\nMETRIC time\nREGION all\n"
                       "DATA 8\nDATA 0\nDATA 2\n"),
            "in:6: no time at 4 processes: a run takes some");
}

}  // namespace
}  // namespace apmt
