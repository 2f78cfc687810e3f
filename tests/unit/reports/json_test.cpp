// Tests that a report as JSON has the same figures as the CSV, each with its source.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/checked_json.h"
#include "reports/numbers.h"
#include "reports/process_counts.h"
#include "reports/render.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

Report report_of(const Model& model) {
  Experiment experiment;
  experiment.runs = {example::run(8)};
  return make_report(model, example::predict_all(model, {4, 16, 64}), &experiment,
                     example::predict_all(model, curve_procs(model, {64})));
}

const Json& table_of(const Json& report, const std::string& id) {
  for (const Json& section : report["sections"])
    for (const Json& table : section["tables"])
      if (table["id"] == id) return table;
  throw std::out_of_range(id);
}

std::string source(const Json& table, std::size_t row, const std::string& column) {
  return table["rows"].at(row)["cells"].at(column).at("source");
}

TEST(ReportJson, HasTheFiguresOfTheCsv) {
  const Report report = report_of(example::model(64));
  const Json json = to_json(report);
  std::multimap<std::string, std::string> expected;  // "table,row,quantity" to "source,value"
  std::istringstream lines(render_csv(report));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find('"') != std::string::npos || line.starts_with("table,")) continue;
    std::vector<std::string> fields;
    std::istringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 7u) << line;
    if (fields[4].empty()) continue;  // the cell has text only
    expected.emplace(fields[0] + "," + fields[1] + "," + fields[3], fields[5] + "," + fields[6]);
  }
  ASSERT_GT(expected.size(), 80u);
  std::size_t found = 0;
  for (const Json& section : json["sections"])
    for (const Json& table : section["tables"])
      for (std::size_t r = 0; r < table["rows"].size(); ++r) {
        const std::string place =
            table["id"].get<std::string>() + "," + std::to_string(r + 1) + ",";
        for (const auto& [column, cell] : table["rows"][r]["cells"].items())
          for (const auto& [field, suffix] :
               {std::pair("value", ""), {"low", "_low"}, {"high", "_high"}}) {
            if (cell.is_null() || !cell.contains(field) || column == table["columns"][0]["id"])
              continue;
            const auto same = expected.find(place + column + suffix);
            ASSERT_NE(same, expected.end()) << place << column;
            const std::string from =
                cell["source"].is_null() ? "" : cell["source"].get<std::string>();
            EXPECT_EQ(from + "," + format_exact(cell[field].get<double>()), same->second);
            ++found;
          }
      }
  EXPECT_EQ(found, expected.size());
}

TEST(ReportJson, EveryFigureNamesItsSource) {
  const Json json = to_json(report_of(example::model(64)));
  int figures = 0;
  for (const Json& section : json["sections"])
    for (const Json& table : section["tables"])
      for (const Json& row : table["rows"])
        for (const Json& column : table["columns"]) {
          const Json& cell = row["cells"].at(column["id"]);
          const bool names_the_row = column == table["columns"][0];
          if (column["unit"].is_null() || cell.is_null() || names_the_row) continue;
          EXPECT_TRUE(cell["source"].is_string()) << table["id"] << column["id"];
          ++figures;
        }
  EXPECT_GT(figures, 100);
}

TEST(ReportJson, BeyondTheProfiledCountsIsExtrapolated) {
  const Json json = to_json(report_of(example::model(64)));  // 2, 4 and 8 were profiled
  const Json& predictions = table_of(json, "prediction");
  EXPECT_EQ(source(predictions, 0, "time"), "fitted");
  EXPECT_EQ(source(predictions, 0, "measured"), "measured");
  EXPECT_EQ(source(predictions, 0, "efficiency"), "derived");
  EXPECT_EQ(source(predictions, 2, "time"), "extrapolated");
  EXPECT_EQ(source(predictions, 2, "efficiency"), "extrapolated");
  EXPECT_EQ(source(table_of(json, "kernels"), 0, "interval"), "extrapolated");
  EXPECT_EQ(source(table_of(json, "parts"), 0, "comp"), "measured");
  EXPECT_EQ(source(table_of(json, "parts"), 3, "comp"), "extrapolated");
  EXPECT_EQ(table_of(json, "parts")["rows"].size(), 4u);  // the fifth has a table of its own
  EXPECT_EQ(source(table_of(json, "parts_at_target"), 0, "time"), "extrapolated");
  for (const Json& series : json["sections"][0]["time_over_procs"])
    for (const Json& point : series["points"])
      if (series["name"] == "predicted") {
        EXPECT_EQ(point["source"], point["procs"] > 8 ? "extrapolated" : "fitted");
      }
}

TEST(ReportJson, GroupsOfCallsStandBelowTheirPart) {
  const Model model = example::model(64);
  std::vector<Prediction> predictions = example::predict_all(model, {4, 16, 64});
  Prediction& target = predictions.back();
  const double whole_s = target.time.time_s;
  target.messages = {{kBlocking, example::around(0.3 * whole_s, 0.1), 0.5},
                     {kExchange, example::around(0.001 * whole_s, 0.1), 0.5}};  // too little
  target.collectives = {{"MPI_Bcast", example::around(0.2 * whole_s, 0.1), 0.5}};
  const Json json = to_json(make_report(model, predictions));
  std::vector<std::string> names;
  for (const Json& row : table_of(json, "parts_at_target")["rows"])
    if (const std::string name = row["cells"]["part"]["text"]; name.find("of these") == 0)
      names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"of these, blocking messages", "of these, MPI_Bcast"}));
}

TEST(ReportJson, NothingOfASimulatedClusterIsCalledMeasured) {
  Model model = example::model(64);
  model.is_virtual = true;
  const std::string text = format_json(to_json(report_of(model)));
  EXPECT_EQ(text.find("\"source\": \"measured\""), std::string::npos);
  EXPECT_NE(text.find("\"source\": \"virtual\""), std::string::npos);
}

TEST(ReportJson, APointWithoutAPartOfTheModelIsNoPointOfItsCurve) {
  Model model = example::model(64);
  for (ModelPoint& point : model.points) point.known_s = 0.5 * point.elapsed_s;
  model.points.back().complete = false;
  const Json report = to_json(report_of(model));
  for (const Json& series : report["sections"][0]["time_over_procs"]) {
    if (series["name"] == "elapsed") {
      EXPECT_EQ(series["points"].size(), 3u);
    }
    if (series["name"] == "parts in the model") {
      EXPECT_EQ(series["points"].size(), 2u);
    }
  }
}

TEST(ReportJson, WhatIsNotKnownIsNull) {
  const Json json =
      to_json(report_of(example::model(2)));  // beyond 2 processes communication is unknown
  const Json& parts = table_of(json, "parts");
  EXPECT_TRUE(parts["rows"][2]["cells"]["comm_p2p"].is_null());
  EXPECT_FALSE(parts["rows"][0]["cells"]["comm_p2p"].is_null());
}

}  // namespace
}  // namespace apmt
