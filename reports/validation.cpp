#include "reports/validation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<ReportColumn> check_columns(double confidence) {
  return {{"measured", "measured", Quantity::kSeconds, Source::kMeasured},
          {"predicted", "predicted", Quantity::kSeconds, Source::kFitted},
          {"interval", format_share(confidence) + " interval", Quantity::kSecondsRange,
           Source::kFitted},
          {"error", "error", Quantity::kChange, Source::kDerived},
          {"covered", "inside", Quantity::kText, Source::kDerived}};
}

void add_check(const Check& check, ReportRow* row) {
  row->cells.push_back(number_cell(check.measured_s));
  row->cells.push_back(time_cell(check.predicted));
  row->cells.push_back(interval_cell(check.predicted));
  row->cells.push_back(number_cell(finite(check.error())));
  row->cells.push_back(text_cell(check.is_covered() ? "yes" : "no"));
}

ReportTable points_table(const Model& model, const std::vector<Validation>& validations,
                         bool runs_differ) {
  ReportTable table{.id = "validation"};
  table.caption = "Error: predicted relative to measured";
  table.columns = {{"procs", "processes", Quantity::kProcs}};
  for (const std::string& name : model.param_names)
    table.columns.push_back({name, name, Quantity::kSize, Source::kAssumed});
  for (ReportColumn& column : check_columns(validations.front().confidence))
    table.columns.push_back(std::move(column));
  table.columns.push_back({"extrapolation", "extrapolated", Quantity::kFactor, Source::kDerived});
  for (const Validation& v : validations) {
    ReportRow row;
    row.cells.push_back(number_cell(v.procs));
    for (const std::string& name : model.param_names) {
      const auto found = v.params.find(name);
      row.cells.push_back(found == v.params.end() ? ReportCell{} : number_cell(found->second));
    }
    if (v.whole) {
      add_check(*v.whole, &row);
    } else {
      row.cells.resize(row.cells.size() + 5);
    }
    ReportCell factor = number_cell(v.extrapolation_factor);
    if (v.was_fitted) factor.text = runs_differ ? "no: count was profiled" : "no: was profiled";
    row.cells.push_back(factor);
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable baselines_table(const std::vector<Validation>& validations) {
  ReportTable table{.id = "baselines"};
  table.caption = "Errors of the reference models fitted to the same runs";
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"apmt", "apmt", Quantity::kChange, Source::kDerived}};
  std::vector<std::string> names;
  for (const Validation& v : validations)
    for (const auto& [name, error] : v.baseline_errors)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (const std::string& name : names)
    table.columns.push_back({name, name, Quantity::kChange, Source::kDerived});
  if (names.empty()) return table;
  for (const Validation& v : validations) {
    if (!v.whole) continue;
    ReportRow row;
    row.cells = {number_cell(v.procs), number_cell(finite(v.whole->error()))};
    for (const std::string& name : names) {
      const auto found = v.baseline_errors.find(name);
      row.cells.push_back(found == v.baseline_errors.end() ? ReportCell{}
                                                           : number_cell(found->second));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable parts_table(const Validation& v) {
  ReportTable table{.id = "parts"};
  table.columns = {{"part", "part", Quantity::kText}};
  for (ReportColumn& column : check_columns(v.confidence))
    table.columns.push_back(std::move(column));
  for (const PartColumn& part : kPartColumns) {
    const auto found = v.parts.find(std::string(part.id) + "_s");
    if (found == v.parts.end()) continue;
    ReportRow row;
    row.cells = {text_cell(part_title(part, false))};
    add_check(found->second, &row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_prediction(const TimeEstimate& time, ReportRow* row) {
  row->cells.push_back({});
  row->cells.push_back(time_cell(time));
  row->cells.push_back(interval_cell(time));
  row->cells.resize(row->cells.size() + 2);
}

/// For each kernel: computation, memory, and its own calls to MPI. Computation and memory are only
/// predicted, because no measurement separates them.
ReportTable kernel_parts_table(const Model& model, const Validation& v) {
  ReportTable table{.id = "kernel_parts"};
  table.text_rows = kKernelsInText;
  table.more = "parts";
  table.columns = {{"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
                   {"part", "part", Quantity::kText}};
  for (ReportColumn& column : check_columns(v.confidence))
    table.columns.push_back(std::move(column));
  for (const Validation::Kernel& kernel : v.kernels) {
    const auto add_row = [&](const char* part, const auto& cells, const auto& of) {
      if (!of) return;
      ReportRow row{
          .cells = {text_cell(kernel_title(model, model.kernels[kernel.index])), text_cell(part)}};
      cells(*of, &row);
      table.rows.push_back(std::move(row));
    };
    add_row("computation", add_prediction, kernel.comp);
    add_row("memory", add_prediction, kernel.mem);
    add_row("its messages", add_check, kernel.transfer);
    add_row("its waiting", add_check, kernel.wait);
  }
  return table;
}

ReportTable kernels_table(const Model& model, const Validation& v) {
  ReportTable table{.id = "kernels"};
  table.caption = "Inside: allowing for the sampling error of the measured time";
  table.text_rows = kKernelsInText;
  table.more = "kernels";
  table.columns = {{"kernel", "kernel", Quantity::kText, Source::kNone, false, true}};
  for (ReportColumn& column : check_columns(v.confidence))
    table.columns.push_back(std::move(column));
  for (const Validation::Kernel& kernel : v.kernels) {
    ReportRow row;
    row.cells = {text_cell(kernel_title(model, model.kernels[kernel.index]))};
    add_check(kernel.check, &row);
    const std::size_t first = row.cells.size() - check_columns(v.confidence).size();
    row.cells[first] = sampled_cell(kernel.check.measured_s, kernel.one_sample_s);
    if (kernel.check.is_bound) {
      row.cells[first + 1] = sampled_cell(0, kernel.check.predicted.high_s);
      row.cells[first + 2] = {};
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The predicted count; a range if several laws fit the runs and their predictions differ.
ReportCell predicted_count_cell(const CountCheck& check, std::string (*words)(double)) {
  if (!check.predicted) return {};
  ReportCell cell = number_cell(*check.predicted);
  const std::string low = words(check.low);
  const std::string high = words(check.high);
  if (low != high) cell.text = low + " to " + high;
  return cell;
}

ReportTable operations_table(const Validation& v) {
  ReportTable table{.id = "operations"};
  table.columns = {{"operation", "operation", Quantity::kText, Source::kNone, false, true},
                   {"calls", "calls", Quantity::kCount, Source::kMeasured},
                   {"calls_predicted", "predicted", Quantity::kCount, Source::kFitted},
                   {"calls_error", "error", Quantity::kChange, Source::kDerived},
                   {"bytes", "bytes", Quantity::kBytes, Source::kMeasured},
                   {"bytes_predicted", "predicted", Quantity::kBytes, Source::kFitted},
                   {"bytes_error", "error", Quantity::kChange, Source::kDerived}};
  for (const OperationCheck& check : v.operations) {
    ReportRow row{.cells = {text_cell(check.op)}};
    for (const bool bytes : {false, true}) {
      const CountCheck& count = bytes ? check.bytes : check.calls;
      row.cells.push_back(number_cell(count.measured));
      row.cells.push_back(predicted_count_cell(count, bytes ? format_bytes : format_count));
      row.cells.push_back(number_cell(count.error()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The validation with the largest process count among those whose runs the model was not fitted
/// to; if the model was fitted to the runs of all validations, the one with the largest process
/// count of all.
const Validation& farthest(const std::vector<Validation>& validations) {
  return *std::max_element(validations.begin(), validations.end(),
                           [](const Validation& a, const Validation& b) {
                             if (a.was_fitted != b.was_fitted) return a.was_fitted;
                             return a.procs < b.procs;
                           });
}

/// Says why there is no verdict: which parts the model predicts but these runs did not measure.
std::string no_verdict(const Validation& v) {
  const std::vector<std::string> parts = words_of_parts(v.missing);
  const std::string at = "At " + processes(v.procs);
  if (parts.empty()) return at + " nothing was measured that the model predicts: no verdict.";
  return at + " there is no verdict on the whole: the model predicts " + join_list(parts) +
         ", which these runs did not measure" +
         (v.oversubscribed ? ", because they had more ranks than CPUs." : ".");
}

std::string headline_of(const Validation& v) {
  if (!v.whole) return no_verdict(v);
  const Check& whole = *v.whole;
  const double error = whole.error();
  return "At " + processes(v.procs) + " " + format_estimate(whole.predicted, v.confidence) +
         " was predicted, " + format_seconds(whole.measured_s) + " was measured: " +
         (std::abs(error) < 0.005
              ? "equal within 0.5 %"
              : format_share(std::abs(error)) + (error > 0 ? " too high" : " too low")) +
         (whole.is_covered() ? ", inside the interval." : ", outside the interval.");
}

}  // namespace

Report make_validation_report(const Model& model, const std::vector<Validation>& validations,
                              const std::vector<std::string>& cautions) {
  Report report;
  report.title = "Validation of " + model.program;
  const Validation& target = farthest(validations);
  report.headline = headline_of(target);
  int unseen = 0;
  int covered = 0;
  double error = 0;
  for (const Validation& v : validations) {
    if (v.was_fitted || !v.whole) continue;
    ++unseen;
    covered += v.whole->is_covered();
    error += std::abs(v.whole->error());
  }
  if (unseen > 1)
    report.reasons.push_back(
        "Over " + std::to_string(unseen) + " points that the model has not seen: mean error " +
        format_share(error / unseen) + ", " + std::to_string(covered) + " inside the interval.");
  if (unseen == 0 && target.was_fitted)
    report.warnings.push_back(
        target.same_runs
            ? "the model was fitted to these very runs: this shows how well it fits them, not how "
              "well it predicts"
            : "the model was fitted to runs with these process counts, perhaps to some of these: "
              "this does not show how well it extrapolates");
  // Before the tables, because the errors in them may say nothing about the model.
  for (const std::string& caution : cautions) report.reasons.push_back("Caution: " + caution + ".");
  ReportSection points{.id = "validation", .title = "Predicted and measured"};
  points.tables.push_back(points_table(model, validations, !cautions.empty()));
  ReportTable baselines = baselines_table(validations);
  if (!baselines.rows.empty()) points.tables.push_back(std::move(baselines));
  report.sections.push_back(std::move(points));
  if (!target.parts.empty()) {
    ReportSection parts{.id = "parts", .title = "Parts at " + processes(target.procs)};
    parts.sentences.push_back("Seconds per process, means over processes.");
    parts.tables.push_back(parts_table(target));
    report.sections.push_back(std::move(parts));
  }
  if (!target.operations.empty()) {
    ReportSection operations{.id = "operations",
                             .title = "Calls and bytes at " + processes(target.procs)};
    operations.sentences.push_back(
        "All processes together. A range: several laws fit the runs, and their predictions "
        "differ.");
    operations.tables.push_back(operations_table(target));
    report.sections.push_back(std::move(operations));
  }
  if (!target.kernels.empty()) {
    ReportSection kernels{.id = "kernels", .title = "Kernels at " + processes(target.procs)};
    kernels.tables.push_back(kernels_table(model, target));
    ReportTable parts = kernel_parts_table(model, target);
    if (!parts.rows.empty()) {
      kernels.sentences.push_back(
          "Parts of kernels: computation and memory add up to a kernel's time and are not measured "
          "apart; messages and waiting are those of its own calls to MPI, beside that time.");
      kernels.tables.push_back(std::move(parts));
    }
    report.sections.push_back(std::move(kernels));
  }
  return report;
}

}  // namespace apmt
