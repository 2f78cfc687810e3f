#include "cli/refine_report.h"

#include <cctype>

#include "cli/refine_runs.h"
#include "reports/next_runs.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

Json to_json(const LoopState& state) {
  Json culprits = Json::array();
  for (const Culprit& c : state.culprits)
    culprits.push_back(
        {{"part", c.part}, {"words", c.words}, {"error_s", c.error_s}, {"share", c.share}});
  return {{"backtest_error", state.backtest_error},
          {"expected_error", state.expected_error},
          {"culprits", std::move(culprits)}};
}

const char* word(LoopResult::End end) {
  switch (end) {
    case LoopResult::End::kTarget:
      return "target";
    case LoopResult::End::kBudget:
      return "budget";
    case LoopResult::End::kPlanned:
      return "planned";
    case LoopResult::End::kStopped:
      return "stopped";
    case LoopResult::End::kNoHelp:
      break;
  }
  return "no help";
}

/// A sentence about the model's errors, which begins with `when` ("Before", "Now").
std::string standing(const char* when, const LoopState& s, int at, double target) {
  std::string text =
      std::string(when) + ": back-test error " +
      (s.model.backtest.possible ? format_share(s.backtest_error) : "not known yet") +
      ", expected error at " + processes(at) + " " + format_share(s.expected_error) + " (target " +
      format_share(target) + ")";
  if (!s.culprits.empty())
    text += "; largest contribution: " + s.culprits.front().words + " (" +
            format_share(s.culprits.front().share) + ")";
  return text + ".";
}

ReportTable table_of(const std::vector<LoopStep>& steps) {
  ReportTable table{.id = "steps"};
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"because", "because", Quantity::kText},
                   {"core_hours", "core-hours", Quantity::kCoreHours, Source::kDerived},
                   {"predicted", "predicted", Quantity::kSeconds, Source::kFitted},
                   {"measured", "measured", Quantity::kSeconds, Source::kMeasured}};
  for (const LoopStep& step : steps) {
    ReportRow row;
    row.cells = {{.text = {}, .value = step.run.procs},
                 {.text = step.because, .value = {}},
                 {.text = format_significant(step.run.core_hours), .value = step.run.core_hours},
                 {.text = {}, .value = step.predicted_s},
                 {}};
    if (step.measured_s > 0) row.cells.back().value = step.measured_s;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report make_loop_report(const LoopResult& result, int at, double target) {
  Report report;
  report.title = "Refinement of " + result.after.model.program;
  report.headline = std::string(1, static_cast<char>(std::toupper(result.why.front()))) +
                    result.why.substr(1) + ".";
  report.reasons.push_back(standing("Before", result.before, at, target));
  const bool made = !result.steps.empty() && result.steps.back().measured_s > 0;
  if (made) report.reasons.push_back(standing("Now", result.after, at, target));
  if (result.spent_core_hours > 0)
    report.reasons.push_back(core_hours_text(result.spent_core_hours) + " were spent.");
  if (result.steps.empty()) return report;
  ReportSection section{.id = "steps", .title = made ? "Runs made" : "The next run"};
  section.tables.push_back(table_of(result.steps));
  report.sections.push_back(std::move(section));
  return report;
}

Json to_json(const LoopResult& result, int at) {
  Json steps = Json::array();
  for (const LoopStep& step : result.steps)
    steps.push_back({{"run", to_json(step.run)},
                     {"because", step.because},
                     {"predicted_s", step.predicted_s},
                     {"measured_s", step.measured_s > 0 ? Json(step.measured_s) : Json()}});
  return {{"end", word(result.end)},
          {"why", result.why},
          {"at", at},
          {"before", to_json(result.before)},
          {"after", to_json(result.after)},
          {"spent_core_hours", result.spent_core_hours},
          {"steps", std::move(steps)}};
}

}  // namespace apmt
