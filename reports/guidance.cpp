#include <algorithm>
#include <cmath>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kWorthwhile = 0.1;  // share of the predicted time from which a part gets advice
constexpr double kCertainly = 0.05;  // at the low end of its interval it must still have this share
constexpr double kMostly = 0.75;     // if latency or bandwidth has this share, only it gets advice
constexpr double kUneven = 0.85;     // advice on load balance is given below this
constexpr std::size_t kKernels = 2;  // the most kernels that are named

/// Whether a part deserves advice: it is large, even at the low end of its interval.
bool is_worthwhile(const std::optional<TimeEstimate>& part, const Prediction& target) {
  return part && target.time.time_s > 0 && part->time_s >= kWorthwhile * target.time.time_s &&
         part->low_s >= kCertainly * target.time.time_s;
}

std::string share_of(const TimeEstimate& part, const Prediction& target) {
  return format_seconds(part.time_s, 2) + ", " + format_share(part.time_s / target.time.time_s) +
         " of the time at " + processes(target.procs);
}

/// Of the operations of one class, the one with the most calls that carry bytes at the largest
/// profiled process count.
struct Traffic {
  std::string op;
  double calls = 0;
  double bytes = 0;
  double each() const { return calls > 0 ? bytes / calls : 0; }
};

std::optional<Traffic> most_traffic(const Model& model, bool is_p2p) {
  std::optional<Traffic> most;
  for (const CountModel& count : model.counts) {
    const bool matches = is_p2p ? count.op_class == "p2p"
                                : count.op_class == "collective" || count.op_class == "rooted";
    if (!matches) continue;
    const std::optional<double> calls = value_at(count.calls_points, model.max_procs());
    const std::optional<double> bytes = value_at(count.bytes_points, model.max_procs());
    if (!calls || !bytes || *calls <= 0 || *bytes <= 0) continue;
    if (!most || *calls > most->calls) most = Traffic{count.op, *calls, *bytes};
  }
  return most;
}

std::string traffic_words(const Model& model, const Traffic& traffic) {
  return format_count(traffic.calls) + " " + traffic.op + " calls of " +
         format_bytes(std::round(traffic.each())) + " on average with " +
         processes(model.max_procs());
}

/// The advice for a time, chosen by the share of latency in it.
std::string remedy(const std::optional<double>& latency, const std::string& if_latency,
                   const std::string& if_bandwidth) {
  if (!latency)
    return "These runs do not tell latency from bandwidth: measure the network (apmt "
           "calibrate), then ask apmt predict for a what-if.";
  const std::string shares = "Of that, latency is " + format_share(*latency);
  if (*latency >= kMostly) return shares + ": " + if_latency + ".";
  if (*latency <= 1 - kMostly)
    return "Of that, bandwidth is " + format_share(1 - *latency) + ": " + if_bandwidth + ".";
  return shares + " and bandwidth the rest: " + if_latency + "; " + if_bandwidth + ".";
}

std::string messages(const Model& model, const Prediction& target) {
  const auto& part = target.parts.comm_p2p;
  const std::optional<Traffic> traffic = most_traffic(model, true);
  if (!is_worthwhile(part, target) || !traffic) return {};
  return "Messages cost " + share_of(*part, target) + ": " + traffic_words(model, *traffic) + ". " +
         remedy(target.p2p_latency, "combine several messages into one",
                "send less data, or overlap messages with computation");
}

std::string collectives(const Model& model, const Prediction& target) {
  const auto& part = target.parts.comm_coll;
  const std::optional<Traffic> traffic = most_traffic(model, false);
  if (!is_worthwhile(part, target) || !traffic) return {};
  return "Collectives cost " + share_of(*part, target) + ": " + traffic_words(model, *traffic) +
         ". " +
         remedy(target.coll_latency,
                "merge several into one, call them less often, or overlap them with computation "
                "(MPI_I...)",
                "reduce the data exchanged");
}

/// Who makes the others wait.
std::string slowest_words(const ModelPoint& point) {
  if (!point.slowest || point.slowest->kernel.empty()) return {};
  const SlowestRank& s = *point.slowest;
  return " It is process " + std::to_string(s.rank) + ", with " +
         format_seconds(s.beyond_mean_s, 2) + " more than the mean, " +
         format_seconds(s.in_kernel_s, 2) + " of it in " + short_name(s.kernel) + ".";
}

