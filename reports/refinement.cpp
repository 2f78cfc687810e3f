#include "reports/refinement.h"

#include <cmath>

#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

std::string with_error(double value, double error) {
  return format_significant(value) + " +- " + format_significant(error, 1);
}

std::string source_words(const RefinedKernel& kernel) {
  if (!kernel.line.is_usable()) return kernel.line.verdict;
  return kernel.line.from == "frequencies" ? "frequencies" : "spread over P, D";
}

ReportTable kernels_table(const Model& model, const RefinementSummary& summary) {
  ReportTable table{.id = "refinement"};
  table.caption =
      "Before: from stalled cycles at all levels; after: from the fitted line, memory beyond the "
      "core";
  table.columns = {{"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
                   {"cpi_before", "CPI before", Quantity::kPlain, Source::kMeasured},
                   {"cpi_core", "CPI_core", Quantity::kText, Source::kFitted},
                   {"bf_before", "BF before", Quantity::kPlain, Source::kMeasured},
                   {"bf_mem", "BF_mem", Quantity::kText, Source::kFitted},
                   {"r_squared", "R^2", Quantity::kPlain, Source::kDerived},
                   {"from", "line from", Quantity::kText}};
  const auto rounded = [](const std::optional<double>& value) {
    ReportCell cell = number_cell(value);
    if (value) cell.text = format_significant(*value);
    return cell;
  };
  for (const RefinedKernel& k : summary.kernels) {
    ReportRow row;
    const bool good = k.line.is_usable();
    const auto fitted = [&](const std::optional<double>& value,
                            const std::optional<double>& error) {
      ReportCell cell;
      if (!good || !value) return cell;
      cell = number_cell(value);
      cell.text = with_error(*value, error.value_or(0));
      return cell;
    };
    row.cells = {text_cell(kernel_title(model, model.kernels[k.index])),
                 rounded(k.line.cpi_before),
                 fitted(k.line.cpi_core, k.line.cpi_core_se),
                 rounded(k.line.bf_before),
                 fitted(k.line.bf_mem, k.line.bf_mem_se),
                 good ? rounded(k.line.r_squared) : ReportCell{},
                 text_cell(source_words(k))};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report make_refinement_report(const Model& model, const RefinementSummary& summary) {
  Report report;
  report.title = "Refinement of " + model.program;
  const int refined = summary.refined();
  const int all = static_cast<int>(summary.kernels.size());
  report.headline =
      refined == 0 ? "No kernel could be refined from " + plural(summary.runs, "run", "runs") + "."
                   : "CPI_core and waiting for memory are separated for " +
                         std::to_string(refined) + " of " + plural(all, "kernel", "kernels") +
                         ", from " + plural(summary.runs, "run", "runs") + ".";
  if (summary.highest_hz > 0)
    report.reasons.push_back("Cores ran at " + format_significant(summary.lowest_hz * 1e-9) +
                             " to " + format_significant(summary.highest_hz * 1e-9) +
                             " GHz, as measured.");
  if (summary.backtest_error_before && summary.backtest_error_after)
    report.reasons.push_back("Back-test error: " + format_change(*summary.backtest_error_before) +
                             " before, " + format_change(*summary.backtest_error_after) + " now.");
  bool any_spread = false;
  bool any_total = false;
  int with_law = 0;
  for (const RefinedKernel& k : summary.kernels) {
    any_spread = any_spread || (k.line.is_usable() && k.line.from == "spread");
    any_total = any_total || (k.line.cpi_before && k.is_cpi_before_total);
    with_law += k.has_new_law;
  }
  if (any_spread)
    report.warnings.push_back(
        "lines \"spread over P, D\" come from runs at other process counts or sizes and assume "
        "that CPI_core is the same in all of them; lines from runs at other frequencies do not");
  if (any_total)
    report.warnings.push_back(
        "stalls were not counted: \"CPI before\" is the total CPI, which includes memory time");
  if (refined > 0)
    report.reasons.push_back(
        with_law == 0
            ? "Predicted times are unchanged: the refined costs predict no kernel's time. They "
              "need "
              "runs at other frequencies, and laws of instructions and accesses to memory that "
              "explain how the time changes."
            : "Predictions for " + plural(with_law, "kernel", "kernels") +
                  " use the refined costs.");
  ReportSection section{.id = "refinement", .title = "Before and after"};
  if (!summary.kernels.empty()) section.tables.push_back(kernels_table(model, summary));
  for (const RefinedKernel& k : summary.kernels)
    if (!k.line.is_usable())
      section.sentences.push_back(kernel_title(model, model.kernels[k.index]) + ": " +
                                  k.line.verdict + " (" + k.line.why + ").");
  if (!summary.kernels.empty()) report.sections.push_back(std::move(section));
  return report;
}

}  // namespace apmt
