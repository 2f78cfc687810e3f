// Tests of reading files of Caliper, Extra-P and TALP, and of joining files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "tests/unit/foreign/reading.h"

namespace apmt {
namespace {

using testing::HasSubstr;

TEST(Joined, ProgramsThatDifferWantAName) {
  const std::vector<ForeignFile> files = {{"one", {}}, {"", {}}, {"other", {}}};
  EXPECT_THROW(joined(files, ""), InputError);
  EXPECT_EQ(joined(files, "both").program, "both");
  EXPECT_THROW(joined({{"one", {}}, {"", {}}}, ""), InputError) << "the second may be of another";
  EXPECT_THROW(joined({{"", {}}, {"one", {}}}, ""), InputError);
  EXPECT_EQ(joined({{"", {}}, {"", {}}}, "").program, "") << "neither states one";
}

TEST(Joined, AProgramsNameHasNoSlash) {
  EXPECT_THROW(joined({{"", {}}}, "../evil"), InputError) << "folders are named after it";
}

TEST(Joined, ErrorsNameTheFile) {
  try {
    joined({{"", {}, {}, "a.cali"}}, "", {"zz"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.cali: has no metadata called 'zz'"));
  }
  const ForeignFile all = joined({{"", {{"main", "time", {{"p", 2}}, {-1}}}, {}, "a.cali"}}, "");
  try {
    profiles_from(all.values, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.cali: expected values that are not negative"));
  }
}

// From a LULESH run (github.com/LLNL/hatchet,
// hatchet/tests/data/caliper-lulesh-json/lulesh-annotation-profile.json): two of its eight ranks,
// three of its regions.
constexpr const char* kCaliper = R"({
  "data": [[21948.0, 0, 21948.0, null], [23349.0, 1, 23349.0, null],
           [500.0, 0, 100.5, 0], [700.0, 1, 300.5, 0], [400.0, 0, 400.0, 2], [80.0, 1, null, 1]],
  "columns": ["inclusive#sum#time.duration", "mpi.rank", "sum#time.duration", "path"],
  "column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": true},
                      {"is_value": false}],
  "nodes": [{"column": "path", "label": "main"},
            {"column": "path", "label": "LagrangeLeapFrog", "parent": 0},
            {"column": "path", "label": "MPI_Barrier", "parent": 1}]})";

TEST(Caliper, RegionsAreMeansOverRanks) {
  const ForeignFile file = read_foreign(kCaliper, "profile.json", {"us"});
  ASSERT_EQ(file.values.size(), 3u);
  EXPECT_EQ(file.values[0].params, (std::map<std::string, double>{{"p", 2}}));
  EXPECT_DOUBLE_EQ(find(file, "(no region)")->values.at(0), (21948 + 23349) * 1e-6 / 2);
  EXPECT_DOUBLE_EQ(find(file, "main")->values.at(0), (100.5 + 300.5) * 1e-6 / 2);
  // Only one rank entered this region; the other spent no time there.
  EXPECT_DOUBLE_EQ(find(file, "main->LagrangeLeapFrog->MPI_Barrier")->values.at(0), 400e-6 / 2);
  const RunProfile run = profiles_from(file.values, {.program = "lulesh"}).at(0);
  EXPECT_DOUBLE_EQ(run.times.mpi_coll_s.per_rank.at(0), 200e-6);
}

TEST(Caliper, AProfileWithoutProcessesIsWarnedAbout) {
  EXPECT_TRUE(read_foreign(kCaliper, "a.json", {"us"}).warnings.empty());
  std::string text = kCaliper;
  text.replace(text.find("mpi.rank"), 8, "any.rank");
  const ForeignFile file = joined({read_foreign(text, "a.json", {"us"})}, "");
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0], HasSubstr("a.json states no number of processes"));
}

TEST(Caliper, AUnitIsStatedOrAskedFor) {
  EXPECT_THAT(refusal(kCaliper, "a.json"),
              HasSubstr("a.json:/column_metadata/2: the unit of the times is not stated"));
  std::string text = kCaliper;
  const std::string third = R"({"is_value": true},
                      {"is_value": false})";
  text.replace(text.find(third), third.size(),
               R"({"is_value": true, "attribute.unit": "sec"}, {"is_value": false})");
  EXPECT_DOUBLE_EQ(find(read_foreign(text, "a.json"), "main")->values.at(0), 401.0 / 2);
  EXPECT_THROW(read_foreign(text, "a.json", {"us"}), InputError);
}

