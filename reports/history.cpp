#include "reports/history.h"

#include <algorithm>
#include <cmath>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr std::size_t kMostCharts = 12;
constexpr std::size_t kMostColumns = 6;

std::string place_of(const HistorySeries& series) {
  const std::string sizes = params_words(series.params);
  return processes(series.procs) + (sizes.empty() ? "" : ", " + sizes);
}

/// "version 3f2a1b (17 of 30)"
std::string version_words(const History& history, std::size_t at) {
  return "version " + history.versions[at].name + " (" + std::to_string(at + 1) + " of " +
         std::to_string(history.versions.size()) + ")";
}

/// The versions at which the change may have happened: "3f2a1b", or "3f2a1b to 77aa00".
std::string between_words(const History& history, const ChangePoint& change) {
  const std::string first = history.versions[change.earliest].name;
  return change.earliest == change.latest ? first
                                          : first + " to " + history.versions[change.latest].name;
}

/// Explains a change of the elapsed time `whole`: names the kernel or part at the same point that
/// changed most (in seconds), in the same direction and at about the same version.
std::string cause_of(const History& history, const HistorySeries& whole,
                     const ChangePoint& change) {
  const HistorySeries* most = nullptr;
  const ChangePoint* its = nullptr;
  for (const HistorySeries& series : history.series) {
    if (series.is_elapsed() || series.procs != whole.procs || series.params != whole.params)
      continue;
    for (const ChangePoint& c : series.changes) {
      const bool meets = c.earliest <= change.latest && change.earliest <= c.latest;
      const bool alike = (c.after > c.before) == (change.after > change.before);
      if (!meets || !alike) continue;
      if (most != nullptr && std::abs(c.after - c.before) <= std::abs(its->after - its->before))
        continue;
      most = &series;
      its = &c;
    }
  }
  if (most == nullptr) return {};
  return "; " + short_name(most->what) + (most->source.empty() ? "" : " [" + most->source + "]") +
         " went from " + format_seconds(its->before) + " to " + format_seconds(its->after);
}

std::string headline_of(const History& history) {
  const HistorySeries* latest = nullptr;
  const ChangePoint* its = nullptr;
  for (const HistorySeries& series : history.series)
    if (series.is_elapsed())
      for (const ChangePoint& change : series.changes)
        if (its == nullptr || change.at > its->at) {
          latest = &series;
          its = &change;
        }
  if (its == nullptr)
    return "No change of the elapsed time stands out in " +
           std::to_string(history.versions.size()) + " versions of " + history.program + ".";
  return "Since " + version_words(history, its->at) + " " + history.program + " is " +
         format_share(std::abs(its->change())) + (its->change() > 0 ? " slower" : " faster") +
         " on " + place_of(*latest) + ": " + format_seconds(its->before) + " before, " +
         format_seconds(its->after) + " after" + cause_of(history, *latest, *its) + ".";
}

std::optional<ReportTable> changes_table(const History& history) {
  ReportTable table{.id = "changes"};
  table.caption =
      "Since: likeliest version; between: 80 % sure; chance: probability of so clear a change if "
      "nothing changed";
  table.columns = {{"what", "what", Quantity::kText, Source::kNone, false, true},
                   {"procs", "processes", Quantity::kProcs},
                   {"version", "since", Quantity::kText, Source::kDerived, false, true},
                   {"between", "between", Quantity::kText, Source::kDerived, false, true},
                   {"before", "before", Quantity::kSeconds, Source::kMeasured},
                   {"after", "after", Quantity::kSeconds, Source::kMeasured},
                   {"change", "change", Quantity::kChange, Source::kDerived},
                   {"chance", "chance", Quantity::kShare, Source::kDerived}};
  struct Item {
    const HistorySeries* series;
    const ChangePoint* change;
  };
  std::vector<Item> items;
  for (const HistorySeries& series : history.series)
    for (const ChangePoint& change : series.changes) items.push_back({&series, &change});
  if (items.empty()) return std::nullopt;
  const bool has_sizes = std::any_of(items.begin(), items.end(),
                                     [](const Item& item) { return !item.series->params.empty(); });
  if (has_sizes) table.columns.insert(table.columns.begin() + 2, {"size", "size", Quantity::kText});
  // Sorted by the added seconds, so that the largest slow-down comes first.
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.change->after - a.change->before > b.change->after - b.change->before;
  });
  for (const auto& [series, change] : items) {
    table.rows.push_back({.cells = {text_cell(series->what), number_cell(series->procs),
                                    text_cell(history.versions[change->at].name),
                                    text_cell(between_words(history, *change)),
                                    number_cell(change->before), number_cell(change->after),
                                    number_cell(change->change()), number_cell(change->chance)},
                          .emphasised = series->is_elapsed()});
    std::vector<ReportCell>& cells = table.rows.back().cells;
    if (has_sizes) cells.insert(cells.begin() + 2, text_cell(params_words(series->params)));
  }
  return table;
}

