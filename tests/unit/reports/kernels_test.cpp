// Tests with two kernels of the same name: each row has its own figures and says which kernel it
// is.
#include <gtest/gtest.h>

#include "reports/render.h"
#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

const ReportTable& kernels_table(const OptionalSection& section) {
  return section.value().tables.front();
}

std::optional<double> cell(const ReportTable& table, const std::string& row,
                           const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (const ReportRow& r : table.rows)
      if (table.columns[c].id == column && r.cells[0].text == row) return r.cells[c].value;
  ADD_FAILURE() << "no " << row << " / " << column;
  return std::nullopt;
}

TEST(KernelsOfOneName, KeepTheirColumns) {
  Model model = example::model(64);
  ASSERT_GE(model.kernels.size(), 2u);
  model.kernels[0].name = model.kernels[1].name = "sweep";
  model.kernels[0].id.source = "red.c";
  model.kernels[1].id.source = "black.c";
  const std::vector<Prediction> predictions = example::predict_all(model, {4, 64});
  const OptionalSection section = kernels_section(model, predictions, {}, nullptr);
  const ReportTable& table = kernels_table(section);
  for (const std::size_t i : {0u, 1u}) {
    const std::string row = "sweep [" + model.kernels[i].id.source + "]";
    EXPECT_EQ(cell(table, row, "measured"), model.kernels[i].points.back().value);
    EXPECT_EQ(cell(table, row, "max_share"), model.kernels[i].max_share);
    EXPECT_EQ(cell(table, row, "time"), predictions.back().kernels[i].time.time_s);
  }
  for (const ReportRow& row : table.rows) {
    ASSERT_TRUE(row.sparkline);
    EXPECT_EQ(row.sparkline->predicted.size(), 2u) << "one point per process count, not per name";
  }
}

}  // namespace
}  // namespace apmt
