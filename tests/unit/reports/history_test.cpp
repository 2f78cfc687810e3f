#include "reports/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using testing::HasSubstr;
using testing::Not;
using example::history_of_kernel;

TEST(HistoryReport, LeadsWithWhatGotSlowerSinceWhenAndWhere) {
  const Report report = make_history_report(example::history());
  EXPECT_EQ(report.headline,
            "Since version c6 (6 of 8) halo2d is 10 % slower on 8 processes: 2.00 s before, 2.20 s "
            "after; sweep<int> [halo.c] went from 1.00 s to 1.25 s.");
  const std::string text = render_text(report);
  EXPECT_THAT(text, HasSubstr("c5 to c7"));
  // The kernel's change adds the most time, so it is first.
  EXPECT_LT(text.find("sweep<int>  "), text.find("elapsed  "));
}

TEST(HistoryReport, ChangesOfSeveralSizesSayWhichIsWhich) {
  History history = example::history();
  EXPECT_THAT(render_text(make_history_report(history)), Not(HasSubstr("size")));
  history.series[1].params = {{"n", 4000}};
  EXPECT_THAT(render_text(make_history_report(history)),
              testing::ContainsRegex("sweep<int> +8 +n = 4000 +c6"));
}

TEST(HistoryReport, WithoutAChangeItSaysSoAndHasNoEmptyTable) {
  History history = example::history();
  for (HistorySeries& series : history.series) series.changes.clear();
  const Report report = make_history_report(history);
  EXPECT_EQ(report.headline, "No change of the elapsed time stands out in 8 versions of halo2d.");
  EXPECT_THAT(render_text(report), Not(HasSubstr("Changes")));
}

TEST(HistoryReport, ThePageDrawsEverySeriesOnce) {
  const std::string page = render_html(make_history_report(example::history()));
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
