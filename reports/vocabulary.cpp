#include "reports/vocabulary.h"

#include <algorithm>
#include <stdexcept>

#include "reports/numbers.h"

namespace apmt {

const std::array<PartColumn, kPartCount> kPartColumns{{
    {"comp", "compute", &PredictedParts::comp, &MeasuredParts::comp_s},
    {"mem", "memory", &PredictedParts::mem, nullptr},
    {"comm_p2p", "point-to-point", &PredictedParts::comm_p2p, &MeasuredParts::comm_p2p_s},
    {"comm_coll", "collectives", &PredictedParts::comm_coll, &MeasuredParts::comm_coll_s},
    {"comm_wait", "waiting in MPI", &PredictedParts::comm_wait, &MeasuredParts::comm_wait_s},
    {"comm_other", "other MPI", &PredictedParts::comm_other, &MeasuredParts::comm_other_s},
    {"off_cpu", "off CPU", &PredictedParts::off_cpu, &MeasuredParts::off_cpu_s},
    {"start", "start", &PredictedParts::start, &MeasuredParts::start_s},
    {"end", "end", &PredictedParts::end, &MeasuredParts::end_s},
}};

std::string to_string(Source source) {
  switch (source) {
    case Source::kNone:
      return "";
    case Source::kMeasured:
      return "measured";
    case Source::kSimulated:
      return "simulated";
    case Source::kVirtual:
      return "virtual";
    case Source::kFitted:
      return "fitted";
    case Source::kExtrapolated:
      return "extrapolated";
    case Source::kDerived:
      return "derived";
    case Source::kAssumed:
      return "assumed";
  }
  return "";
}

Source source_of(const ReportColumn& column, const ReportCell& cell) {
  return cell.source.value_or(column.source);
}

Source predicted_source(const Model& model, const Prediction& prediction) {
  return prediction.procs > model.max_procs() ? Source::kExtrapolated : Source::kFitted;
}

Source derived_source(const Model& model, const Prediction& prediction) {
  const Source fitted = predicted_source(model, prediction);
  return fitted == Source::kFitted ? Source::kDerived : fitted;
}

ReportCell from(Source source, ReportCell cell) {
  cell.source = source;
  return cell;
}

std::string unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kText:
      return "";
    case Quantity::kSeconds:
    case Quantity::kSecondsRange:
      return "s";
    case Quantity::kBytes:
      return "bytes";
    case Quantity::kCount:
    case Quantity::kCountRange:
    case Quantity::kProcs:
      return "count";
    case Quantity::kSize:
      return "user";
    case Quantity::kCoreHours:
      return "core-hours";
    case Quantity::kPlain:
    case Quantity::kShare:
    case Quantity::kChange:
    case Quantity::kFactor:
      return "1";
  }
  return "";
}

bool is_range(Quantity quantity) {
  return quantity == Quantity::kSecondsRange || quantity == Quantity::kCountRange;
}

std::string grade_words(const Model& model) {
  return knows_only_wholes(model) ? "D: whole times only" : grade_words(model.grade);
}

std::string grade_words(Grade grade) {
  switch (grade) {
    case Grade::kA:
      return "A: hardware counters and MPI";
    case Grade::kB:
      return "B: clock sampling, simulated counters and MPI";
    case Grade::kC:
      return "C: clock sampling and MPI; compute and memory time are one figure";
    case Grade::kD:
      return "D: MPI only; computation is not divided into kernels";
  }
  return "";
}

std::string scaling_words(Scaling scaling) {
  switch (scaling) {
    case Scaling::kSinglePoint:
      return "one process count";
    case Scaling::kStrong:
      return "strong: the same problem at every process count";
    case Scaling::kWeak:
      return "weak: the problem grows with the process count";
    case Scaling::kMixed:
      return "mixed: several problem sizes at one process count";
  }
  return "";
}

std::string bound_words(const std::string& bound) {
  if (bound == kBoundByCompute) return "computation or memory";
  if (bound == kBoundByCore) return "computation";
  if (bound == "memory") return "waiting for memory";
  if (bound == "communication") return "communication";
  if (bound == "network") return "the network";
  if (bound == "waiting") return "waiting for other processes";
  if (bound == "others") return "time off the CPU and at program start and end";
  if (bound == "off_cpu") return "time off the CPU";
  return bound;
}

std::string bound_in_short(const std::string& bound) {
  return bound == kBoundByOthers    ? "off CPU, start, end"
         : bound == kBoundByCompute ? "compute or memory"
         : bound == kBoundByMemory || bound == kBoundByNetwork || bound == kBoundByWaiting
             ? bound
             : bound_words(bound);
}

std::vector<std::string> words_of_parts(const std::vector<std::string>& keys) {
  std::vector<std::string> words;
  for (const std::string& key : keys) words.push_back(part_words(key.substr(0, key.rfind("_s"))));
  return words;
}

