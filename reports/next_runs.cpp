#include "reports/next_runs.h"

#include <algorithm>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

ReportTable candidates_table(const std::vector<NextRun>& runs) {
  ReportTable table{.id = "next-runs"};
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"new", "run", Quantity::kText},
                   {"time", "time of a run", Quantity::kSeconds, Source::kFitted},
                   {"core_hours", "core-hours", Quantity::kCoreHours, Source::kDerived},
                   {"width", "interval would be", Quantity::kShare, Source::kDerived},
                   {"gain", "narrower by", Quantity::kShare, Source::kDerived},
                   {"per_core_hour", "% per core-hour", Quantity::kPlain, Source::kDerived}};
  for (const NextRun& run : runs) {
    ReportRow row;
    const auto rounded = [](double value) {
      return ReportCell{.text = format_significant(value), .value = value};
    };
    row.cells = {{.text = {}, .value = run.procs},
                 {.text = run.is_new ? "new" : "again", .value = {}},
                 {.text = {}, .value = run.time_s},
                 rounded(run.core_hours),
                 {.text = {}, .value = run.width_after},
                 {.text = run.gain() > 0 ? "" : "not at all", .value = run.gain()},
                 rounded(std::max(0.0, 100 * run.gain_per_core_hour()))};
    row.emphasised = &run == &runs.front();
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string kind_of_run(const VerdictRun& run) {
  return run.kind == VerdictRun::Kind::kSmallData
             ? "with data that fit into the caches"
             : "at " + format_share(kSlowFrequency) + " of the core frequency";
}

ReportTable verdict_runs_table(const Model& model, const std::vector<VerdictRun>& runs) {
  ReportTable table{.id = "verdict-runs"};
  table.columns = {{"kernel", "kernel", Quantity::kText},
                   {"run", "run", Quantity::kText},
                   {"procs", "processes", Quantity::kProcs},
                   {"core_hours", "core-hours", Quantity::kCoreHours, Source::kDerived},
                   {"bound", "bound by", Quantity::kText},
                   {"probability", "probability", Quantity::kShare, Source::kFitted},
                   {"expected", "after the run", Quantity::kShare, Source::kDerived},
                   {"per_core_hour", "% per core-hour", Quantity::kPlain, Source::kDerived}};
  for (const VerdictRun& run : runs) {
    ReportRow row;
    row.cells = {
        {.text = short_name(kernel_title(model, model.kernels.at(run.kernel))), .value = {}},
        {.text = kind_of_run(run), .value = {}},
        {.text = {}, .value = run.procs},
        {.text = format_significant(run.core_hours), .value = run.core_hours},
        {.text = run.bound, .value = {}},
        {.text = {}, .value = run.probability},
        {.text = {}, .value = run.expected_probability},
        {.text = format_significant(100 * run.gain_per_core_hour()),
         .value = 100 * run.gain_per_core_hour()}};
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportSection verdict_runs_section(const Model& model, const std::vector<VerdictRun>& runs) {
  ReportSection section{.id = "verdict-runs", .title = "Compute-bound or memory-bound?"};
  section.sentences = {
      "For these kernels, the runs leave open whether computation or memory bounds them. A run at "
      "a smaller problem size, whose data fit into the caches, would show how long computation "
      "alone takes; record it into the same experiment, and count its accesses (apmt simulate). "
      "apmt refine --frequency makes runs at other core frequencies."};
  section.tables.push_back(verdict_runs_table(model, runs));
  return section;
}

}  // namespace

std::string core_hours_text(double hours) { return format_significant(hours) + " core-hours"; }

Report make_next_runs_report(const Model& model, const NextRunsSummary& next) {
  Report report;
  report.title = "Next runs of " + model.program;
  const std::string at = std::to_string(next.at);
  if (next.helps()) {
    const NextRun& best = next.runs.front();
    report.headline = "Best value: " + plural(next.reps, "run", "runs") + " on " +
                      processes(best.procs) + ", " + core_hours_text(best.core_hours) +
                      ": the interval at " + at + " would be " + format_share(best.gain()) +
                      " narrower.";
  } else {
    report.headline = "No run within reach would narrow the interval at " + at + " processes.";
  }
  report.reasons = {"Each candidate is assumed to take its predicted time."};
  if (!next.runs.empty()) {
    ReportSection section{.id = "next-runs", .title = "Candidates"};
    section.tables.push_back(candidates_table(next.runs));
    report.sections.push_back(std::move(section));
  }
  if (!next.for_verdicts.empty())
    report.sections.push_back(verdict_runs_section(model, next.for_verdicts));
  return report;
}

}  // namespace apmt
