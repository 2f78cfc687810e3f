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
  EXPECT_FALSE(value(table, 3, "load_balance")) << "it has no law";
}

/// The example, with waiting and transfer of messages measured separately.
Model with_waiting() {
  Model model = example::model(64);
  for (ModelPoint& point : model.points) point.parts.comm_wait_s = example::measured(0.2);
  return model;
}

TEST(Efficiencies, TransferIsWhatMessagesLeaveAndSerialisationTheRest) {
  const Model model = with_waiting();
  const OptionalSection section = efficiency_section(model, example::predict_all(model, {64}));
  const ReportTable& table = section.value().tables.front();
  const MeasuredParts& parts = model.points[1].parts;
  const double messages =
      parts.comm_p2p_s->value + parts.comm_coll_s->value + parts.comm_other_s->value;
  const double run = parts.comp_s->value + messages + 0.2 + parts.off_cpu_s->value;
  EXPECT_NEAR(value(table, 1, "transfer").value(), 1 - messages / run, 1e-12);
  EXPECT_NEAR(value(table, 1, "serialisation").value() * value(table, 1, "transfer").value(),
              value(table, 1, "communication").value(), 1e-12);
  EXPECT_FALSE(value(table, 3, "transfer")) << "the prediction does not separate waiting";
}

TEST(Efficiencies, TheTreeHasTheFiguresOfTheTable) {
  const Model model = with_waiting();
  const OptionalSection section = efficiency_section(model, example::predict_all(model, {4, 64}));
  const EfficiencyTree& tree = section.value().efficiency_tree.value();
  const ReportTable& table = section.value().tables.front();
  ASSERT_EQ(tree.columns.size(), table.rows.size());
  ASSERT_EQ(tree.nodes.size() + 2, table.columns.size());
  EXPECT_EQ(tree.nodes.front().name, "global");
  EXPECT_EQ(tree.nodes.front().depth, 0);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    EXPECT_EQ(tree.nodes[n].name, table.columns[n + 2].title);
    for (std::size_t c = 0; c < tree.columns.size(); ++c)
      EXPECT_EQ(tree.nodes[n].shares[c], table.rows[c].cells[n + 2].value);
    if (n > 0) {
      EXPECT_LE(tree.nodes[n].depth, tree.nodes[n - 1].depth + 1);
    }
  }
  EXPECT_TRUE(tree.columns.front().measured);
  EXPECT_FALSE(tree.columns.back().measured);
}

TEST(Efficiencies, AreNotMadeUpWithoutCommunication) {
  const Model model = example::model(2);  // a machine with two cores
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
