// Tests of the sections of the report about analysed kernels, and of their pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html_pieces.h"
#include "reports/kernel_pictures.h"
#include "reports/kiviat.h"
#include "reports/render.h"
#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MachineProfile machine() {
  MachineProfile made;
  made.levels = {{.name = "L1", .size_bytes = 4096},
                 {.name = "L2", .size_bytes = 1 << 20},
                 {.name = "memory"}};
  return made;
}

Report report_of(const Analysis& analysis, const MachineProfile* of = nullptr) {
  Report report;
  add_analysed_kernels(analysis, Analysed(lu(12)).analysis, of, &report);
  return report;
}

const KiviatChart::Spoke& spoke(const KiviatChart& chart, const std::string& name) {
  for (const KiviatChart::Spoke& each : chart.spokes)
    if (each.name == name) return each;
  throw std::out_of_range(name);
}

TEST(Kiviat, AReferenceKernelIsAtTheRimWhereItIsTheLargest) {
  const Analysis analysis = Analysed(lu(12)).analysis;
  const KiviatChart chart = kiviat_chart(analysis.kernels[0], analysis).value();
  std::size_t groups[4] = {};
  for (const KiviatChart::Spoke& each : chart.spokes) {
    ++groups[each.group];
    EXPECT_FALSE(each.is_beyond) << each.name;
    EXPECT_TRUE(each.share == 1 || each.shown == "0") << each.name;
  }
  EXPECT_EQ(groups[KiviatChart::kCompute], 2u);
  EXPECT_EQ(groups[KiviatChart::kParallelism], 4u);
  EXPECT_EQ(groups[KiviatChart::kMemory], 20u);
  EXPECT_EQ(groups[KiviatChart::kControl], 4u);
}

TEST(Kiviat, CountsAreComparedByTheirLogarithmsAndParallelismInverted) {
  Analysis reference = Analysed(lu(12)).analysis;
  KernelAnalysis kernel = reference.kernels[0];
  Aiwc& largest = *reference.kernels[0].aiwc;
  largest.footprint = 999;
  largest.work_items = 10;
  largest.opcodes = 8;
  kernel.aiwc->footprint = 9;
  kernel.aiwc->work_items = 40;
  kernel.aiwc->opcodes = 16;
  const KiviatChart chart = kiviat_chart(kernel, reference).value();
  EXPECT_DOUBLE_EQ(spoke(chart, "footprint").share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(spoke(chart, "1/work-items").share, 0.25);
  EXPECT_EQ(spoke(chart, "opcodes").share, 1);
  EXPECT_TRUE(spoke(chart, "opcodes").is_beyond);
}

TEST(Kiviat, IsAbsentWithoutComparableMetrics) {
  Analysis analysis = Analysed(lu(12)).analysis;
  Analysis other = analysis;
  other.kernels[0].aiwc->is_compatible = true;
  EXPECT_FALSE(kiviat_chart(analysis.kernels[0], other));
  other = analysis;
  other.kernels[0].aiwc->work_item = "work-item";
  EXPECT_FALSE(kiviat_chart(analysis.kernels[0], other));
  other = analysis;
  analysis.kernels[0].aiwc.reset();
  EXPECT_FALSE(kiviat_chart(analysis.kernels[0], other));
}

TEST(KernelPictures, ABarHoldsTheAccessesThatItsCacheKeeps) {
  const Analysis analysis = Analysed(matmul_ijk(40)).analysis;
  const MachineProfile caches = machine();
  const Report report = report_of(analysis, &caches);
  const DistanceChart& chart = report.sections.at(0).distance_chart.value();
  const Locality& locality = *analysis.kernels[0].locality;
  double sum = chart.first_share, beyond_4k = chart.first_share;
  for (const DistanceChart::Bar& bar : chart.bars) {
    sum += bar.share;
    if (bar.from_bytes >= 4096) beyond_4k += bar.share;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(chart.first_share, locality.cold / locality.accesses, 1e-12);
  // The bars to the right of a cache are its misses.
  EXPECT_NEAR(beyond_4k, locality.misses(4096) / locality.accesses, 1e-12);
  ASSERT_EQ(chart.caches.size(), 2u);
  EXPECT_EQ(chart.caches[1], std::pair(std::string("L2"), 1048576.0));
  EXPECT_THAT(chart.description, HasSubstr("L1 (4.00 KiB) would miss"));
}

TEST(KernelPictures, AProfileForEachSchedule) {
  const Report report = report_of(Analysed(triad(1000)).analysis);
  const LevelsChart& chart = report.sections.at(0).levels_chart.value();
  ASSERT_EQ(chart.profiles.size(), 2u);
  EXPECT_EQ(chart.profiles[0].operations, (std::vector<double>{1000, 1000}));
  // The kernel has two levels, a product and a sum. Each takes half of the width between the
  // margins, which are at 90 and 664.
  const std::string svg = html_levels({.description = "", .profiles = {chart.profiles[0]}});
  EXPECT_THAT(svg, HasSubstr("H377V"));
}

TEST(KernelPictures, OnlyWhatTheAnalysisHas) {
  Analysis analysis = Analysed(copy(50), {.floating_point = false,
                                          .all_operations = false,
                                          .synchronisation = false,
                                          .aiwc = false,
                                          .sampled_stack_distance = false})
                          .analysis;
  const ReportSection section = report_of(analysis).sections.at(0);
  EXPECT_FALSE(section.kiviat_chart || section.levels_chart || section.distance_chart);
  analysis.kernels.clear();
  EXPECT_TRUE(report_of(analysis).sections.empty());
}

TEST(KernelPictures, TheLargestKernelsComeFirstAndTheOthersAreCounted) {
  Analysis analysis = Analysed(copy(50)).analysis;
  analysis.kernels.resize(15, analysis.kernels[0]);
  analysis.kernels[14].mix->instructions *= 2;
  analysis.kernels[14].name = "largest";
  const Report report = report_of(analysis);
  ASSERT_EQ(report.sections.size(), 12u);
  EXPECT_THAT(report.sections[0].title, HasSubstr("Analysis of largest"));
  EXPECT_EQ(report.sections[11].id, "analysed-12");
  EXPECT_THAT(report.sections[11].sentences.back(), HasSubstr("3 more kernels"));
}

TEST(KernelPictures, ThePageHasFourColoursTextAlternativesAndSourceLines) {
  Analysis analysis = Analysed(lu(16)).analysis;
  analysis.kernels[0].name = "a<b>";
  analysis.kernels[0].loops.at(0).idioms.push_back(
      {.idiom = "stream", .file = "lu.c", .line = 7, .code = "x[i] = y[i] & 1;", .share = 1});
  const MachineProfile caches = machine();
  const std::string page = render_html(report_of(analysis, &caches));
  for (const char* part : {"class=\"dot of0\"", "class=\"dot of1\"", "class=\"dot of2\"",
                           "class=\"dot of3\"", "aria-label=\"AIWC&#39;s metrics of a&lt;b&gt;",
                           "class=\"cache\"", "L1 4.00 KiB", "x[i] = y[i] &amp; 1;", "lu.c:7"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("a<b>")));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf,")));
}

}  // namespace
}  // namespace apmt::kernels::testing
