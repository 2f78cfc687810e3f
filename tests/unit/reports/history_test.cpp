#include "reports/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render.h"

namespace apmt {
namespace {

using testing::HasSubstr;
using testing::Not;

HistorySeries kernel(const char* name) {
  HistorySeries series;
  series.what = name;
  series.is_kernel = true;
  series.source = "halo.c";
  series.procs = 8;
  return series;
}

History example() {
  History history;
  history.program = "halo2d";
  for (int v = 1; v <= 8; ++v)
    history.versions.push_back(
        {"c" + std::to_string(v), "2026-02-0" + std::to_string(v) + "T08:00:00Z", 3});
  const auto times = [](double before, double after) {
    std::vector<std::optional<double>> list;
    for (int v = 0; v < 8; ++v) list.push_back(v < 5 ? before : after);
    return list;
  };
  HistorySeries whole;
  whole.what = "elapsed";
  whole.procs = 8;
  whole.seconds = times(2, 2.2);
  whole.changes = {
      {.at = 5, .earliest = 4, .latest = 6, .before = 2, .after = 2.2, .chance = 0.0005}};
  HistorySeries sweep = kernel("sweep<int>");
  sweep.seconds = times(1, 1.25);
  sweep.changes = {
      {.at = 5, .earliest = 5, .latest = 5, .before = 1, .after = 1.25, .chance = 0.0005}};
  HistorySeries pack = kernel("pack");
  pack.seconds = times(0.5, 0.5);
  pack.seconds[2].reset();
  history.series = {whole, sweep, pack};
  return history;
}

TEST(HistoryReport, LeadsWithWhatGotSlowerSinceWhenAndWhere) {
  const Report report = make_history_report(example());
  EXPECT_EQ(report.headline,
            "Since version c6 (6 of 8) halo2d is 10 % slower on 8 processes: 2.00 s before, 2.20 s "
            "after; sweep<int> [halo.c] went from 1.00 s to 1.25 s.");
  const std::string text = render_text(report);
  EXPECT_THAT(text, HasSubstr("c5 to c7"));
  // The kernel's change adds the most time, so it is first.
  EXPECT_LT(text.find("sweep<int>  "), text.find("elapsed  "));
}

TEST(HistoryReport, ChangesOfSeveralSizesSayWhichIsWhich) {
  History history = example();
  EXPECT_THAT(render_text(make_history_report(history)), Not(HasSubstr("size")));
  history.series[1].params = {{"n", 4000}};
  EXPECT_THAT(render_text(make_history_report(history)),
              testing::ContainsRegex("sweep<int> +8 +n = 4000 +c6"));
}

TEST(HistoryReport, WithoutAChangeItSaysSoAndHasNoEmptyTable) {
  History history = example();
  for (HistorySeries& series : history.series) series.changes.clear();
  const Report report = make_history_report(history);
  EXPECT_EQ(report.headline, "No change of the elapsed time stands out in 8 versions of halo2d.");
  EXPECT_THAT(render_text(report), Not(HasSubstr("Changes")));
}

TEST(HistoryReport, ThePageDrawsEverySeriesOnce) {
  const std::string page = render_html(make_history_report(example()));
  std::size_t charts = 0;
  for (std::size_t at = 0; (at = page.find("<figcaption>", at)) != std::string::npos; ++at)
    ++charts;
  EXPECT_EQ(charts, 3u);
  EXPECT_THAT(page, HasSubstr("sweep&lt;int&gt; [halo.c], 8 processes"));
  EXPECT_THAT(page, HasSubstr("+10 % since version c6 (6 of 8)."));
  EXPECT_THAT(page, HasSubstr("<title>c6: 2.20 s</title>"));
}

}  // namespace
}  // namespace apmt
