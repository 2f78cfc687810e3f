// Tests of the report of `apmt match`: the overview, the ranges, and the rooflines of the devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html_pieces.h"
#include "reports/devices/match.h"
#include "reports/render.h"
#include "tests/unit/devices/made.h"

namespace apmt {
namespace {

using devices::testing::made_device;
using devices::testing::made_kernel;
using ::testing::HasSubstr;
using ::testing::Not;

devices::Match two_kernels(double spread) {
  kernels::Analysis analysis;
  analysis.program = "prog";
  analysis.kernels = {made_kernel(), made_kernel()};
  analysis.kernels[1].function = analysis.kernels[1].name = "other";
  devices::Device measured = made_device("measured");
  measured.slow_bytes_per_s->spread = spread;
  return devices::match(analysis, {measured, made_device("fast", 1.02)}, {});
}

const ReportSection* section_of(const Report& report, const std::string& id) {
  for (const ReportSection& section : report.sections)
    if (section.id == id) return &section;
  return nullptr;
}

TEST(MatchReport, BeginsWithTheFastestDeviceForEachKernel) {
  const Report report = make_match_report(two_kernels(0));
  ASSERT_EQ(report.sections.front().id, "overview");
  const ReportTable& table = report.sections.front().tables.front();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].cells[0].text, "other");
  EXPECT_EQ(table.rows[1].cells[1].text, "fast");
  for (const ReportColumn& column : table.columns) EXPECT_NE(column.id, "range");
}

TEST(MatchReport, TheFastestDeviceHasAProbabilityBelowOne) {
  devices::Match match = two_kernels(0);
  const auto probability = [&](double of_first) {
    match.kernels[0].predictions[0].probability = of_first;
    const Report report = make_match_report(match);
    const ReportTable& table = report.sections.front().tables.front();
    EXPECT_EQ(table.columns[3].id, "probability");
    EXPECT_THAT(render_text(report), HasSubstr("is the fastest (probability " +
                                               table.rows[0].cells[3].text + "):"));
    EXPECT_THAT(render_html(report), HasSubstr(table.rows[0].cells[3].text));
    return table.rows[0].cells[3].text;
  };
  EXPECT_EQ(probability(0.43), "43 %");
  EXPECT_EQ(probability(0.9999), "above 99 %");
}

TEST(MatchReport, RangesSayWhatTheMeasurementsLeaveOpen) {
  const std::string text = render_text(make_match_report(two_kernels(0.3)));
  EXPECT_THAT(text, HasSubstr("range"));
  EXPECT_THAT(text, HasSubstr("leave open whether fast or measured is faster"));
  EXPECT_THAT(render_text(make_match_report(two_kernels(0))), Not(HasSubstr("leave open")));
}

TEST(MatchReport, KernelsStandBelowTheRoofsOfADevice) {
  const devices::Match match = two_kernels(0);
  const Report report = make_match_report(match);
  const ReportSection* section = section_of(report, "roofline-measured");
  ASSERT_NE(section, nullptr);
  const RooflineChart& chart = section->roofline_chart.value();
  ASSERT_EQ(chart.kernels.size(), 2u);
  // 4,010 operations; 100 lines of 64 bytes are accessed for the first time.
  EXPECT_DOUBLE_EQ(chart.kernels[0].work_per_access, 4010.0 / 6400);
  EXPECT_DOUBLE_EQ(chart.kernels[0].share, 0.5);
  EXPECT_LE(chart.kernels[0].work_per_s, 100 * chart.kernels[0].work_per_access);
  std::vector<std::string> roofs;
  for (const RooflineChart::Roof& roof : chart.roofs) roofs.push_back(roof.name);
  EXPECT_THAT(roofs, ::testing::ElementsAre("peak, single precision", "peak, double precision",
                                            "bandwidth of the memory"));
  const std::string picture = html_roofline(chart);
  EXPECT_THAT(picture, HasSubstr("floating-point operations per byte from the slow memory"));
  EXPECT_THAT(render_html(report), HasSubstr("Roofline of measured"));
}

TEST(MatchReport, AKernelWithoutFloatingPointHasNoRoofline) {
  devices::Match match = two_kernels(0);
  for (devices::KernelMatch& kernel : match.kernels) kernel.flops = 0;
  EXPECT_EQ(section_of(make_match_report(match), "roofline-measured"), nullptr);
}

}  // namespace
}  // namespace apmt
