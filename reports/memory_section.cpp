// The section on how the compute time of each kernel divides into computation and memory, and
// sentences on the process counts from which something else bounds a kernel.

#include <algorithm>
#include <set>

#include "base/listed.h"
#include "base/mean.h"
#include "base/words.h"
#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

constexpr std::size_t kSentences = 3;
constexpr double kCentralHalfShare = 0.4;  // 0.4 on each side of the median: an 80 % interval

/// The point with this process count; if several problem sizes were run with this count, the point
/// with the most work.
const ModelPoint* point_at(const Model& model, int procs) {
  const ModelPoint* largest = nullptr;
  for (const ModelPoint& p : model.points)
    if (p.procs == procs && (largest == nullptr || p.work > largest->work)) largest = &p;
  return largest;
}

/// Memory's share of a kernel's time: "42 % (30 to 55)", or one number if both ends are equal.
std::string share_words(const MemorySplit& split, const ModelPoint& at) {
  const auto share = [&](double q) {
    std::string words = format_share(split.share_quantile(q, at.procs, at.work));
    return words.substr(0, words.size() - std::string(" %").size());
  };
  const std::string low = share(0.5 - kCentralHalfShare);
  const std::string high = share(0.5 + kCentralHalfShare);
  const std::string middle = format_share(mean(split.shares(at.procs, at.work)));
  return low == high ? middle : middle + " (" + low + " to " + high + ")";
}

double median_cost(const MemorySplit& split, double MemorySplit::Costs::*cost) {
  std::vector<double> costs;
  for (const MemorySplit::Costs& way : split.ways) costs.push_back(way.*cost);
  std::sort(costs.begin(), costs.end());
  return costs[costs.size() / 2];
}

std::string evidence_words(const std::string& from) {
  return from == "counts" ? "accesses" : from;
}

/// Words for the data from which kernels' times are divided into computation and memory.
std::set<std::string> evidence_of(const Model& model) {
  std::set<std::string> words;
  for (const KernelModel& kernel : model.kernels)
    if (kernel.law.split) words.insert(evidence_words(kernel.law.split->from));
  return words;
}

/// The probability that a kernel's time follows its counts, not curves.
double share_of_counts(const TimeLaw& law) {
  double share = law.split->posterior;
  for (const CountFamily& family : law.families) share += family.posterior;
  return share;
}

/// Says for which kernels the costs also predict the time, and for which they only divide it.
std::vector<std::string> law_sentences(const Model& model) {
  constexpr double kMostly = 0.5;
  std::vector<std::string> predicted, divided;
  for (const KernelModel& kernel : model.kernels)
    if (kernel.law.split && kernel.law.split->prior > 0)
      (share_of_counts(kernel.law) >= kMostly ? predicted : divided)
          .push_back(kernel_title(model, kernel));
  const auto some = [](std::vector<std::string> names) {
    const std::size_t more = names.size() > kSentences ? names.size() - kSentences : 0;
    names.resize(names.size() - more);
    return listed(names) + (more > 0 ? " and " + counted(more, "other kernel") : "");
  };
  std::vector<std::string> sentences;
  if (!predicted.empty())
    sentences.push_back(
        "These costs also predict how the time of these kernels changes: " + some(predicted) + ".");
  if (!divided.empty())
    sentences.push_back(
        "Instructions and accesses do not explain how the time of these kernels changes, so curves "
        "predict it, and the costs only divide it: " +
        some(divided) + ".");
  return sentences;
}

std::string form_words(const KernelCostEstimates& costs) {
  const std::string what = costs.form == MemoryForm::kWaits  ? "latency"
                           : costs.form == MemoryForm::kLate ? "late transfers"
                                                             : "bandwidth";
  return what + " (" + format_share(costs.form_probability) + ")";
}

std::string error_of(const CostEstimate& estimate) {
  return estimate.ln_sd ? error_words(*estimate.ln_sd) : std::string();
}

/// Names the factors on latency and on the time per byte, which all kernels share.
std::string shared_costs_sentence(const SharedCostEstimates& costs) {
  const auto words = [](const CostEstimate& e, const std::string& of) {
    const std::string error = error_of(e);
    return format_significant(e.value, 2) + " times this " + of +
           (error.empty() ? "" : " (+- " + error + ")");
  };
  return "The kernels' times agree best with " + words(costs.latency, "latency") + " and " +
         words(costs.transfer, "time per byte") + ".";
}

/// Core and memory costs of a kernel whose accesses were counted: the joint estimates of all costs
/// (CostEstimate) or, if the model has none, medians, for which no standard errors are known.
KernelCostEstimates costs_of(const KernelModel& kernel) {
  if (kernel.costs) return *kernel.costs;
  KernelCostEstimates costs;
  costs.core_s.value = median_cost(*kernel.law.split, &MemorySplit::Costs::core_s);
  costs.memory.value = median_cost(*kernel.law.split, &MemorySplit::Costs::blocked);
  return costs;
}

/// Why memory time is unknown, and which command would determine it.
std::string no_split_sentence(const Model& model) {
  switch (model.grade) {
    case Grade::kC:
      return "These runs do not show how much of the computation waits for memory. apmt simulate "
             "DIR "
             "counts memory accesses; from them, apmt fit can estimate it.";
    case Grade::kB:
    case Grade::kA:
      return "Memory accesses were not counted at every point, or follow no law, so computation "
             "and "
             "waiting for memory cannot be told apart.";
    case Grade::kD:
      break;
  }
  return {};
}

}  // namespace

std::string with_probability(const std::string& words, const PredictedKernel& kernel) {
  if (!kernel.bound_probability) return words;
  return words + " (" + format_share(*kernel.bound_probability) + ")";
}