TEST(Caliper, ProgramAndProcessesAreOfTheMetadata) {
  std::string text = kCaliper;
  text.insert(text.find('{') + 1,
              R"("mpi.world.size": "4", "executablepath": "/opt/bin/lulesh2.0",)");
  const ForeignFile file = read_foreign(text, "a.json", {"us"});
  EXPECT_EQ(file.program, "lulesh2.0");
  EXPECT_EQ(file.values[0].params.at("p"), 4);
}

TEST(Caliper, RowsThatDoNotFitAreNamed) {
  std::string text = kCaliper;
  text.replace(text.find("400.0, 2]"), 9, "400.0, 7]");
  EXPECT_THAT(refusal(text, "a.json"), HasSubstr("not stated"));
  try {
    read_foreign(text, "a.json", {"us"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.json:/data/4/3"));
  }
}

// From a LULESH run (github.com/LLNL/hatchet, the file in
// hatchet/tests/data/caliper-ordered-cali-mpi): five of its records with values, the records that
// they refer to, and a world size other than the file's.
constexpr const char* kCali = R"(__rec=node,id=12,attr=10,data=64,parent=3
__rec=node,id=13,attr=8,data=attribute.alias,parent=12
__rec=node,id=14,attr=8,data=attribute.unit,parent=12
__rec=node,id=129,attr=14,data=sec,parent=5
__rec=node,id=143,attr=13,data=Total time,parent=129
__rec=node,id=144,attr=10,data=65,parent=143
__rec=node,id=145,attr=8,data=sum#inclusive#sum#time.duration,parent=144
__rec=node,id=15,attr=8,data=spot.channel,parent=12
__rec=node,id=149,attr=15,data=regionprofile
__rec=ctx,ref=149,attr=145,data=0.000424
__rec=node,id=34,attr=10,data=268,parent=3
__rec=node,id=35,attr=8,data=region,parent=34
__rec=node,id=36,attr=35,data=main
__rec=ctx,ref=36=149,attr=145,data=1.264876
__rec=node,id=44,attr=10,data=268,parent=43
__rec=node,id=45,attr=8,data=mpi.function,parent=44
__rec=node,id=46,attr=45,data=MPI_Barrier,parent=36
__rec=ctx,ref=46=149,attr=145,data=0.000025
__rec=node,id=47,attr=8,data=loop,parent=34
__rec=node,id=48,attr=47,data=lulesh.cycle,parent=36
__rec=ctx,ref=48=149,attr=145,data=1.245757
__rec=node,id=49,attr=35,data=TimeIncrement,parent=48
__rec=ctx,ref=49=149,attr=145,data=0.000170
__rec=node,id=16,attr=10,data=588,parent=3
__rec=node,id=17,attr=8,data=mpi.world.size,parent=16
__rec=node,id=18,attr=8,data=executablepath,parent=16
__rec=node,id=230,attr=17,data=2
__rec=node,id=242,attr=18,data=/opt/a\,b/lulesh2.0
__rec=globals,ref=242=230
)";

TEST(Cali, InclusiveTimesBecomeExclusiveOnes) {
  const ForeignFile file = read_foreign(kCali, "run.cali");
  EXPECT_EQ(file.program, "lulesh2.0");
  ASSERT_EQ(file.values.size(), 5u);
  EXPECT_EQ(file.values[0].params, (std::map<std::string, double>{{"p", 2}}));
  EXPECT_DOUBLE_EQ(find(file, "(no region)")->values.at(0), 0.000424 / 2);
  EXPECT_NEAR(find(file, "main")->values.at(0), (1.264876 - 0.000025 - 1.245757) / 2, 1e-12);
  EXPECT_NEAR(find(file, "main->MPI_Barrier")->values.at(0), 0.000025 / 2, 1e-12);
  EXPECT_NEAR(find(file, "main->lulesh.cycle")->values.at(0), (1.245757 - 0.00017) / 2, 1e-12);
  double sum = 0;
  for (const ForeignValues& v : file.values) sum += v.values.at(0);
  EXPECT_NEAR(sum, (1.264876 + 0.000424) / 2, 1e-12);
}

TEST(Cali, ExclusiveTimesGoFirstAndWantAUnitWhereNoneIsStated) {
  std::string text = kCali;
  text +=
      "__rec=node,id=300,attr=8,data=sum#time.duration,parent=34\n"
      "__rec=ctx,ref=36,attr=300,data=7\n";
  EXPECT_THAT(refusal(text, "run.cali"), HasSubstr("the unit of the times is not stated"));
  const ForeignFile file = read_foreign(text, "run.cali", {"ms"});
  ASSERT_EQ(file.values.size(), 1u);
  EXPECT_DOUBLE_EQ(file.values[0].values.at(0), 7e-3 / 2);
}

TEST(Cali, RecordsThatDoNotFitAreNamed) {
  EXPECT_THAT(refusal("__rec=ctx,ref=1,attr=2,data=3\n", "a.cali"),
              HasSubstr("a.cali:1: refers to node 1, which is not there"));
  EXPECT_THAT(refusal("__rec=node,attr=8,data=x\n", "a.cali"), HasSubstr("expected one 'id'"));
  EXPECT_THAT(
      refusal("__rec=node,id=1,attr=2,data=a,parent=1\n__rec=ctx,ref=1,attr=1,data=3\n", "a.cali"),
      HasSubstr("form a circle"));
  EXPECT_THAT(refusal("__rec=node,id=1,attr=8,data=a\n", "a.cali"), HasSubstr("has no times"));
  std::string text = kCali;
  text.replace(text.find("1.245757"), 8, "1.2x");
  EXPECT_THAT(refusal(text, "a.cali"), HasSubstr("a.cali:21: expected a time, found '1.2x'"));
}

// The two forms of JSON in Extra-P's tests (tests/data/json of its sources), with fewer points.
TEST(ExtrapJson, BothFormsSayTheSame) {
  const std::string named = R"({"parameters": ["x", "y"], "measurements": {"sweep": {"time": [
      {"point": [4, 10], "values": [3.5, 3.25]}, {"point": [8, 20], "values": [5.5]}]}}})";
  const std::string numbered = R"({
      "callpaths": [{"id": 1, "name": "sweep"}],
      "coordinates": [
        {"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4},
                                            {"parameter_id": 2, "parameter_value": 10}]},
        {"id": 2, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 8},
                                            {"parameter_id": 2, "parameter_value": 20}]}],
      "measurements": [
        {"id": 1, "callpath_id": 1, "coordinate_id": 1, "metric_id": 1, "value": 3.5},
        {"id": 2, "callpath_id": 1, "coordinate_id": 1, "metric_id": 1, "value": 3.25},
        {"id": 3, "callpath_id": 1, "coordinate_id": 2, "metric_id": 1, "value": 5.5}],
      "metrics": [{"id": 1, "name": "time"}],
      "parameters": [{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]})";
  for (const std::string& text : {named, numbered}) {
    const ForeignFile file = read_foreign(text, "input.json");
    const std::vector<RunProfile> runs =
        profiles_from(file.values, {.program = "sweep", .procs_from = "x"});
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].config.procs, 4);
    EXPECT_EQ(runs[0].config.params, (std::map<std::string, double>{{"y", 10}}));
    EXPECT_EQ(runs[0].times.wall_s.per_rank, std::vector<double>{3.5});
    EXPECT_EQ(runs[1].times.wall_s.per_rank, std::vector<double>{3.25});
    EXPECT_EQ(runs[2].times.wall_s.per_rank, std::vector<double>{5.5});
  }
}

