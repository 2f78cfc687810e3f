#include <algorithm>
#include <map>
#include <set>

#include "fitter/laws/readable_law.h"
#include "reports/formula_text.h"
#include "reports/numbers.h"
#include "reports/process_counts.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

bool any(const std::vector<Prediction>& predictions, bool (*has)(const Prediction&)) {
  return std::any_of(predictions.begin(), predictions.end(), has);
}

PlotPoint plot_point(double procs, const TimeEstimate& time) {
  return {procs, time.time_s, time.low_s, time.high_s};
}

PlotPoint plot_point(double procs, double value) { return {procs, value, value, value}; }

/// Whether a line in a chart may join a point with these sizes to the target: with mixed scaling,
/// only if the problem sizes are the same.
bool same_problem(const Model& model, const std::map<std::string, double>& params,
                  const Prediction& target) {
  return model.scaling != Scaling::kMixed || params == target.params;
}

/// Requested predictions and those of the curve, sorted by process count. If a count has both, the
/// requested prediction is used.
std::vector<const Prediction*> along_the_curve(const Model& model, const Prediction& target,
                                               const std::vector<Prediction>& predictions,
                                               const std::vector<Prediction>& curve) {
  std::map<int, const Prediction*> by_count;
  for (const auto* list : {&predictions, &curve}) {
    for (const Prediction& prediction : *list) {
      if (!same_problem(model, prediction.params, target)) continue;
      if (model.scaling == Scaling::kStrong && prediction.params != target.params) continue;
      by_count.emplace(prediction.procs, &prediction);
    }
  }
  std::vector<const Prediction*> row;
  for (const auto& [procs, prediction] : by_count) row.push_back(prediction);
  return row;
}

TimeChart time_chart(const Model& model, const std::vector<Prediction>& predictions,
                     const std::vector<Prediction>& curve) {
  const Prediction& target = target_of(predictions);
  TimeChart chart;
  chart.max_profiled = model.max_procs();
  chart.confidence_percent = static_cast<int>(target.confidence * 100 + 0.5);
  bool differs = false;
  const bool any_undisturbed = std::any_of(model.points.begin(), model.points.end(),
                                           [](const ModelPoint& p) { return !p.oversubscribed; });
  std::vector<int> crowded;
  for (const ModelPoint& point : model.points) {
    if (!same_problem(model, point.params, target)) continue;
    if (any_undisturbed && point.oversubscribed) {
      crowded.push_back(point.procs);
      continue;
    }
    chart.elapsed.push_back(plot_point(point.procs, point.elapsed_s));
    if (!point.complete) continue;  // without all parts, the sum is not comparable with predictions
    chart.known.push_back(plot_point(point.procs, point.known_s));
    differs = differs || point.known_s < 0.98 * point.elapsed_s;
  }
  if (!differs) chart.known.clear();
  std::map<std::string, std::vector<PlotPoint>> baselines;
  for (const Prediction* prediction : along_the_curve(model, target, predictions, curve)) {
    chart.predicted.push_back(plot_point(prediction->procs, prediction->time));
    for (const auto& [name, time_s] : prediction->baselines_s) {
      baselines[name].push_back(plot_point(prediction->procs, time_s));
    }
  }
  const std::vector<PlotPoint>& comparable = chart.known.empty() ? chart.elapsed : chart.known;
  if (model.scaling == Scaling::kStrong && !comparable.empty()) {
    const PlotPoint& first = comparable.front();
    const double last = std::max(target.procs, chart.max_profiled);
    chart.ideal = {first, plot_point(last, first.value * first.procs / last)};
  }
  if (!curve.empty())
    chart.note = "The curve is drawn at " + curve_words(model) +
                 " and at the counts profiled and asked for; straight lines join them.";
  if (!crowded.empty())
    chart.note += std::string(chart.note.empty() ? "" : " ") + "Not drawn: times measured with " +
                  join_numbers(crowded) + " processes, because there were fewer cores.";
  std::set<int> asked;
  for (const Prediction& prediction : predictions) asked.insert(prediction.procs);
  chart.asked.assign(asked.begin(), asked.end());
  for (const Baseline& baseline : model.baselines) {
    const auto found = baselines.find(baseline.name);
    if (found != baselines.end()) chart.baselines.push_back({baseline.name, found->second});
  }
  chart.description = "Time against the number of processes, both axes logarithmic.";
  if (!chart.elapsed.empty()) {
    chart.description += " Measured: " + format_seconds(chart.elapsed.front().value) + " at " +
                         processes(static_cast<int>(chart.elapsed.front().procs)) + " to " +
                         format_seconds(chart.elapsed.back().value) + " at " +
                         processes(static_cast<int>(chart.elapsed.back().procs)) + ".";
  }
  chart.description += " Predicted: " + format_estimate(target.time, target.confidence) + " at " +
                       processes(target.procs) + ".";
  return chart;
}

