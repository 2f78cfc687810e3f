// Tests of the report on a machine profile, as a page and as text: every known figure is shown, and
// no unknown figure appears.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html_pieces.h"
#include "reports/render.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(MachineReport, SaysWhatWasMeasured) {
  const std::string text = render_text(make_machine_report(example::machine()));
  EXPECT_THAT(text,
              HasSubstr("A load from memory takes 90.0 ns and a small message takes 1.00 us."));
  EXPECT_THAT(text, HasSubstr("60.0 GB/s"));
  EXPECT_THAT(text, HasSubstr("50 % of a large transfer can be hidden behind computation."));
  EXPECT_THAT(text, HasSubstr("Barrier"));
}

TEST(MachineReport, DrawsEveryPointAndTheLinesThroughThem) {
  const Report report = make_machine_report(example::machine());
  ASSERT_EQ(report.sections.size(), 3U);
  const std::string memory = html_curve_chart(report.sections[0].curve_charts.at(0));
  EXPECT_EQ(count_of(memory, "<circle"), 3U);
  EXPECT_THAT(memory, HasSubstr("<title>latency, 32.0 KiB: 1.60 ns</title>"));
  EXPECT_THAT(memory, HasSubstr(">64 KiB</text>"));
  const CurveChart& network = report.sections[1].curve_charts.at(0);
  const std::string messages = html_curve_chart(network);
  EXPECT_EQ(count_of(messages, "<circle"), 3U);        // two points and the key; none at zero bytes
  EXPECT_EQ(count_of(messages, "class=\"line "), 2U);  // the line of the pieces, and its key
  // The second piece begins at the right size and with its own latency.
  EXPECT_THAT(network.curves[1].points,
              ::testing::Contains(std::pair<double, double>(8192, 6e-6 + 8192 * 5e-11)));
  EXPECT_EQ(report.sections[2].curve_charts.size(), 1U);
}

TEST(MachineReport, WhatIsUnknownIsLeftOut) {
  MachineProfile machine;
  machine.name = "x";
  machine.provenance = "assumed";
  machine.levels = {{.name = "memory"}};
  const std::string page = render_html(make_machine_report(machine));
  EXPECT_THAT(page, Not(HasSubstr("<figure>")));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  machine.networks = {{.scope = "network", .pieces = {{0, 1e-6, 0, 0}}}};
  EXPECT_THAT(render_html(make_machine_report(machine)), Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace apmt