std::string part_words(const std::string& part) {
  if (part == "comp") return "computation";
  if (part == "mem") return "memory time";
  if (part == "comm" || part == "communication") return "communication";
  if (part == "comm_p2p") return "point-to-point communication";
  if (part == "comm_coll") return "time in collectives";
  if (part == "comm_other") return "time in other MPI calls";
  if (part == "comm_wait") return "waiting in MPI";
  if (part == "off_cpu") return "time off the CPU";
  if (part == "start") return "the start of the program";
  if (part == "end") return "the end of the program";
  if (part == "start and end") return "the start and end of the program";
  return part;
}

std::string params_words(const std::map<std::string, double>& params) {
  std::vector<std::string> items;
  for (const auto& [name, value] : params) items.push_back(name + " = " + format_size(value));
  return join_list(items, ", ");
}

std::string processes(int count) {
  return count == 1 ? "one process" : std::to_string(count) + " processes";
}

std::string part_title(const PartColumn& part, bool has_memory) {
  return part.measured == &MeasuredParts::comp_s && !has_memory ? "compute+memory" : part.title;
}

const Prediction& target_of(const std::vector<Prediction>& predictions) {
  if (predictions.empty()) throw std::invalid_argument("a report needs a prediction");
  const Prediction* target = &predictions.front();
  for (const Prediction& prediction : predictions) {
    if (prediction.procs >= target->procs) target = &prediction;
  }
  return *target;
}

const ModelPoint* largest_point(const Model& model) {
  const ModelPoint* largest = nullptr;
  for (const ModelPoint& point : model.points) {
    if (largest == nullptr || point.procs >= largest->procs) largest = &point;
  }
  return largest;
}

std::string kernel_title(const Model& model, const KernelModel& kernel) {
  if (kernel.role == KernelRole::kRest && kernel.functions == 0) return kernel.name;
  if (kernel.role == KernelRole::kRest)
    return kernel.functions == 1 ? "(one small function)"
                                 : "(" + std::to_string(kernel.functions) + " small functions)";
  // Adds the source file or, if this does not tell kernels of the same name apart, the object file.
  for (const std::string KernelId::*part : {&KernelId::source, &KernelId::object}) {
    bool alone = true;
    bool told_apart = true;
    for (const KernelModel& other : model.kernels) {
      if (other.id == kernel.id || other.name != kernel.name) continue;
      alone = false;
      told_apart = told_apart && other.id.*part != kernel.id.*part;
    }
    if (alone) return kernel.name;
    if (told_apart && !(kernel.id.*part).empty()) return kernel.name + " [" + kernel.id.*part + "]";
  }
  return kernel.name + " [" + kernel.id.object + " " + kernel.id.linkage_name + "]";
}

std::optional<double> value_at(const std::vector<FitPoint>& points, int procs) {
  std::optional<double> found, of_largest;
  int there = 0, are_largest = 0;
  for (const FitPoint& point : points) {
    if (point.procs != procs) continue;
    ++there;
    found = point.value;
    if (point.work != points.back().work) continue;
    ++are_largest;
    of_largest = point.value;
  }
  if (there == 1) return found;
  return are_largest == 1 ? of_largest : std::nullopt;
}

std::string measured_sizes_words(const Model& model) {
  if (model.points.empty()) return "";
  const ModelPoint& largest = model.points.back();
  const bool has_others = std::ranges::any_of(model.points, [&](const ModelPoint& point) {
    return point.procs == largest.procs && point.params != largest.params;
  });
  return has_others ? "measured with " + params_words(largest.params) : "";
}

ReportCell sampled_cell(double time_s, std::optional<double> one_sample_s) {
  ReportCell cell = number_cell(time_s);
  if (time_s == 0 && one_sample_s) cell.text = "< " + format_seconds(*one_sample_s, 2);
  return cell;
}

ReportCell kernel_cell(const Model& model, const KernelModel& kernel, int procs) {
  const std::optional<double> time_s = value_at(kernel.points, procs);
  if (!time_s) return {};
  for (const ModelPoint& point : model.points)
    if (const auto one = point.parts.one_sample_s(); one && point.procs == procs)
      return sampled_cell(*time_s, one);
  return number_cell(time_s);
}

ReportCell kernel_time_cell(const PredictedKernel& kernel) {
  return sampled_cell(kernel.time.time_s,
                      kernel.is_unsampled ? std::optional(kernel.time.high_s) : std::nullopt);
}

ReportCell kernel_interval_cell(const PredictedKernel& kernel) {
  return kernel.is_unsampled ? ReportCell{} : interval_cell(kernel.time);
}

std::optional<double> work_at(const Model& model, const Prediction& prediction) {
  if (model.points.empty()) return std::nullopt;
  if (model.work.empty()) return model.points.front().work;
  for (const ModelPoint& point : model.points) {
    if (point.params == prediction.params) return point.work;
  }
  return std::nullopt;
}

ReportCell text_cell(std::string text) { return {.text = std::move(text)}; }

ReportCell number_cell(std::optional<double> value) { return {.value = value}; }

ReportCell time_cell(const std::optional<TimeEstimate>& time) {
  return number_cell(time ? std::optional<double>(time->time_s) : std::nullopt);
}

ReportCell interval_cell(const std::optional<TimeEstimate>& time) {
  if (!time) return {};
  return {.value = time->low_s, .high = time->high_s};
}

}  // namespace apmt