void add_size_columns(const std::vector<Prediction>& predictions, ReportTable* table,
                      std::vector<std::string>* names) {
  for (const auto& size : target_of(predictions).params) {
    const std::string& name = size.first;
    const double value = size.second;
    const bool varies = std::any_of(predictions.begin(), predictions.end(), [&](const auto& p) {
      const auto found = p.params.find(name);
      return found == p.params.end() || found->second != value;
    });
    if (!varies) continue;
    names->push_back(name);
    table->columns.push_back({name, name, Quantity::kSize, Source::kAssumed});
  }
}

Sparkline kernel_sparkline(const KernelModel& kernel, std::size_t index, const Model& model,
                           const Prediction& target, const std::vector<const Prediction*>& row) {
  Sparkline spark;
  if (model.scaling == Scaling::kStrong || model.scaling == Scaling::kSinglePoint ||
      model.scaling == Scaling::kWeak) {
    for (const FitPoint& point : kernel.points) {
      spark.measured.push_back(plot_point(point.procs, point.value));
    }
  }
  for (const Prediction* prediction : row) {
    for (const PredictedKernel& predicted : prediction->kernels) {
      if (predicted.index != index || prediction->procs > target.procs) continue;
      spark.predicted.push_back(plot_point(prediction->procs, predicted.time));
    }
  }
  return spark;
}

/// "halo2d.c:57": the first listed line of the kernel's own code (not of a function inlined into
/// it) in the last run that has such a line. If no run has one: the source file.
std::string source_place(const KernelModel& kernel, const Experiment* experiment) {
  if (experiment == nullptr) return kernel.id.source;
  for (auto run = experiment->runs.rbegin(); run != experiment->runs.rend(); ++run)
    for (const KernelProfile& profiled : run->kernels)
      if (profiled.id == kernel.id)
        for (const LineProfile& line : profiled.lines)
          if (line.inlined.empty()) return line.source + ":" + std::to_string(line.line);
  return kernel.id.source;
}

/// A kernel's share of the predicted time. Without samples of the kernel, only a bound is known.
ReportCell share_cell(const PredictedKernel& kernel, const Prediction& target) {
  if (!(target.time.time_s > 0)) return {};
  ReportCell cell = number_cell(kernel.time.time_s / target.time.time_s);
  if (kernel.is_unsampled) cell.text = "< " + format_share(kernel.time.high_s / target.time.time_s);
  return cell;
}

}  // namespace

std::string kernel_law(std::size_t index, const std::vector<const Prediction*>& predictions) {
  std::vector<std::pair<double, double>> times;
  for (const Prediction* prediction : predictions)
    for (const PredictedKernel& predicted : prediction->kernels)
      if (predicted.index == index && !predicted.is_unsampled)
        times.emplace_back(prediction->procs, predicted.time.time_s);
  return times.empty() ? std::string() : readable_law_text(readable_law(times));
}