TEST(ExtrapJson, WhatDoesNotBelongTogetherIsNamed) {
  EXPECT_THAT(refusal(R"({"parameters": ["x"], "measurements": {"a": {"time": [
                         {"point": [4, 2], "values": [1]}]}}})",
                      "a.json"),
              HasSubstr("a.json:/measurements/a/time/0/point"));
  EXPECT_THAT(refusal(R"({"callpaths": [], "metrics": [], "parameters": [], "coordinates": [],
                          "measurements": [{"callpath_id": 3, "metric_id": 1, "coordinate_id": 1,
                                            "value": 1}]})",
                      "a.json"),
              HasSubstr("the id of one that the file has"));
  EXPECT_THAT(refusal("PK\x03\x04", "a.extra-p"), HasSubstr("is not a complete zip archive"));
}

// The figures are those of a run of 4 ranks on 56 cores each (github.com/bsc-pm/dlb,
// talp-pages/tests/example_files/genex/talp.4x56.json).
constexpr const char* kTalp = R"({
  "dlbVersion": "3.5a", "timestamp": "2024-09-05T21:00:38",
  "resources": {"numCpus": 224, "numNodes": 2, "numMpiRanks": 4},
  "Application": {
    "Application": {"numCpus": 224, "numMpiRanks": 4, "elapsedTime": 56128587524,
                    "usefulTime": 8017356252792, "mpiTime": 59496020691},
    "add": {"numCpus": 224, "numMpiRanks": 4, "elapsedTime": 173412257, "usefulTime": 37851906428,
            "mpiTime": 0}}})";

