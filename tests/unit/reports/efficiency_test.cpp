#include <gtest/gtest.h>

#include <cmath>

#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

std::optional<double> value(const ReportTable& table, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].id == column) return table.rows.at(row).cells.at(c).value;
  ADD_FAILURE() << "no column " << column;
  return std::nullopt;
}

TEST(Efficiencies, MultiplyUp) {
  const Model model = example::model(64);
  const OptionalSection section =
      efficiency_section(model, example::predict_all(model, {4, 64, 256}));
  const ReportTable& table = section.value().tables.front();
  ASSERT_EQ(table.rows.size(), 5u) << "three measured, and the two beyond them predicted";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double parallel = value(table, row, "parallel").value();
    EXPECT_NEAR(value(table, row, "global").value(),
                parallel * value(table, row, "computation").value(), 1e-12);
    EXPECT_LE(parallel, 1.0);
    if (row >= 3) continue;
    const double communication = value(table, row, "communication").value();
    EXPECT_LE(communication, 1.0) << "no process waits a negative time";
    const double balance = value(table, row, "load_balance").value();
    EXPECT_TRUE(communication == 1.0 ? parallel >= balance
                                     : std::abs(parallel - balance * communication) < 1e-12);
  }
  EXPECT_DOUBLE_EQ(value(table, 0, "computation").value(), 1) << "the reference";
  EXPECT_FALSE(value(table, 3, "load_balance")) << "there is no law of it";
}

TEST(Efficiencies, AreNotMadeUpWithoutCommunication) {
  const Model model = example::model(2);  // on two cores
  const OptionalSection section = efficiency_section(model, example::predict_all(model, {64}));
  const ReportTable& table = section.value().tables.front();
  EXPECT_TRUE(value(table, 0, "parallel"));
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    EXPECT_FALSE(value(table, row, "parallel"));
    EXPECT_FALSE(value(table, row, "global"));
    EXPECT_TRUE(value(table, row, "computation"));
  }
}

}  // namespace
}  // namespace apmt