OptionalSection prediction_section(const Model& model, const std::vector<Prediction>& predictions,
                                   const std::vector<Prediction>& curve) {
  const Prediction& target = target_of(predictions);
  const bool measured = any(predictions, [](const auto& p) { return p.measured_s.has_value(); });
  const bool speedup = any(predictions, [](const auto& p) { return p.speedup.has_value(); });
  const bool efficiency = any(predictions, [](const auto& p) { return p.efficiency.has_value(); });
  const bool bound = any(predictions, [](const auto& p) { return !p.bound.empty(); });

  ReportTable table{.id = "prediction"};
  table.columns.push_back({"procs", "processes", Quantity::kProcs});
  std::vector<std::string> sizes;
  add_size_columns(predictions, &table, &sizes);
  table.columns.push_back({"time", "time", Quantity::kSeconds, Source::kFitted});
  table.columns.push_back({"interval", format_share(target.confidence) + " interval",
                           Quantity::kSecondsRange, Source::kFitted});
  if (measured) {
    table.columns.push_back({"measured", "measured", Quantity::kSeconds, Source::kMeasured});
  }
  if (speedup)
    table.columns.push_back({"speedup", "speed-up", Quantity::kFactor, Source::kDerived});
  if (efficiency) {
    table.columns.push_back({"efficiency", "efficiency", Quantity::kShare, Source::kDerived});
  }
  if (bound) table.columns.push_back({"bound", "bound by", Quantity::kText, Source::kDerived});
  table.columns.push_back({"extrapolation", "extrapolated", Quantity::kFactor, Source::kDerived});

  for (const Prediction& prediction : predictions) {
    const Source fitted = predicted_source(model, prediction);
    const Source derived = derived_source(model, prediction);
    ReportRow row;
    row.emphasised = &prediction == &target && predictions.size() > 1;
    row.cells.push_back(number_cell(prediction.procs));
    for (const std::string& name : sizes) {
      const auto found = prediction.params.find(name);
      row.cells.push_back(found == prediction.params.end() ? ReportCell{}
                                                           : number_cell(found->second));
    }
    row.cells.push_back(from(fitted, time_cell(prediction.time)));
    row.cells.push_back(from(fitted, interval_cell(prediction.time)));
    if (measured) row.cells.push_back(number_cell(prediction.measured_s));
    if (speedup) row.cells.push_back(from(derived, number_cell(prediction.speedup)));
    if (efficiency) row.cells.push_back(from(derived, number_cell(prediction.efficiency)));
    if (bound) row.cells.push_back(from(derived, text_cell(bound_in_short(prediction.bound))));
    ReportCell factor = number_cell(prediction.extrapolation_factor);
    if (prediction.extrapolation_factor <= 1) factor.text = "no";
    if (prediction.worthless) factor.text = format_factor(*factor.value) + ", too far";
    if (prediction.is_beyond_sizes)
      factor.text = (prediction.extrapolation_factor <= 1 ? std::string()
                     : factor.text.empty()                ? format_factor(*factor.value) + ", "
                                                          : factor.text + ", ") +
                    "work " + format_factor(prediction.size_factor);
    row.cells.push_back(factor);
    table.rows.push_back(std::move(row));
  }
  if ((speedup || efficiency) && target.reference_procs > 0) {
    table.caption = std::string(speedup ? "Speed-up" : "Efficiency") + " against " +
                    processes(target.reference_procs) + "; extrapolated: processes / " +
                    std::to_string(model.max_procs()) + ", the largest profiled count";
    if (any(predictions, [](const auto& p) { return p.is_beyond_sizes; }))
      table.caption += ", and work / the largest profiled work";
  }
  if (!target.missing.empty()) {
    table.caption +=
        std::string(table.caption.empty() ? "T" : "; t") + "imes include only the known parts";
  }
  ReportSection section{.id = "prediction", .title = "Prediction"};
  section.tables.push_back(std::move(table));
  section.time_chart = time_chart(model, predictions, curve);
  return section;
}

