// Exports of runs that were imported from other tools.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/checked_json.h"
#include "foreign/data.h"
#include "reports/call_stacks.h"
#include "reports/profile_export.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

/// The times in Hatchet's file by path from the root: exclusive, inclusive.
std::map<std::string, std::pair<double, double>> times_by_path(const Json& file) {
  const Json& graph = file.at("graph").at(0);
  std::map<std::string, std::string> path_of;
  for (const Json& row : file.at("dataframe")) {  // parents come before their children
    const std::string number = std::to_string(row.at("node").get<int>());
    const std::string path = path_of[number] + row.at("name").get<std::string>();
    for (const Json& child : graph.at(number).at("children"))
      path_of[std::to_string(child.get<int>())] = path + "/";
    path_of[number] = path;
  }
  std::map<std::string, std::pair<double, double>> times;
  for (const Json& row : file.at("dataframe"))
    times[path_of.at(std::to_string(row.at("node").get<int>()))] = {row.at("time"),
                                                                    row.at("time (inc)")};
  return times;
}

/// A run that was imported: call paths of one point.
RunProfile imported(const std::map<std::string, double>& seconds, const std::string& time) {
  std::vector<ForeignValues> values;
  for (const auto& [path, value] : seconds) {
    values.push_back({path, time, {{"p", 4}}, {value}});
    values.push_back({path, "visits", {{"p", 4}}, {7}});
  }
  return profiles_from(values, {.program = "app", .time_metric = time}).at(0);
}

TEST(Hatchet, AnImportedRunKeepsItsCallPathsWithTheTimeInMpi) {
  const std::map<std::string, double> seconds = {{"main", 1},
                                                 {"main->solve", 4},
                                                 {"main->solve->MPI_Allreduce", 0.5},
                                                 {"main->output->MPI_File_write", 0.25},
                                                 {"main->Box::operator->", 2}};
  for (const char* time : {"time", "exclusive_time"}) {
    const RunProfile run = imported(seconds, time);
    const Json file = parse_json(render_hatchet(run), "hatchet");
    using Times = std::map<std::string, std::pair<double, double>>;
    EXPECT_EQ(times_by_path(file), (Times{{"app", {0, 7.75}},
                                          {"app/main", {1, 7.75}},
                                          {"app/main/Box::operator->", {2, 2}},
                                          {"app/main/output", {0, 0.25}},
                                          {"app/main/output/MPI_File_write", {0.25, 0.25}},
                                          {"app/main/solve", {4, 4.5}},
                                          {"app/main/solve/MPI_Allreduce", {0.5, 0.5}}}));
    EXPECT_EQ(run.times.main_s.max(), 7.75) << "nothing is lost";
    EXPECT_THAT(render_collapsed(run), HasSubstr("app;main;solve;MPI_Allreduce 500000\n"));
    EXPECT_THAT(render_speedscope(run), HasSubstr("app, mean over ranks"));
    EXPECT_FALSE(leaves_out_mpi(run));
  }
}

TEST(Hatchet, AnImportedTotalIsTheTimeOfTheProgram) {
  const std::map<std::string, std::pair<double, double>> total = {{"app", {3.5, 3.5}}};
  const RunProfile run = imported({{"", 3.5}}, "time");
  EXPECT_EQ(times_by_path(parse_json(render_hatchet(run), "hatchet")), total);
}

}  // namespace
}  // namespace apmt
