#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reports/html_pieces.h"
#include "reports/numbers.h"
#include "reports/process_counts.h"
#include "reports/render.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The first tag that breaks a rule, or nothing. Rules: elements are nested correctly, attributes
/// are quoted.
std::string unbalanced(const std::string& html) {
  static const std::set<std::string> kVoid{"meta", "br", "!DOCTYPE"};
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = html.find('<', at)) != std::string::npos) {
    std::size_t end = at + 1;
    char quote = 0;
    while (end < html.size() && (quote != 0 || html[end] != '>')) {
      if (quote == 0 && html[end] == '<') return "'<' inside a tag at " + html.substr(at, 60);
      if (html[end] == '"') quote = quote ? 0 : '"';
      ++end;
    }
    if (end == html.size()) return "no end: " + html.substr(at, 60);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    at = end + 1;
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1)) return "closes nothing: <" + tag + ">";
      open.pop_back();
    } else if (!tag.ends_with('/') && kVoid.count(name) == 0) {
      open.push_back(name);
      // The content of these elements is not markup; skip to their end.
      if (name == "script" || name == "style") at = html.find("</" + name, at);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

Report report_of(const Model& model, const std::vector<int>& counts) {
  return make_report(model, example::predict_all(model, counts), nullptr,
                     example::predict_all(model, curve_procs(model, counts)));
}

TEST(Html, IsWellFormed) {
  for (const int cores : {2, 64}) {
    const Model model = example::model(cores);
    EXPECT_EQ(unbalanced(render_html(report_of(model, {4, 64, 256}))), "");
  }
  EXPECT_EQ(unbalanced(render_html(make_fit_report(example::model()))), "");
  EXPECT_EQ(unbalanced(render_html(make_profile_report(example::run()))), "");
  EXPECT_EQ(unbalanced(render_html(make_machine_report(example::machine()))), "");
  EXPECT_EQ(unbalanced(render_html(Report{})), "");
}

TEST(Html, NamesFromProgramsAreOnlyText) {
  const std::string evil = "<script>alert(1)</script>\"&'";
  const std::string safe = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;";
  Model model = example::model(64);
  model.program = evil;
  model.kernels[0].name = evil;
  model.kernels[0].id.source = evil;
  model.counts[0].op = evil;
  model.baselines[0].formula = evil;
  model.warnings = {evil};
  auto predictions = example::predict_all(model, {64});
  predictions[0].params = {{evil, 1}};
  Experiment experiment;
  experiment.runs = {example::run()};
  experiment.runs[0].mpi[0].caller = evil;
  experiment.runs[0].health.notes = {evil};
  const std::string html = render_html(make_report(model, predictions, &experiment));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr(safe));
  EXPECT_EQ(unbalanced(html), "");
}

TEST(Html, LawAndSourceStandUnderTheNameOfAKernel) {
  const std::string html = render_html(report_of(example::model(64), {64}));
  const std::size_t name = html.find("<span>sweep</span>");
  ASSERT_NE(name, std::string::npos);
  EXPECT_EQ(html.find("<small>follows 12.0 s / P^0.97</small>", name),
            name + std::string("<span>sweep</span>").size());
  EXPECT_LT(html.find("<small>source halo2d.c</small>", name), html.find("</th>", name));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"t\" hidden data-csv=\"source\""))
      << "copied, but not shown again";
}

TEST(Html, FiguresOfAChartAreFoldedWhereTheyStandAgain) {
  const std::string html = render_html(report_of(example::model(64), {64, 256}));
  for (const char* section : {"parts", "efficiency"}) {
    const std::size_t start = html.find("<section id=\"" + std::string(section) + "\"");
    ASSERT_NE(start, std::string::npos) << section;
    const std::string part = html.substr(start, html.find("</section>", start) - start);
    const std::size_t folded = part.find("<details>");
    ASSERT_NE(folded, std::string::npos) << section;
    EXPECT_LT(folded, part.find(">measured</span>", part.find("</figure>"))) << section;
    EXPECT_EQ(part.find("<details>", folded + 1), std::string::npos) << section;
  }
}

TEST(Html, AsksNoNetworkForAnything) {
  const std::string html = render_html(report_of(example::model(64), {64}));
  for (const char* reference :
       {"http://", "https://", "src=", "@import", "url(h", "<link", "fetch("}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Html, AThousandKernelsStayUnderOneAndAHalfMegabytes) {
  Model model = example::model(64);
  model.kernels.clear();
  for (int i = 0; i < 1000; ++i) {
    model.kernels.push_back(example::kernel(
        "application::solver::Kernel<double, 3>::apply_" + std::to_string(i) +
            "(application::Field<double> const&, application::Field<double>&, unsigned long)",
        KernelRole::kCritical, 1.0 / (i + 1), -0.9, 0.001));
  }
  const std::string html = render_html(report_of(model, {64, 256}));
  EXPECT_LT(html.size(), 1'500'000U);
  EXPECT_EQ(unbalanced(html), "");
}

TEST(Html, DrawingsSurviveZerosAndSinglePoints) {
  TimeChart chart;
  chart.elapsed = {{4, 1, 1, 1}};
  EXPECT_EQ(unbalanced(html_time_chart(chart)), "");
  chart.predicted = {{4, 0, 0, 0}};
  chart.asked = {4};
  EXPECT_EQ(unbalanced(html_time_chart(chart)), "");
  EXPECT_THAT(html_time_chart(chart), Not(HasSubstr("nan")));
  EXPECT_THAT(html_time_chart(chart), Not(HasSubstr("inf")));
  EXPECT_EQ(html_time_chart({}), "");
  EXPECT_EQ(html_sparkline({}, {1, 1}), "");
}

TEST(Html, TheLargestCountHasALabelOnItsAxis) {
  for (const int most : {64, 1024, 131072, 1 << 24}) {
    TimeChart chart;
    chart.max_profiled = 8;
    for (const double procs : {2.0, 4.0, 8.0}) chart.elapsed.push_back({procs, 1, 1, 1});
    chart.predicted = chart.elapsed;
    chart.predicted.push_back({static_cast<double>(most), 0.5, 0.4, 0.6});
    chart.asked = {most};
    const std::string html = html_time_chart(chart);
    EXPECT_THAT(html, HasSubstr("\">" + format_number(most) + "</text>"));
    EXPECT_THAT(html, HasSubstr("\">2</text>"));
  }
}

TEST(Html, TheSentenceComesFirst) {
  const std::string html = render_html(report_of(example::model(64), {64}));
  EXPECT_LT(html.find("At 64 processes expect"), html.find("<section"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
  EXPECT_THAT(html, HasSubstr("role=\"img\""));
}

}  // namespace
}  // namespace apmt