OptionalSection kernels_section(const Model& model, const std::vector<Prediction>& predictions,
                                const std::vector<Prediction>& curve,
                                const Experiment* experiment) {
  const Prediction& target = target_of(predictions);
  if (target.kernels.empty() || target.is_undivided) return std::nullopt;
  const std::vector<const Prediction*> row_of_counts =
      along_the_curve(model, target, predictions, curve);
  const int largest = model.max_procs();
  ReportTable table{.id = "kernels"};
  table.text_rows = kKernelsInText;
  table.more = "kernels";
  double left_out_s = 0;
  for (std::size_t i = kKernelsInText; i < target.kernels.size(); ++i) {
    left_out_s += target.kernels[i].time.time_s;
  }
  if (left_out_s > 0) table.more += ", together " + format_seconds(left_out_s);
  const Source fitted_as = predicted_source(model, target);
  const Source derived = derived_source(model, target);
  table.columns = {
      {"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
      {"time", "time at " + std::to_string(target.procs), Quantity::kSeconds, fitted_as},
      {"interval", format_share(target.confidence) + " interval", Quantity::kSecondsRange,
       fitted_as},
      {"share", "share", Quantity::kShare, derived},
      {"measured", "measured at " + std::to_string(largest), Quantity::kSeconds, Source::kMeasured},
  };
  if (const std::string sizes = measured_sizes_words(model); !sizes.empty())
    table.caption = capitalised(sizes);
  const bool has_laws = !curve.empty();
  std::vector<const Prediction*> up_to_target = row_of_counts;
  std::erase_if(up_to_target, [&](const Prediction* p) { return p->procs > target.procs; });
  if (has_laws)
    table.columns.push_back(
        {"law", "follows", Quantity::kText, fitted_as, false, true, true, true});
  const bool split = std::any_of(target.kernels.begin(), target.kernels.end(), [](const auto& k) {
    return k.bound != kBoundByCompute && !k.bound.empty();
  });
  if (split) table.columns.push_back({"bound", "bound by", Quantity::kText, derived});
  const bool memory = std::any_of(target.kernels.begin(), target.kernels.end(),
                                  [](const auto& k) { return k.mem.has_value(); });
  if (memory) table.columns.push_back({"memory", "of it memory", Quantity::kSeconds, fitted_as});
  const bool calls = std::any_of(target.kernels.begin(), target.kernels.end(),
                                 [](const auto& k) { return k.transfer.has_value(); });
  const bool waits = std::any_of(target.kernels.begin(), target.kernels.end(),
                                 [](const auto& k) { return k.wait && k.wait->time_s > 0; });
  if (calls) table.columns.push_back({"transfer", "its messages", Quantity::kSeconds, fitted_as});
  if (waits) table.columns.push_back({"wait", "its waiting", Quantity::kSeconds, fitted_as});
  table.columns.push_back(
      {"source", "source", Quantity::kText, Source::kNone, false, true, false, true});
  table.columns.push_back(
      {"max_share", "largest share", Quantity::kShare, Source::kMeasured, true});

  for (const PredictedKernel& kernel : target.kernels) {
    const KernelModel& fitted = model.kernels.at(kernel.index);
    ReportRow row;
    row.cells = {
        text_cell(kernel_title(model, fitted)), kernel_time_cell(kernel),
        kernel_interval_cell(kernel),           share_cell(kernel, target),
        kernel_cell(model, fitted, largest),
    };
    if (has_laws) row.cells.push_back(text_cell(kernel_law(kernel.index, up_to_target)));
    if (split)
      row.cells.push_back(text_cell(with_probability(bound_in_short(kernel.bound), kernel)));
    if (memory) row.cells.push_back(time_cell(kernel.mem));
    if (calls) row.cells.push_back(time_cell(kernel.transfer));
    if (waits) row.cells.push_back(time_cell(kernel.wait));
    row.cells.push_back(text_cell(source_place(fitted, experiment)));
    row.cells.push_back(number_cell(fitted.max_share));
    row.sparkline = kernel_sparkline(fitted, kernel.index, model, target, row_of_counts);
    table.rows.push_back(std::move(row));
  }
  ReportSection section{.id = "kernels",
                        .title = "Kernels by their cost at " + processes(target.procs)};
  section.sentences.push_back(
      "Time per process outside MPI; share of the predicted " + format_seconds(target.time.time_s) +
      (target.missing.empty() ? "." : ", which includes only the known parts."));
  if (has_laws)
    section.sentences.push_back(
        "Follows: a short law from " + std::to_string(std::min(model.min_procs(), target.procs)) +
        " to " + processes(target.procs) +
        " (P); apmt export --format python has formulas that match the predictions.");
  if (model.grade == Grade::kC || model.grade == Grade::kD)
    section.sentences.push_back(
        "Which kernels wait for memory is not known: neither instructions nor memory accesses are "
        "counted (apmt doctor reports what would make counters work).");
  if (calls)
    section.sentences.push_back(
        "Messages and waiting are those of a kernel's own calls to MPI, beside its time; the sum "
        "of all three decides the order.");
  for (std::string& sentence : verdict_changes(model, target))
    section.sentences.push_back(std::move(sentence));
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace apmt
