// The report of an analysis that is joined with a recorded run: functions with time and counts, and
// functions with only time or only counts.
#include "reports/kernel_join.h"

#include <algorithm>

#include "reports/numbers.h"

namespace apmt {
namespace {

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

ReportTable function_table(const KernelJoin& join) {
  ReportTable table{.id = "functions", .caption = "Functions"};
  table.columns = {
      {.id = "function", .title = "function", .is_code = true},
      {.id = "time",
       .title = "CPU time",
       .quantity = Quantity::kSeconds,
       .source = Source::kMeasured},
      {.id = "share",
       .title = "of the run",
       .quantity = Quantity::kShare,
       .source = Source::kMeasured},
      {.id = "joined", .title = "joined", .quantity = Quantity::kShare, .source = Source::kDerived},
      {.id = "flops", .title = "flops", .quantity = Quantity::kCount, .source = Source::kSimulated},
      {.id = "bytes",
       .title = "accessed",
       .quantity = Quantity::kBytes,
       .source = Source::kSimulated},
      {.id = "intensity",
       .title = "flops/byte",
       .quantity = Quantity::kPlain,
       .source = Source::kDerived}};
  if (join.is_same_input)
    table.columns.push_back({.id = "rate",
                             .title = "flops/CPU s",
                             .quantity = Quantity::kCount,
                             .source = Source::kDerived});
  for (const JoinedFunction& f : join.functions) {
    const bool is_counted = f.counts.ir_instructions > 0;
    const auto count = [&](double n) { return is_counted ? std::optional(n) : std::nullopt; };
    const auto intensity = ratio(f.counts.flops, f.counts.bytes());
    ReportRow row{
        .cells = {{.text = f.name},
                  {.value = f.cpu_s},
                  {.value = ratio(f.cpu_s, join.cpu_s)},
                  {.value = ratio(f.joined_s, f.cpu_s)},
                  {.value = count(f.counts.flops)},
                  {.value = count(f.counts.bytes())},
                  {.text = intensity ? format_significant(*intensity) : "", .value = intensity}}};
    if (join.is_same_input)
      row.cells.push_back({.value = is_counted ? ratio(f.counts.flops, f.cpu_s) : std::nullopt});
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 12;
  table.more = "functions";
  return table;
}

ReportTable missing_table(const KernelJoin& join) {
  ReportTable table{.id = "missing", .caption = "Time without counts"};
  table.columns = {{.id = "function", .title = "function", .is_code = true},
                   {.id = "time",
                    .title = "CPU time",
                    .quantity = Quantity::kSeconds,
                    .source = Source::kMeasured},
                   {.id = "share",
                    .title = "of the run",
                    .quantity = Quantity::kShare,
                    .source = Source::kMeasured},
                   {.id = "reason", .title = "why"}};
  for (const MissingTime& m : join.missing)
    table.rows.push_back({.cells = {{.text = m.name},
                                    {.value = m.cpu_s},
                                    {.value = ratio(m.cpu_s, join.cpu_s)},
                                    {.text = m.reason}}});
  table.text_rows = 20;
  table.more = "functions";
  return table;
}

ReportTable unplaced_table(const KernelJoin& join) {
  ReportTable table{.id = "unplaced", .caption = "Counts without time"};
  table.columns = {{.id = "function", .title = "function", .is_code = true},
                   {.id = "instructions",
                    .title = "of the IR counted",
                    .quantity = Quantity::kShare,
                    .source = Source::kSimulated},
                   {.id = "flops",
                    .title = "flops",
                    .quantity = Quantity::kCount,
                    .source = Source::kSimulated}};
  for (const UnplacedCounts& u : join.unplaced)
    table.rows.push_back(
        {.cells = {{.text = u.name},
                   {.value = ratio(u.counts.ir_instructions, join.ir_instructions)},
                   {.value = u.counts.flops}}});
  table.text_rows = 5;
  table.more = "functions";
  return table;
}

/// Of the functions that are not joined, those with the most time.
std::string most_missing(const KernelJoin& join) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, join.missing.size()); ++i)
    names.push_back(join.missing[i].name + " (" + format_share(join.missing[i].cpu_s / join.cpu_s) +
                    ")");
  if (join.missing.size() > kMost) names.push_back("others");
  return join_list(names);
}

}  // namespace

Report make_join_report(const KernelJoin& join) {
  Report report;
  report.title = "Analysis of " + join.program + ", joined with the run of " + join.command;
  const std::string joined = format_share(join.share()) + " of the run's compute time";
  report.headline = join.is_enough() ? joined + " is joined with counts."
                                     : "Only " + joined + " is joined with counts, less than " +
                                           format_share(kEnoughJoined) +
                                           "; missing: " + most_missing(join) + ".";
  report.facts = {{"analysed", join.program}, {"recorded", join.command}};
  for (const std::string& note : join.notes) report.warnings.push_back(note);
  ReportSection section{.id = "join", .title = "Joined by source function"};
  section.tables.push_back(function_table(join));
  if (!join.missing.empty()) section.tables.push_back(missing_table(join));
  if (!join.unplaced.empty()) section.tables.push_back(unplaced_table(join));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace apmt
