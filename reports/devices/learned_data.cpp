// Reports what a data set of kernels and devices contains, and which of its data are unusable for
// training.
#include "reports/devices/learned.h"
#include "reports/numbers.h"
#include "reports/words.h"

namespace apmt {
namespace {

using learned::DataFindings;

/// "a = b; c = d = e": the members of a group are equal. Groups beyond the first kShown are only
/// counted.
std::string groups_text(const std::vector<std::vector<std::string>>& groups) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < groups.size() && i < kShown; ++i)
    lines.push_back(join_list(groups[i], " = "));
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  if (groups.size() > kShown) text += "; and " + std::to_string(groups.size() - kShown) + " more";
  return text;
}

/// One text per group, with its members joined by " = ".
std::vector<std::vector<std::string>> joined_pairs(
    const std::vector<std::vector<std::string>>& groups) {
  std::vector<std::vector<std::string>> list;
  for (const std::vector<std::string>& group : groups) {
    std::string text;
    for (const std::string& each : group) text += (text.empty() ? "" : " = ") + each;
    list.push_back({text});
  }
  return list;
}

std::size_t surplus(const std::vector<std::vector<std::string>>& groups) {
  std::size_t count = 0;
  for (const std::vector<std::string>& group : groups) count += group.size();
  return count;
}

ReportTable applications_table(const DataFindings& findings) {
  ReportTable table{.id = "applications"};
  table.columns = {{.id = "application", .title = "application", .is_code = true},
                   {.id = "runs", .title = "runs", .quantity = Quantity::kCount},
                   {.id = "share", .title = "share", .quantity = Quantity::kShare}};
  for (const auto& [application, runs] : findings.runs_of)
    table.rows.push_back({.cells = {{.text = application},
                                    {.value = runs},
                                    {.value = static_cast<double>(runs) / findings.runs}}});
  return table;
}

ReportTable missing_table(const DataFindings& findings) {
  ReportTable table{.id = "missing", .caption = "Values that are missing"};
  table.columns = {{.id = "column", .title = "column", .is_code = true},
                   {.id = "runs", .title = "runs without it", .quantity = Quantity::kCount}};
  for (const auto& [column, runs] : findings.missing)
    table.rows.push_back({.cells = {{.text = column}, {.value = runs}}});
  return table;
}

void warn(const std::vector<std::vector<std::string>>& groups, const std::string& one,
          const std::string& many, const std::string& consequence, Report* report) {
  if (groups.empty()) return;
  report->warnings.push_back(capitalised(plural(static_cast<double>(surplus(groups)), one, many)) +
                             " " + consequence + ": " + groups_text(joined_pairs(groups)) + ".");
}

}  // namespace

Report make_data_report(const DataFindings& findings) {
  Report report;
  report.title = findings.title;
  report.headline =
      capitalised(plural(findings.runs, "run", "runs")) + " of " +
      plural(findings.kernels, "kernel", "kernels") + " and " +
      plural(static_cast<double>(findings.runs_of.size()), "application", "applications") +
      ", each with " + plural(findings.features, "feature", "features") + " (" +
      findings.definitions + ") and times on " + plural(findings.devices, "device", "devices") +
      ".";
  if (findings.distinct_features < findings.runs)
    report.reasons.push_back("Some runs have the same features: there are only " +
                             std::to_string(findings.distinct_features) + " different sets.");
  ReportSection section{.id = "contents", .title = "Applications"};
  section.tables.push_back(applications_table(findings));
  if (!findings.missing.empty()) section.tables.push_back(missing_table(findings));
  report.sections.push_back(std::move(section));
  if (findings.suites.size() < 2)
    report.warnings.push_back(
        "All runs are of one suite, so it is unknown how well answers carry over to another.");
  if (!findings.constant.empty())
    report.warnings.push_back("The same in every run, so nothing can be learned from it: " +
                              join_list(findings.constant) + ".");
  warn(findings.equal, "feature", "features", "have the values of another in every run", &report);
  warn(findings.alike, "run", "runs",
       "have the features of another: where one is left out, the other gives its answer away",
       &report);
  warn(findings.repeated, "run", "runs", "are of the same kernel and input", &report);
  warn(findings.shared_times, "run", "runs",
       "share their times on all devices: one kernel of each pair was not measured by itself",
       &report);
  return report;
}

}  // namespace apmt