std::string procs_words(const ProcsEstimate& estimate) {
  const std::string until =
      estimate.high ? " to " + format_significant(*estimate.high, 2) : " or more";
  return format_significant(estimate.procs, 2) + " processes (" +
         format_significant(estimate.low, 2) + until + ", 80 %)";
}

std::vector<std::string> verdict_changes(const Model& model, const Prediction& target) {
  std::vector<std::string> sentences;
  for (const PredictedKernel& kernel : target.kernels) {
    if (!kernel.bound_changes || sentences.size() == kSentences) continue;
    sentences.push_back("From about " + procs_words(*kernel.bound_changes) + ", " +
                        kernel_title(model, model.kernels.at(kernel.index)) + " is bound by " +
                        bound_words(kernel.bound_becomes) + ".");
  }
  return sentences;
}

/// Whether a kernel's computation is represented by floating-point operations from an analysis,
/// because its instructions were not counted.
bool is_per_flop(const KernelModel& kernel) {
  bool flops = false, instructions = false;
  for (const MetricModel& m : kernel.metrics) {
    flops |= m.metric == "flops";
    instructions |= m.metric == "instructions";
  }
  return flops && !instructions;
}

OptionalSection memory_section(const Model& model) {
  ReportSection section{.id = "memory", .title = "Computation and memory"};
  ReportTable table{.id = "memory"};
  table.text_rows = kFittedKernelsInText;
  table.more = "kernels";
  const int least = model.min_procs();
  const int most = model.max_procs();
  const ModelPoint* first = point_at(model, least);
  const ModelPoint* last = point_at(model, most);
  if (first == nullptr || last == nullptr) return std::nullopt;
  table.columns = {
      {"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
      {"share_at_least", "memory at " + std::to_string(least), Quantity::kText, Source::kFitted},
      {"share_at_most", "memory at " + std::to_string(most), Quantity::kText, Source::kFitted}};
  bool any_flops = false, any_instructions = false;
  for (const KernelModel& kernel : model.kernels)
    if (kernel.law.split)
      (kernel.law.split->knows_transfers() && is_per_flop(kernel) ? any_flops : any_instructions) =
          true;
  if (any_instructions)
    table.columns.push_back(
        {"instruction", "time per instruction", Quantity::kSeconds, Source::kFitted});
  if (any_flops)
    table.columns.push_back({"flop", "time per flop", Quantity::kSeconds, Source::kFitted});
  if (any_flops || any_instructions)
    table.columns.push_back({"core_error", "+-", Quantity::kText, Source::kFitted});
  table.columns.push_back({"blocking", "blocking factor", Quantity::kPlain, Source::kFitted});
  table.columns.push_back({"blocking_error", "+-", Quantity::kText, Source::kFitted});
  table.columns.push_back({"form", "slowed by", Quantity::kText, Source::kFitted});
  const std::set<std::string> evidence = evidence_of(model);
  if (evidence.size() > 1)
    table.columns.push_back({"evidence", "known from", Quantity::kText, Source::kDerived});
  bool any_counts = false;
  for (const KernelModel& kernel : model.kernels) {
    if (!kernel.law.split) continue;
    const MemorySplit& split = *kernel.law.split;
    const bool has_costs = split.knows_transfers() || kernel.costs;
    const KernelCostEstimates costs = has_costs ? costs_of(kernel) : KernelCostEstimates();
    const bool waits = has_costs && costs.form == MemoryForm::kWaits;
    any_counts = any_counts || split.knows_transfers();
    ReportRow row{.cells = {text_cell(kernel_title(model, kernel)),
                            text_cell(share_words(split, *first)),
                            text_cell(share_words(split, *last))}};
    for (const bool per_flop : {false, true})
      if (per_flop ? any_flops : any_instructions)
        row.cells.push_back(number_cell(has_costs && per_flop == is_per_flop(kernel)
                                            ? std::optional(costs.core_s.value)
                                            : std::nullopt));
    if (any_flops || any_instructions) row.cells.push_back(text_cell(error_of(costs.core_s)));
    row.cells.push_back(number_cell(waits ? std::optional(costs.memory.value) : std::nullopt));
    row.cells.push_back(text_cell(waits ? error_of(costs.memory) : std::string()));
    row.cells.push_back(
        text_cell(split.knows_transfers() && kernel.costs ? form_words(costs) : std::string()));
    if (evidence.size() > 1) row.cells.push_back(text_cell(evidence_words(split.from)));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) {
    const std::string why = no_split_sentence(model);
    if (why.empty() || model.kernels.empty()) return std::nullopt;
    section.sentences.push_back(why);
    return section;
  }
  table.caption =
      "share of the kernel's time that memory beyond the core's caches blocks, with an 80 % "
      "interval; blocking factor: the blocked time over that of all accesses one after the other; "
      "slowed by: how memory most probably slows the kernel; +-: standard error if it does";
  if (evidence.size() == 1) table.caption += "; known from " + *evidence.begin();
  section.sentences.push_back(
      model.memory_costs.empty() && any_counts
          ? "Latency and bandwidth of memory are assumed. Measured ones make the shares more "
            "certain: "
            "apmt calibrate, then apmt fit --machine machine.yaml."
          : "Costs of memory accesses: " +
                (model.memory_costs.empty() ? std::string("as counted") : model.memory_costs) +
                ".");
  if (any_counts && model.shared_costs)
    section.sentences.push_back(shared_costs_sentence(*model.shared_costs));
  for (std::string& sentence : law_sentences(model))
    section.sentences.push_back(std::move(sentence));
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace apmt
