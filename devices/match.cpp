#include "devices/match.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/input_error.h"
#include "devices/automatch.h"
#include "devices/fastest.h"
#include "devices/pmac.h"
#include "devices/spread.h"

namespace apmt::devices {
namespace {

bool is_faster(const DevicePrediction& a, const DevicePrediction& b) {
  if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
  if (a.lacks.empty() != b.lacks.empty()) return a.lacks.empty();
  return a.time && a.time->total_s < b.time->total_s;
}

DevicePrediction predict(const Workload& workload, const Device& device,
                         const MatchOptions& options) {
  switch (options.method) {
    case MatchMethod::kAutomatch:
      return automatch::predict(workload, device);
    case MatchMethod::kPmac:
      return pmac::predict(workload, device, options.data, options.do_overlap);
    default:
      return estimate(workload, device, options.data);
  }
}

std::optional<TimeRange> range_of(const Workload& workload, const Device& device,
                                  const MatchOptions& options) {
  const auto fast = fast_end(device), slow = slow_end(device);
  if (!fast || !slow) return std::nullopt;
  const DevicePrediction low = predict(workload, *fast, options);
  const DevicePrediction high = predict(workload, *slow, options);
  if (!low.time || !high.time) return std::nullopt;
  return TimeRange{low.time->total_s, high.time->total_s};
}

std::vector<IdiomMatch> match_idioms(const Workload& workload, const std::vector<Device>& devices) {
  std::vector<IdiomMatch> idioms;
  for (const IdiomBlock& block : workload.idioms) idioms.push_back({block, {}});
  for (const Device& device : devices) {
    const auto seconds = pmac::idiom_seconds(workload, device);
    for (std::size_t i = 0; i < idioms.size(); ++i) idioms[i].seconds.push_back(seconds[i]);
  }
  return idioms;
}

/// The errors of the method and of the card's figures are independent. A range is computed with all
/// figures of the card at their quartiles at once, so it is wider than the range between the
/// quartiles of the time. So the scatter that follows from it is an upper limit.
UncertainTime uncertain_time(const DevicePrediction& p, double method_scatter) {
  const double of_card = p.range ? scatter_of_quartiles(p.range->low_s, p.range->high_s) : 0;
  return {p.time->total_s, std::hypot(method_scatter, of_card)};
}

void add_probabilities(KernelMatch* kernel, double method_scatter) {
  const std::size_t ranked = kernel->ranked();
  if (ranked < 2) return;
  std::vector<UncertainTime> times;
  for (std::size_t i = 0; i < ranked; ++i)
    times.push_back(uncertain_time(kernel->predictions[i], method_scatter));
  const std::vector<double> probabilities = shortest_probabilities(times);
  for (std::size_t i = 0; i < ranked; ++i) kernel->predictions[i].probability = probabilities[i];
}

/// Finds the times that lack a cost that may be much of them, because it is much of a time on
/// another device.
void note_lacking_costs(std::vector<DevicePrediction>* predictions) {
  constexpr double kMuch = 0.1;  // of the time
  struct Cost {
    std::optional<double> DeviceTime::*seconds;
    const char* name;
  };
  for (const Cost& cost : {Cost{&DeviceTime::launch_s, "launches"},
                           Cost{&DeviceTime::synchronisation_s, "synchronisations"},
                           Cost{&DeviceTime::latency_s, "latencies"}}) {
    double largest_s = 0;
    for (const DevicePrediction& p : *predictions)
      if (p.time) largest_s = std::max(largest_s, ((*p.time).*cost.seconds).value_or(0));
    for (DevicePrediction& p : *predictions)
      if (p.time && p.lacks.empty() && !((*p.time).*cost.seconds) &&
          largest_s > kMuch * p.time->total_s)
        p.lacks = cost.name;
  }
}

/// The workload of the kernel, with what the user states about it.
Workload stated_workload(const kernels::KernelAnalysis& kernel, const MatchOptions& options) {
  Workload workload = workload_of(kernel);
  if (options.vectorised) workload.vector_flops = *options.vectorised * workload.flops;
  workload.steps = options.steps.value_or(1);
  return workload;
}

KernelMatch match_kernel(const Workload& workload, const std::vector<Device>& devices,
                         const MatchOptions& options) {
  KernelMatch out;
  out.function = workload.function;
  out.name = workload.name;
  out.place = workload.place;
  out.invocations = workload.invocations;
  out.flops = workload.flops;
  for (const Device& device : devices) {
    DevicePrediction prediction = predict(workload, device, options);
    if (prediction.time && !(prediction.time->total_s > 0)) {
      prediction.time.reset();
      prediction.why_not = "the kernel is empty";
    }
    if (prediction.time) prediction.range = range_of(workload, device, options);
    out.predictions.push_back(std::move(prediction));
  }
  if (options.method == MatchMethod::kPmac) out.idioms = match_idioms(workload, devices);
  note_lacking_costs(&out.predictions);
  std::stable_sort(out.predictions.begin(), out.predictions.end(), is_faster);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < out.ranked(); ++i)
    seconds.push_back(out.predictions[i].time->total_s);
  if (seconds.size() > 1) out.split = split(seconds);
  if (const auto scatter = options.method_scatter()) add_probabilities(&out, *scatter);
  return out;
}

void check(const MatchOptions& options) {
  if ((options.data == DataPlace::kPerStep) != options.steps.has_value())
    throw InputError("", "--data per-step and --steps belong together",
                     "--data per-step --steps 1000: how many time steps the analysed run has");
  if (options.method == MatchMethod::kPmac) return;
  if (options.do_overlap || options.host)
    throw InputError("",
                     std::string(options.host ? "--host" : "--overlap") + " is of PMaC's method",
                     "--method pmac");
}

}  // namespace