TEST(Talp, TimesAreSumsOverCpusAndTheElapsedTimeIsKept) {
  const ForeignFile file = read_foreign(kTalp, "talp.json");
  ASSERT_EQ(file.values.size(), 3u);
  EXPECT_EQ(file.values[0].params, (std::map<std::string, double>{{"p", 4}}));
  EXPECT_NEAR(find(file, "useful computation")->values.at(0), 8017.356252792 / 224, 1e-12);
  EXPECT_NEAR(find(file, "main->MPI_ (all calls)")->values.at(0), 59.496020691 / 224, 1e-12);
  double sum = 0;
  for (const ForeignValues& v : file.values) sum += v.values.at(0);
  EXPECT_NEAR(sum, 56.128587524, 1e-12);
}

TEST(Talp, AnotherRegionMayStandForTheRun) {
  const ForeignFile file = read_foreign(kTalp, "talp.json", {"", "add"});
  EXPECT_NEAR(find(file, "useful computation")->values.at(0), 37.851906428 / 224, 1e-12);
  try {
    read_foreign(kTalp, "talp.json", {"", "sub"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("region 'sub'; there are Application, add"));
  }
}

// From a run of 2 ranks by another version (github.com/bsc-pm/dlb,
// talp-pages/tests/jsons/run-folder/strong-scaling/test_base.json): only computation and MPI.
TEST(Talp, NewerFilesNameTheWholeRunGlobal) {
  std::string text =
      R"({"dlbVersion": "3.5", "resources": {"numCpus": 2, "numMpiRanks": 2}, "popMetrics":
    {"Global": {"elapsedTime": 10002805067, "usefulTime": 12514719683, "mpiTime": 7490886120}}})";
  const ForeignFile file = read_foreign(text, "run.json");
  ASSERT_EQ(file.values.size(), 2u);
  EXPECT_NEAR(find(file, "main->MPI_ (all calls)")->values.at(0), 7.490886120 / 2, 1e-9);
  text.replace(text.find("Global"), 6, "Solver");
  EXPECT_THAT(refusal(text, "run.json"), HasSubstr("name one with --region: Solver"));
}

/// A file with one run of `app` on 4 ranks: exclusive seconds and instructions by call path.
ForeignFile run_of(const std::map<std::string, double>& seconds,
                   const std::map<std::string, double>& instructions = {}) {
  ForeignFile file{"app", {}};
  for (const auto& [path, value] : seconds)
    file.values.push_back({path, "time", {{"p", 4}}, {value}});
  for (const auto& [path, value] : instructions)
    file.values.push_back({path, "PAPI_TOT_INS", {{"p", 4}}, {value}});
  return file;
}

double seconds_in(const RunProfile& run, const std::string& path) {
  for (const KernelProfile& kernel : run.kernels)
    if (kernel.name == path) return kernel.counters.at("cpu_s").total();
  return -1;
}

