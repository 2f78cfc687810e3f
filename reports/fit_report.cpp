#include <algorithm>
#include <cstdio>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

/// "halo2d at 2, 4 and 8 processes: three kernels cover at least 98 % of the compute time."
std::string fit_headline(const Model& model) {
  const FitSummary& summary = model.summary;
  const int named = summary.critical_kernels + summary.non_scalable_kernels;
  std::string text =
      short_name(model.program) + " at " + join_numbers(model.process_counts()) + " processes: ";
  if (knows_only_wholes(model)) {
    text += "one total time per run, no parts";
  } else if (named == 0) {
    text += "computation is modelled as one block";
  } else {
    text += format_small_number(named) + (named == 1 ? " kernel covers " : " kernels cover ") +
            (summary.min_coverage > 0.9995 ? std::string("all")
                                           : "at least " + format_share(summary.min_coverage)) +
            " of the compute time";
  }
  if (summary.non_scalable_kernels > 0) {
    text += "; " + format_small_number(summary.non_scalable_kernels) + " of them " +
            (summary.non_scalable_kernels == 1 ? "does" : "do") +
            " not get faster with more processes";
  }
  const bool communication =
      std::any_of(model.comm.begin(), model.comm.end(),
                  [](const CommModel& comm) { return comm.law.has_value(); });
  const bool measured_counts = !model.counts.empty();
  if (!communication && measured_counts) text += "; communication has counts but no times";
  return text + ".";
}

std::string place_words(const ModelPoint& point) {
  const std::string sizes = params_words(point.params);
  return "P = " + std::to_string(point.procs) + (sizes.empty() ? "" : " (" + sizes + ")");
}

/// Says which points have simulated counters and which do not.
std::vector<std::string> simulated_sentences(const Model& model) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  bool are_all = true;  // whether all repetitions of the points in `with` have counters
  const bool sized = model.scaling == Scaling::kWeak || model.scaling == Scaling::kMixed;
  for (const ModelPoint& point : model.points) {
    const std::string place = sized ? place_words(point) : "P = " + std::to_string(point.procs);
    (point.simulated_runs > 0 ? with : without).push_back(place);
    are_all = are_all && (point.simulated_runs == 0 || point.simulated_runs == point.repetitions);
  }
  if (with.empty()) return {};
  std::vector<std::string> list = {"Counters were simulated at " + join_list(with) +
                                   (are_all ? "."
                                            : ", in some of the repetitions; counts are the "
                                              "same in all of them, so these stand for all.")};
  if (!without.empty())
    list.push_back("There are no simulated counters at " + join_list(without) +
                   ": apmt simulate would add them, and without them no law of counts is fitted.");
  return list;
}

std::vector<std::string> fit_reasons(const Model& model) {
  std::vector<std::string> list;
  const bool no_time = std::any_of(model.comm.begin(), model.comm.end(), [](const CommModel& comm) {
    return !comm.law && !comm.ops.empty();
  });
  const std::string crowded = oversubscribed_words(model);
  if (no_time && !crowded.empty()) {
    list.push_back("Time inside MPI is not modelled: " + crowded + " had more ranks than cores.");
  }
  for (std::string& sentence : simulated_sentences(model)) list.push_back(std::move(sentence));
  if (model.summary.count_laws > 0) {
    const int exact = model.summary.exact_count_laws;
    const int all = model.summary.count_laws;
    const std::string which = exact == all ? "All " + std::to_string(all)
                                           : std::to_string(exact) + " of " + std::to_string(all);
    list.push_back(which + " laws of MPI calls and bytes reproduce every measured count exactly.");
  }
  return list;
}

