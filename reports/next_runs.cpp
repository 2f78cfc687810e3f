#include "reports/next_runs.h"

#include <algorithm>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

/// A run that narrows the interval by so many times what the best value does is named, too.
constexpr double kMuchMore = 2;

std::string kind_of_run(const NextRun& run) {
  switch (run.kind) {
    case NextRun::Kind::kSmallData:
      return "small data";
    case NextRun::Kind::kSlowCore:
      return format_share(kSlowFrequency) + " of the core frequency";
    case NextRun::Kind::kLargerCaches:
      return "larger caches";
    case NextRun::Kind::kAsProfiled:
      break;
  }
  return run.is_new ? "new" : "again";
}

std::string verdict_text(const Model& model, const SharperVerdict& verdict) {
  return short_name(kernel_title(model, model.kernels.at(verdict.kernel))) + ": " + verdict.bound +
         ", " + format_share(verdict.probability) + " -> " +
         format_share(verdict.expected_probability);
}

ReportTable candidates_table(const Model& model, const std::vector<NextRun>& runs) {
  ReportTable table{.id = "next-runs"};
  table.caption = "Interval: its width, relative to the predicted time";
  const bool has_verdicts = std::any_of(runs.begin(), runs.end(),
                                        [](const NextRun& run) { return run.verdict.has_value(); });
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"run", "run", Quantity::kText},
                   {"time", "time of a run", Quantity::kSeconds, Source::kFitted},
                   {"core_hours", "core-hours", Quantity::kCoreHours, Source::kDerived},
                   {"width", "interval", Quantity::kShare, Source::kDerived},
                   {"gain", "narrower by", Quantity::kShare, Source::kDerived}};
  if (has_verdicts) table.columns.push_back({"verdict", "surer verdict", Quantity::kText});
  table.columns.push_back({"per_core_hour", "% per core-hour", Quantity::kPlain, Source::kDerived});
  for (const NextRun& run : runs) {
    ReportRow row;
    const auto rounded = [](double value) {
      return ReportCell{.text = format_significant(value), .value = value};
    };
    row.cells = {{.text = {}, .value = run.procs},
                 {.text = kind_of_run(run), .value = {}},
                 {.text = {}, .value = run.time_s},
                 rounded(run.core_hours),
                 {.text = {}, .value = run.width_after},
                 {.text = run.narrowing() > 0 ? "" : "not at all", .value = run.narrowing()}};
    if (has_verdicts)
      row.cells.push_back(
          {.text = run.verdict ? verdict_text(model, *run.verdict) : "", .value = {}});
    row.cells.push_back(rounded(std::max(0.0, 100 * run.gain_per_core_hour())));
    row.emphasised = &run == &runs.front();
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What the run is, and what it would achieve.
std::string run_text(const Model& model, const NextRunsSummary& next, const NextRun& best) {
  const std::string runs = plural(next.reps, "run", "runs");
  std::string text;
  switch (best.kind) {
    case NextRun::Kind::kSmallData:
      text = runs + " with data that fit into the caches";
      break;
    case NextRun::Kind::kSlowCore:
      text = "runs at lower core frequencies";
      break;
    case NextRun::Kind::kLargerCaches:
      text = "simulations with larger caches";
      break;
    case NextRun::Kind::kAsProfiled:
      text = runs;
  }
  text += " on " + processes(best.procs) + ", " + core_hours_text(best.core_hours) + ": ";
  if (best.verdict && best.verdict->gain() > best.narrowing())
    return text + "a surer verdict (" + verdict_text(model, *best.verdict) + ")";
  return text + "the interval at " + std::to_string(next.at) + " would be " +
         format_share(best.narrowing()) + " narrower";
}

/// How to make the runs that are not at the profiled sizes.
std::vector<std::string> how_to_make(const NextRunsSummary& next) {
  const auto has = [&](NextRun::Kind kind) {
    return std::any_of(next.runs.begin(), next.runs.end(),
                       [&](const NextRun& run) { return run.kind == kind; });
  };
  std::vector<std::string> sentences;
  if (has(NextRun::Kind::kSmallData))
    sentences.push_back(
        "Small data: record a run at a problem size whose data fit into the caches into the same "
        "experiment, and count its accesses (apmt simulate); it shows how long computation alone "
        "takes.");
  if (has(NextRun::Kind::kSlowCore))
    sentences.push_back("apmt refine --frequency makes runs at other core frequencies.");
  if (has(NextRun::Kind::kLargerCaches))
    sentences.push_back("Larger caches: apmt simulate --ahead " + std::to_string(next.at) +
                        " shows where data begin to fit into the caches.");
  return sentences;
}

}  // namespace

std::string core_hours_text(double hours) { return format_significant(hours) + " core-hours"; }

Report make_next_runs_report(const Model& model, const NextRunsSummary& next) {
  Report report;
  report.title = "Next runs of " + model.program;
  const std::string at = std::to_string(next.at);
  report.headline = next.helps() ? "Best value: " + run_text(model, next, next.runs.front()) + "."
                                 : "No run within reach would narrow the interval at " + at +
                                       " processes, or make a verdict surer.";
  const auto most = std::ranges::max_element(next.runs, {}, &NextRun::narrowing);
  if (next.helps() && most->narrowing() > kMuchMore * next.runs.front().narrowing())
    report.reasons.push_back("Most effect: " + run_text(model, next, *most) + ".");
  report.reasons.emplace_back(
      "Runs at profiled process counts and sizes are assumed to take the time measured there, "
      "others their "
      "predicted time.");
  if (!next.params.empty()) report.facts.push_back({"problem", params_words(next.params)});
  if (!next.runs.empty()) {
    ReportSection section{.id = "next-runs", .title = "Candidates"};
    section.sentences = how_to_make(next);
    section.tables.push_back(candidates_table(model, next.runs));
    report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace apmt