HistoryChart chart_of(const History& history, const HistorySeries& series) {
  HistoryChart chart;
  chart.title = series.what + (series.source.empty() ? "" : " [" + series.source + "]") + ", " +
                place_of(series);
  for (const History::Entry& version : history.versions) chart.versions.push_back(version.name);
  chart.seconds = series.seconds;
  std::size_t from = 0;
  for (const ChangePoint& change : series.changes) {
    chart.levels.push_back({from, change.at, change.before});
    from = change.at;
  }
  if (!series.changes.empty())
    chart.levels.push_back({from, history.versions.size(), series.changes.back().after});
  chart.description = "Seconds by version: " + chart.title + ".";
  for (const ChangePoint& change : series.changes)
    chart.description +=
        " " + format_change(change.change()) + " since " + version_words(history, change.at) + ".";
  return chart;
}

/// A row for each version, with the times at the process count and sizes of the first series.
ReportTable versions_table(const History& history) {
  ReportTable table{.id = "versions"};
  table.columns = {{"version", "version", Quantity::kText, Source::kNone, false, true},
                   {"first_run", "first run", Quantity::kText},
                   {"runs", "runs", Quantity::kCount, Source::kMeasured}};
  std::vector<const HistorySeries*> shown;
  for (const HistorySeries& series : history.series) {
    if (shown.size() >= kMostColumns) break;
    if (!shown.empty() &&
        (series.procs != shown.front()->procs || series.params != shown.front()->params))
      continue;
    shown.push_back(&series);
    table.columns.push_back({"t" + std::to_string(shown.size()), short_name(series.what, 24),
                             Quantity::kSeconds, Source::kMeasured, shown.size() > 3,
                             series.is_kernel});
  }
  if (!shown.empty())
    table.caption = "With " + place_of(*shown.front()) +
                    "; medians over the runs of a version, "
                    "means over processes; bold: the elapsed time changed";
  for (std::size_t v = 0; v < history.versions.size(); ++v) {
    const History::Entry& version = history.versions[v];
    ReportRow row{.cells = {text_cell(version.name), text_cell(version.since.substr(0, 16)),
                            number_cell(version.runs)}};
    for (const HistorySeries* series : shown) row.cells.push_back(number_cell(series->seconds[v]));
    row.emphasised =
        !shown.empty() && std::any_of(shown.front()->changes.begin(), shown.front()->changes.end(),
                                      [v](const ChangePoint& c) { return c.at == v; });
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report make_history_report(const History& history) {
  Report report;
  report.title = "History of " + history.program;
  report.headline = headline_of(history);
  report.facts = {
      {"program", history.program},
      {"versions", std::to_string(history.versions.size()) + ", " + history.versions.front().name +
                       " to " + history.versions.back().name}};
  ReportSection changes{.id = "changes", .title = "Changes"};
  if (auto table = changes_table(history)) {
    changes.tables.push_back(std::move(*table));
    report.sections.push_back(std::move(changes));
  }
  ReportSection charts{.id = "series", .title = "Times by version"};
  for (const HistorySeries& series : history.series)
    if (charts.history_charts.size() < kMostCharts)
      charts.history_charts.push_back(chart_of(history, series));
  charts.tables.push_back(versions_table(history));
  report.sections.push_back(std::move(charts));
  report.warnings = history.warnings;
  return report;
}

}  // namespace apmt