std::string change_words(const PredictedKernel& kernel) {
  if (!kernel.bound_changes) return {};
  return " From about " + procs_words(*kernel.bound_changes) + ", it is bound by " +
         bound_words(kernel.bound_becomes) + ".";
}

std::string balance(const Model& model) {
  const ModelPoint* point = largest_point(model);
  if (point == nullptr || !point->parts.comp_s || !(point->load_balance > 0) ||
      point->load_balance >= kUneven || point->procs < 2)
    return {};
  const double compute_s = point->parts.comp_s->value;
  const double lost_s = compute_s / point->load_balance - compute_s;
  if (lost_s < kCertainly * point->elapsed_s) return {};
  return "Load imbalance: of " + processes(point->procs) + " the busiest computes " +
         format_significant(1 / point->load_balance, 3) +
         " times the mean; an even distribution would save up to " + format_seconds(lost_s, 2) +
         " of " + format_seconds(point->elapsed_s, 2) + "." + slowest_words(*point);
}

/// The largest kernels that are not bound by computation, with what to do about each.
std::vector<std::string> bounds_of_kernels(const Model& model, const Prediction& target) {
  std::vector<std::string> sentences;
  for (const PredictedKernel& kernel : target.kernels) {
    const bool network = kernel.bound == kBoundByNetwork;
    const bool waiting = kernel.bound == kBoundByWaiting;
    const std::optional<TimeEstimate>& time = network   ? kernel.transfer
                                              : waiting ? kernel.wait
                                                        : kernel.mem;
    if (!network && !waiting && kernel.bound != kBoundByMemory) continue;
    if (!is_worthwhile(time, target) || sentences.size() == kKernels) continue;
    const std::string bound = short_name(kernel_title(model, model.kernels.at(kernel.index))) +
                              " is bound by " + with_probability(bound_words(kernel.bound), kernel);
    const std::string share = share_of(*time, target);
    sentences.push_back(
        bound +
        (network
             ? ": its messages take " + share + ", mostly " + part_words(kernel.transfer_part) + "."
         : waiting
             ? ", " + share + ": divide the work of the processes that it waits for more evenly."
             : ", " + share + ": use again what is in the caches, or move less data.") +
        change_words(kernel));
  }
  return sentences;
}

/// The costliest function that every process does as a whole.
std::string serial_kernel(const Model& model, const Prediction& target) {
  for (const PredictedKernel& kernel : target.kernels) {
    if (kernel.role != KernelRole::kNonScalable || !is_worthwhile(kernel.time, target)) continue;
    const KernelModel& fitted = model.kernels.at(kernel.index);
    const std::optional<double> first = value_at(fitted.points, model.min_procs());
    const std::optional<double> last = value_at(fitted.points, model.max_procs());
    if (!first || !last) continue;
    return short_name(kernel_title(model, fitted)) + " does not get faster (" +
           format_seconds(*first, 2) + " per process with " + processes(model.min_procs()) + ", " +
           format_seconds(*last, 2) + " with " + processes(model.max_procs()) + ") and will be " +
           share_of(kernel.time, target) + ": divide its work among the processes.";
  }
  return {};
}

std::string start_and_end(const Prediction& target) {
  const auto& part = target.parts.others;
  if (!is_worthwhile(part, target)) return {};
  return "Starting and ending MPI costs " + share_of(*part, target) +
         ": in runs this short it hides the rest of the program; use more iterations.";
}

}  // namespace

OptionalSection guidance_section(const Model& model, const Prediction& target) {
  if (target.worthless) return std::nullopt;
  ReportSection section{.id = "guidance", .title = "What to do about it"};
  for (std::string sentence : {messages(model, target), collectives(model, target), balance(model),
                               serial_kernel(model, target), start_and_end(target)})
    if (!sentence.empty()) section.sentences.push_back(std::move(sentence));
  for (std::string& sentence : bounds_of_kernels(model, target))
    section.sentences.push_back(std::move(sentence));
  if (section.sentences.empty()) return std::nullopt;
  return section;
}

}  // namespace apmt