std::optional<double> MatchOptions::method_scatter() const {
  if (scatter) return scatter;
  if (method == MatchMethod::kApmt) return kMethodScatter;
  return std::nullopt;
}

std::optional<std::size_t> IdiomMatch::best() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i] && (!best || *seconds[i] < *seconds[*best])) best = i;
  return best;
}

std::size_t KernelMatch::timed() const {
  return static_cast<std::size_t>(
      std::count_if(predictions.begin(), predictions.end(),
                    [](const DevicePrediction& p) { return p.time.has_value(); }));
}

std::size_t KernelMatch::ranked() const {
  return static_cast<std::size_t>(std::count_if(
      predictions.begin(), predictions.end(),
      [](const DevicePrediction& p) { return p.time.has_value() && p.lacks.empty(); }));
}

std::optional<double> KernelMatch::flops_per_s(std::size_t i) const {
  if (!predictions[i].time || !(flops > 0)) return std::nullopt;
  return flops / predictions[i].time->total_s;
}

std::optional<double> KernelMatch::relative_cost(std::size_t i) const {
  if (i >= ranked()) return std::nullopt;
  return predictions[i].time->total_s / predictions.front().time->total_s;
}

bool KernelMatch::is_open(std::size_t a, std::size_t b) const {
  const auto range = [&](std::size_t i) {
    const DevicePrediction& p = predictions[i];
    return p.range.value_or(TimeRange{p.time->total_s, p.time->total_s});
  };
  return range(a).low_s <= range(b).high_s && range(b).low_s <= range(a).high_s;
}

Match match(const kernels::Analysis& analysis, const std::vector<Device>& devices,
            const MatchOptions& options) {
  check(options);
  if (analysis.kernels.empty())
    throw InputError("", "the analysis has no kernel", "apmt analyze names kernels with --kernel");
  std::set<std::string> names;
  for (const Device& device : devices)
    if (!names.insert(device.label).second)
      throw InputError("", "two devices are called " + device.label, "give each device once");
  Match out{.program = analysis.program, .options = options, .devices = devices, .kernels = {}};
  std::vector<Workload> workloads;
  for (const kernels::KernelAnalysis& kernel : analysis.kernels) {
    workloads.push_back(stated_workload(kernel, options));
    out.kernels.push_back(match_kernel(workloads.back(), devices, options));
  }
  if (options.host)
    out.program_idioms =
        program_idioms(workloads, devices, *options.host, options.data, options.do_overlap);
  return out;
}

}  // namespace apmt::devices