TEST(Joined, ARegionThatOneFileLacksShiftsNoOther) {
  const ForeignFile all = joined({run_of({{"main", 1}, {"solve", 5}}), run_of({{"main", 2}}),
                                  run_of({{"main", 3}, {"solve", 7}, {"main->MPI_Send", 0.5}})},
                                 "");
  const std::vector<RunProfile> runs = profiles_from(all.values, {.program = "app"});
  ASSERT_EQ(runs.size(), 3u) << "no run is lost";
  for (int r = 0; r < 3; ++r) EXPECT_EQ(runs[r].config.repetition, r + 1);
  EXPECT_EQ(seconds_in(runs[0], "solve"), 5);
  EXPECT_EQ(seconds_in(runs[1], "solve"), -1);
  EXPECT_EQ(seconds_in(runs[2], "solve"), 7);
  EXPECT_EQ(runs[0].times.wall_s.max(), 6);
  EXPECT_EQ(runs[1].times.wall_s.max(), 2);
  EXPECT_EQ(runs[2].times.wall_s.max(), 10.5);
}

TEST(Joined, ACounterIsOfTheRunThatItsFileIsOf) {
  const ForeignFile all = joined(
      {run_of({{"main", 1}, {"solve", 5}}), run_of({{"main", 2}, {"solve", 6}}, {{"solve", 9e9}})},
      "");
  const std::vector<RunProfile> runs = profiles_from(all.values, {.program = "app"});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].kernels.at(1).counters.count("instructions"), 0u);
  EXPECT_EQ(runs[1].kernels.at(1).counters.at("instructions").total(), 9e9);
}

TEST(Joined, AFileOfSeveralRepetitionsKeepsThemBesideOthers) {
  ForeignFile twice = run_of({{"main", 1}, {"solve", 5}});
  for (ForeignValues& v : twice.values) v.values.push_back(10 * v.values.front());
  const ForeignFile all = joined({twice, run_of({{"main", 2}, {"other", 3}})}, "");
  const std::vector<RunProfile> runs = profiles_from(all.values, {.program = "app"});
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(seconds_in(runs[1], "solve"), 50);
  EXPECT_EQ(seconds_in(runs[2], "other"), 3);
  EXPECT_EQ(runs[2].config.repetition, 3);
}

TEST(Joined, MetadataBecomeSizesWhereTheyAreNamed) {
  const auto file = [](double n) {
    return ForeignFile{"app", {{"", "time", {{"p", 4}}, {n}}}, {{"problem_size", n}}};
  };
  const ForeignFile all = joined({file(10), file(20)}, "", {"problem_size"});
  EXPECT_EQ(profiles_from(all.values, {.program = "app"}).size(), 2u);
  EXPECT_EQ(all.values[1].params.at("problem_size"), 20);
  EXPECT_EQ(joined({file(10), file(20)}, "").values[1].params.count("problem_size"), 0u);
  EXPECT_THROW(joined({file(10)}, "", {"size"}), InputError);
}

TEST(ExtraP, APackedExperimentIsItsJson) {
  // The form and the figures of Extra-P's tests (input/exp_only_mean_median.extra-p).
  const std::string json =
      R"({"Extra-P": "4.0.3", "scaling": null, "parameters": ["x", "y"], "measurements": {"merge":
        {"time": [{"coordinate": [20.0, 1.0], "median": 1.0003031166379763, "mean": 0.998632604831951,
        "minimum": 0.9814784961141532, "maximum": 1.0146314163801136}]}}})";
  const auto little = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
    return text;
  };
  const std::string name = "experiment.json";
  const std::string sizes = little(json.size(), 4) + little(json.size(), 4);
  const std::string local = "PK\3\4" + std::string(14, '\0') + sizes + little(name.size(), 2) +
                            little(0, 2) + name + json;
  const std::string entry = "PK\1\2" + std::string(16, '\0') + sizes + little(name.size(), 2) +
                            std::string(12, '\0') + little(0, 4) + name;
  const std::string zip = local + entry + "PK\5\6" + std::string(8, '\0') +
                          little(entry.size(), 4) + little(local.size(), 4) + little(0, 2);
  const ForeignFile file = read_foreign(zip, "run.extra-p");
  ASSERT_EQ(file.values.size(), 1u);
  EXPECT_EQ(file.values[0].params, (std::map<std::string, double>{{"x", 20}, {"y", 1}}));
  EXPECT_EQ(file.values[0].values,
            (std::vector<double>{0.9814784961141532, 1.0003031166379763, 1.0146314163801136}));
  EXPECT_THAT(refusal(zip.substr(0, zip.size() - 30), "run.extra-p"),
              HasSubstr("is not a complete zip archive"));
}

}  // namespace
}  // namespace apmt