OptionalSection fitted_kernels(const Model& model, const std::vector<Prediction>& curve) {
  if (model.kernels.empty() || knows_only_wholes(model)) return std::nullopt;
  const int least = model.min_procs();
  const int most = model.max_procs();
  ReportTable table{.id = "kernels"};
  table.text_rows = kFittedKernelsInText;
  table.more = "kernels";
  table.columns = {
      {"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
      {"role", "chosen because", Quantity::kText, Source::kDerived},
      {"max_share", "largest share", Quantity::kShare, Source::kMeasured},
      {"at_least", "at " + std::to_string(least), Quantity::kSeconds, Source::kMeasured}};
  if (most != least) {
    table.columns.push_back(
        {"at_most", "at " + std::to_string(most), Quantity::kSeconds, Source::kMeasured});
    table.columns.push_back({"ratio", "speed-up", Quantity::kFactor, Source::kDerived});
  }
  const bool strong = model.scaling == Scaling::kStrong;
  const bool has_ratio = strong && most != least;
  if (!has_ratio && most != least) table.columns.pop_back();
  if (!curve.empty())
    table.columns.push_back(
        {"law", "follows", Quantity::kText, Source::kFitted, false, true, true, true});
  table.columns.push_back(
      {"source", "source", Quantity::kText, Source::kNone, false, true, false, true});
  std::vector<const Prediction*> all;
  for (const Prediction& prediction : curve) all.push_back(&prediction);
  const std::string over = "over " + format_number(model.threshold * 100) + " %";
  bool has_caller = false;  // a kernel that was chosen for its MPI calls
  for (const KernelModel& kernel : model.kernels) {
    const std::optional<double> first = value_at(kernel.points, least);
    const std::optional<double> last = value_at(kernel.points, most);
    const bool is_caller =
        kernel.role == KernelRole::kCritical && kernel.max_share <= model.threshold;
    has_caller = has_caller || is_caller;
    const std::string why = is_caller                                 ? "MPI " + over
                            : kernel.role == KernelRole::kCritical    ? over
                            : kernel.role == KernelRole::kNonScalable ? "does not get faster"
                                                                      : "";
    ReportRow row{.cells = {text_cell(kernel_title(model, kernel)), text_cell(why),
                            number_cell(kernel.max_share), kernel_cell(model, kernel, least)}};
    if (most != least) row.cells.push_back(kernel_cell(model, kernel, most));
    if (has_ratio)
      row.cells.push_back(number_cell(
          first && *first > 0 && last && *last > 0 ? std::optional(*first / *last) : std::nullopt));
    if (!curve.empty())
      row.cells.push_back(
          text_cell(kernel_law(static_cast<std::size_t>(&kernel - model.kernels.data()), all)));
    row.cells.push_back(text_cell(kernel.id.source));
    table.rows.push_back(std::move(row));
  }
  table.caption = "CPU time per process outside MPI; largest share of compute time at any point";
  if (const std::string sizes = measured_sizes_words(model); !sizes.empty())
    table.caption += "; " + sizes;
  if (has_caller) table.caption += "; MPI " + over + ": the share of the run in its MPI calls";
  ReportSection section{.id = "kernels", .title = "Kernels"};
  if (!curve.empty())
    section.sentences.push_back("Follows: a short law of the fitted time from " +
                                std::to_string(curve.front().procs) + " to " +
                                processes(curve.back().procs) + " (P).");
  section.tables.push_back(std::move(table));
  return section;
}

std::string four_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", x);
  return text;
}

/// The formulas that `apmt fit --method paper` chose, with the R^2 by which it chose them.
OptionalSection paper_section(const Model& model) {
  if (model.paper_forms.empty()) return std::nullopt;
  ReportTable table{.id = "paper_forms"};
  table.caption =
      "Seconds per process; with three points and two coefficients R^2 is always near 1";
  table.columns = {{"of", "of", Quantity::kText, Source::kNone, false, true},
                   {"formula", "formula", Quantity::kText, Source::kFitted},
                   {"r_squared", "R^2", Quantity::kText, Source::kDerived},
                   {"note", "made of", Quantity::kText, Source::kNone}};
  for (const PaperForm& form : model.paper_forms)
    table.rows.push_back({.cells = {text_cell(form.of), text_cell(form.formula),
                                    text_cell(four_digits(form.r_squared)), text_cell(form.note)}});
  ReportSection section{.id = "paper_forms", .title = "The paper's forms"};
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

Report make_fit_report(const Model& model, const std::vector<Prediction>& curve) {
  Report report;
  report.title = "Model of " + model.program;
  report.headline = fit_headline(model);
  report.facts = {{"program", model.program}, {"grade", grade_words(model)}};
  if (model.scaling != Scaling::kSinglePoint) {
    report.facts.push_back({"scaling", scaling_words(model.scaling)});
  }
  if (!model.work.empty()) report.facts.push_back({"work", "D = " + model.work});
  if (model.is_virtual) report.facts.push_back({"machine", "a simulated cluster"});
  report.warnings = all_warnings(model, {});
  OptionalSection points = points_section(model, nullptr);
  if (points) {
    points->title = "Profiled points";
    report.sections.push_back(std::move(*points));
  }
  report.reasons = fit_reasons(model);
  for (OptionalSection section :
       {fitted_kernels(model, curve), memory_section(model), paper_section(model),
        communication_section(model, nullptr), trust_section(model, nullptr)}) {
    if (section) report.sections.push_back(std::move(*section));
  }
  const int next = model.max_procs() * 8;
  report.next.push_back("apmt predict --procs " + std::to_string(next));
  return report;
}

}  // namespace apmt
