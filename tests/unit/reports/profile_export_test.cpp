#include "reports/profile_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/checked_json.h"
#include "reports/call_stacks.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Collapsed, HoldsEveryMicrosecondOfKernelsAndMpi) {
  const RunProfile run = example::run(4);
  const std::string text = render_collapsed(run);
  EXPECT_THAT(text, HasSubstr("halo2d;sweep 10688000\n"));  // 4 ranks * 668 samples * 4 ms
  EXPECT_THAT(text, HasSubstr("halo2d;exchange;MPI_Waitall 900000\n"));
  double sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    sum += std::stod(line.substr(line.rfind(' ') + 1));
  EXPECT_NEAR(sum, 1e6 * (4 * 0.004 * (9 + 110 + 668) + 0.24 + 0.1 + 0.9), 1);
}

TEST(Collapsed, LeavesOutMpiTimeThatMeansNothing) {
  RunProfile run = example::run(4);
  run.config.oversubscribed = true;
  EXPECT_THAT(render_collapsed(run), Not(HasSubstr("MPI_")));
}

TEST(Collapsed, KeepsSeparatorsOutOfFrames) {
  RunProfile run = example::run(1);
  run.kernels[0].name = "f(a; b)\n";
  EXPECT_THAT(render_collapsed(run), HasSubstr("halo2d;f(a: b): 36000\n"));
}

TEST(Speedscope, WeighsEverySampleOnce) {
  const Json file = parse_json(render_speedscope(example::run(4)), "speedscope");
  const Json& profile = file.at("profiles").at(0);
  ASSERT_EQ(profile.at("samples").size(), profile.at("weights").size());
  double sum = 0;
  for (const Json& weight : profile.at("weights")) sum += weight.get<double>();
  EXPECT_NEAR(profile.at("endValue").get<double>(), sum, 1e-9);
  for (const Json& sample : profile.at("samples"))
    for (const Json& frame : sample)
      EXPECT_LT(frame.get<std::size_t>(), file.at("shared").at("frames").size());
  EXPECT_EQ(file.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
}

// The form that Hatchet's JsonReader reads: a table whose rows refer to the nodes of a graph.
TEST(Hatchet, EveryNodeHasItsOwnTimeAndThatOfItsChildren) {
  const Json file = parse_json(render_hatchet(example::run(4)), "hatchet");
  ASSERT_EQ(file.at("graph").size(), 1u);
  const Json& graph = file.at("graph").at(0);
  const Json& rows = file.at("dataframe");
  ASSERT_EQ(rows.size(), graph.size());
  EXPECT_EQ(file.at("dataframe_indices"), Json::array({"node"}));
  double exclusive = 0;
  std::size_t children = 0;
  for (const Json& row : rows) {
    const Json& node = graph.at(std::to_string(row.at("node").get<int>()));
    EXPECT_EQ(node.at("data").at("name"), row.at("name"));
    double inclusive = row.at("time").get<double>();
    exclusive += inclusive;
    for (const Json& child : node.at("children")) {
      inclusive += rows.at(child.get<std::size_t>()).at("time (inc)").get<double>();
      ++children;
    }
    EXPECT_NEAR(row.at("time (inc)").get<double>(), inclusive, 1e-12) << row;
  }
  EXPECT_EQ(children, rows.size() - 1);  // a tree
  EXPECT_EQ(rows.at(0).at("name"), "halo2d");
  EXPECT_NEAR(rows.at(0).at("time (inc)").get<double>(), exclusive, 1e-12);
  EXPECT_NEAR(exclusive, 4 * 0.004 * (9 + 110 + 668) + 0.24 + 0.1 + 0.9, 1e-6);
}

TEST(CallStacks, ItIsKnownWhenTheTimeInMpiIsLeftOut) {
  RunProfile run = example::run(4);
  EXPECT_FALSE(leaves_out_mpi(run));
  run.config.oversubscribed = true;
  EXPECT_TRUE(leaves_out_mpi(run));
  run.mpi.clear();
  EXPECT_FALSE(leaves_out_mpi(run)) << "there is none";
}

TEST(Prometheus, OneLineAFigureWithEscapedLabels) {
  Model model = example::model(64);
  model.program = "a\"b\\c";
  const std::string text = render_prometheus(model, example::predict_all(model, {64, 256}));
  EXPECT_THAT(text, HasSubstr("# TYPE apmt_predicted_seconds gauge\n"));
  EXPECT_THAT(text, HasSubstr("apmt_predicted_seconds{program=\"a\\\"b\\\\c\",procs=\"64\",size_n="
                              "\"4000\"} "));
  EXPECT_THAT(text, HasSubstr("apmt_profiled_processes{program=\"a\\\"b\\\\c\"} 8\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("# ") || line.find("} ") != std::string::npos) << line;
}

}  // namespace
}  // namespace apmt
