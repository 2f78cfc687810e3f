#include <algorithm>
#include <cmath>
#include <iterator>

#include "reports/guidance_words.h"
#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kUneven = 0.85;     // at a load balance below this, advice on it is given
constexpr double kEven = 0.97;       // at this load balance or above, no process is always late
constexpr double kMinor = 0.5;       // imbalance that explains a smaller share of waiting is minor
constexpr double kChain = 0.5;       // from here on, a chain of processes explains the waiting
constexpr double kNotable = 0.1;     // the call with the most waiting is named if it has this share
constexpr std::size_t kKernels = 2;  // at most this many kernels are named

/// The calls and bytes of a point-to-point operation at the largest profiled process count.
struct Traffic {
  std::string op;
  double calls = 0;
  double bytes = 0;
  double each() const { return calls > 0 ? bytes / calls : 0; }
};

/// The point-to-point operation with the most calls, of those in `of` for which bytes were counted;
/// if `of` is null, of all such operations.
std::optional<Traffic> most_messages(const Model& model, const CommModel* of) {
  std::optional<Traffic> most;
  for (const CountModel& count : model.counts) {
    if (count.op_class != "p2p") continue;
    if (of != nullptr && std::find(of->ops.begin(), of->ops.end(), count.op) == of->ops.end())
      continue;
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

/// The kind of messages that takes the most time; null if all messages have one law.
const PredictedGroup* costliest_messages(const Prediction& target) {
  if (target.messages.empty()) return nullptr;
  return &*std::max_element(
      target.messages.begin(), target.messages.end(),
      [](const auto& a, const auto& b) { return a.time.time_s < b.time.time_s; });
}

std::string messages(const Model& model, const Prediction& target) {
  const std::string cost = cost_words("Messages", "cost", target.parts.comm_p2p, target);
  const PredictedGroup* most = costliest_messages(target);
  const auto law = std::find_if(model.comm.begin(), model.comm.end(), [&](const CommModel& c) {
    return most != nullptr && c.part == "p2p" && c.group == most->name;
  });
  std::optional<Traffic> traffic;
  if (law != model.comm.end()) traffic = most_messages(model, &*law);
  if (!traffic) traffic = most_messages(model, nullptr);
  if (cost.empty() || !traffic) return {};
  const std::string in_it = most == nullptr ? std::string()
                                            : ", about " + format_seconds(most->time.time_s, 2) +
                                                  " of it in " + most->name;
  return cost + in_it + ": " + traffic_words(model, *traffic) + ". " +
         remedy(most == nullptr ? target.p2p_latency : most->latency,
                "combine several messages into one",
                "send less data, or overlap messages with computation");
}

/// ", 200 ms of it in sweep": names the kernel that contributes most to the slowest process's
/// excess over the mean of all processes. If the excess there is at least as large as in the whole
/// run, because the process is faster than the mean elsewhere: ", all of it in sweep".
std::string where_slow(const SlowestRank& s) {
  if (s.kernel.empty()) return {};
  return ", " +
         (s.in_kernel_s < s.beyond_mean_s ? format_seconds(s.in_kernel_s, 2) + " of it"
                                          : std::string("all of it")) +
         " in " + short_name(s.kernel);
}

/// Names the slowest process.
std::string slowest_words(const SlowestRank& s) {
  return " It is process " + std::to_string(s.rank) + ", with " +
         format_seconds(s.beyond_mean_s, 2) + " more than the mean" + where_slow(s) + ".";
}

/// " (90 % likely)": the probability of the kernel's bound.
std::string how_likely(const PredictedKernel& kernel) {
  if (!kernel.bound_probability) return {};
  return " (" + format_share(*kernel.bound_probability) + " likely)";
}

std::string change_words(const PredictedKernel& kernel) {
  if (!kernel.bound_changes) return {};
  return " From about " + procs_words(*kernel.bound_changes) + ", it is bound by " +
         bound_words(kernel.bound_becomes) + ".";
}

/// The time that a process with the mean compute time waits for the busiest process.
double imbalance_s(const ModelPoint& point) {
  return point.parts.comp_s->value * (1 / *point.load_balance - 1);
}

/// Advice on load imbalance; empty without the point's `slowest`, because then the runs do not
/// distinguish imbalance from chance.
std::string balance(const Model& model) {
  const ModelPoint* point = largest_point(model);
  if (point == nullptr || !point->parts.comp_s || !(point->load_balance > 0) ||
      *point->load_balance >= kUneven || point->procs < 2 || !point->slowest)
    return {};
  const double lost_s = imbalance_s(*point);
  if (lost_s < kCertainly * point->elapsed_s) return {};
  return "Load imbalance: of " + processes(point->procs) + " the busiest computes " +
         format_significant(1 / *point->load_balance, 3) +
         " times the mean; an even distribution would save up to " + format_seconds(lost_s) +
         " of " + format_seconds(point->elapsed_s) + "." + slowest_words(*point->slowest);
}

/// How much of the waiting at a point the imbalance of computation explains, if that is only a
/// minor part; otherwise empty.
std::string minor_imbalance(const ModelPoint& point) {
  if (!point.parts.comm_wait_s || point.load_balance >= kEven || !(point.load_balance > 0))
    return {};
  const double waited_s = point.parts.comm_wait_s->value;
  if (imbalance_s(point) >= kMinor * waited_s) return {};
  return " Load imbalance explains only " + format_seconds(imbalance_s(point)) + " of the " +
         format_seconds(waited_s) + " of waiting with " + processes(point.procs) +
         "; the rest has other causes" +
         (point.wait_chain >= kChain ? "." : ", such as delays that differ from step to step.");
}

/// Whether an even distribution of the work would save little of the waiting at a point.
bool is_even_enough(const ModelPoint& point) {
  return point.load_balance >= kEven || !minor_imbalance(point).empty();
}

/// Whether each process waits for its neighbour, as in a pipeline, and not for the one that
/// computes longest.
bool is_chain(const ModelPoint& point) {
  return point.wait_chain >= kChain && (!point.load_balance || is_even_enough(point));
}

/// Names the process that the others wait for, or says that it is a different one each time, or in
/// a chain its neighbour. `point` is the point with the largest profiled process count.
std::string late_process(const ModelPoint& point) {
  const std::string there = " In the runs with " + processes(point.procs);
  if (is_chain(point))
    return there +
           " the time in messages grows steadily from process to process, so each waits for its "
           "neighbour, as in a pipeline or wavefront: while it fills and drains, most processes "
           "wait.";
  if (point.load_balance >= kEven)
    return there +
           " all processes compute for about as long, so a different one is late each time.";
  if (!point.slowest) return {};
  const SlowestRank& s = *point.slowest;
  return there + " the others wait for process " + std::to_string(s.rank) + ", which computes " +
         format_seconds(s.beyond_mean_s, 2) + " longer than the mean" + where_slow(s) + ".";
}

/// " In the runs with 64 processes, 60 % of the waiting is in MPI_Allreduce, called by main."
std::string waiting_call(const ModelPoint& point) {
  const auto& wait = point.longest_wait;
  if (!wait || wait->share < kNotable) return {};
  return " In the runs with " + processes(point.procs) + ", " + format_share(wait->share) +
         " of the waiting is in " + wait->op +
         (wait->caller.empty() ? "." : ", called by " + short_name(wait->caller) + ".");
}

constexpr const char* kWaitLess =
    "synchronise less often, or start communication early and complete it late (MPI_I... calls "
    "and MPI_Wait).";

constexpr const char* kPassOnSooner =
    "pass on smaller blocks, so that the next process begins earlier, or use fewer stages (such as "
    "a process grid of two dimensions).";

constexpr const char* kDivideEvenly =
    "divide the work of the processes that it waits for more evenly.";

/// Advice on waiting. `is_balance_said`: balance() has already named the late process.
std::string waiting(const Model& model, const Prediction& target, bool is_balance_said) {
  const std::string cost =
      cost_words("Waiting for late processes", "costs", target.parts.comm_wait, target);
  if (cost.empty()) return {};
  std::string text = cost + ".";
  const ModelPoint* point = largest_point(model);
  const char* remedy = nullptr;
  if (point != nullptr && point->parts.comp_s && point->procs > 1) {
    if (is_even_enough(*point)) remedy = is_chain(*point) ? kPassOnSooner : kWaitLess;
    text += waiting_call(*point) + (is_balance_said ? std::string() : late_process(*point)) +
            minor_imbalance(*point);
  }
  return text + (remedy != nullptr
                     ? " " + capitalised(remedy)
                     : " Divide the work more evenly: by how long it takes, not by how many "
                       "cells or particles it has.");
}

/// Advice on the largest kernels that are not bound by computation.
std::vector<std::string> bounds_of_kernels(const Model& model, const Prediction& target) {
  std::vector<std::string> sentences;
  const ModelPoint* const point = largest_point(model);
  const bool is_even = point != nullptr && point->parts.comp_s && is_even_enough(*point);
  const char* const less_waiting = !is_even           ? kDivideEvenly
                                   : is_chain(*point) ? kPassOnSooner
                                                      : kWaitLess;
  for (const PredictedKernel& kernel : target.kernels) {
    const bool network = kernel.bound == kBoundByNetwork;
    const bool waiting = kernel.bound == kBoundByWaiting;
    const std::optional<TimeEstimate>& time = network   ? kernel.transfer
                                              : waiting ? kernel.wait
                                                        : kernel.mem;
    if (!network && !waiting && kernel.bound != kBoundByMemory) continue;
    if (!is_worthwhile(time, target) || sentences.size() == kKernels) continue;
    const std::string bound = short_name(kernel_title(model, model.kernels.at(kernel.index))) +
                              " is bound by " + bound_words(kernel.bound) + how_likely(kernel);
    const std::string share = share_of(*time, target);
    sentences.push_back(
        bound +
        (network
             ? ": its messages take " + share + ", mostly " + part_words(kernel.transfer_part) + "."
         : waiting
             ? ", " + share + ": " + less_waiting
             : ", " + share + ": reuse data while they are in the caches, or move less data.") +
        change_words(kernel));
  }
  return sentences;
}

/// Advice on the costliest kernel that does not get faster with more processes.
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

/// The recordings do not show what a process did off the CPU, so the possible causes are named.
std::string off_cpu(const Prediction& target) {
  const std::optional<TimeEstimate>& time = target.parts.off_cpu;
  if (!is_worthwhile(time, target)) return {};
  return "Time off the CPU costs " + share_of(*time, target) +
         ": outside MPI, the processes waited for files, slept, or shared their CPUs with other "
         "programs. Profile on an idle machine, with a CPU for each process and thread. If this "
         "time remains, read and write less often, or in parallel (MPI-IO).";
}

/// Advice on the start and on the end, or on both together if neither alone deserves it.
std::vector<std::string> start_and_end(const Prediction& target) {
  const auto &start = target.parts.start, &end = target.parts.end;
  const auto too_short = [&](const char* what, const TimeEstimate& time) {
    return std::string(what) + " MPI costs " + share_of(time, target) +
           ": in runs this short it hides the rest of the program; use more iterations.";
  };
  std::vector<std::string> sentences;
  if (is_worthwhile(start, target)) sentences.push_back(too_short("Starting", *start));
  if (is_worthwhile(end, target))
    sentences.push_back("Ending costs " + share_of(*end, target) +
                        ": processes wait in MPI_Finalize, or have ended, while others still work "
                        "(such as one that writes the results), or MPI itself takes long to end.");
  if (!sentences.empty() || !start || !end) return sentences;
  const TimeEstimate both{start->time_s + end->time_s, start->low_s + end->low_s,
                          start->high_s + end->high_s};
  if (is_worthwhile(both, target)) sentences.push_back(too_short("Starting and ending", both));
  return sentences;
}

}  // namespace

OptionalSection guidance_section(const Model& model, const Prediction& target,
                                 const std::vector<HalvedCost>& changes) {
  if (target.worthless) return std::nullopt;
  ReportSection section{.id = "guidance", .title = "What to do about it"};
  const std::string uneven = balance(model);
  for (std::string sentence :
       {messages(model, target), advice_on_collectives(model, target),
        advice_on_other_calls(model, target), uneven, waiting(model, target, !uneven.empty()),
        serial_kernel(model, target), off_cpu(target)})
    if (!sentence.empty()) section.sentences.push_back(std::move(sentence));
  for (std::string& sentence : start_and_end(target))
    section.sentences.push_back(std::move(sentence));
  for (std::string& sentence : bounds_of_kernels(model, target))
    section.sentences.push_back(std::move(sentence));
  add_halved_costs(model, target, changes, &section);
  if (section.sentences.empty()) return std::nullopt;
  return section;
}

}  // namespace apmt
