#include "devices/automatch.h"

#include <algorithm>

namespace apmt::devices::automatch {

std::optional<double> instruction_mix_factor(double additions, double multiplications) {
  const double most = std::max(additions, multiplications);
  if (!(most > 0)) return std::nullopt;
  return (additions + multiplications) / (2 * most);
}

std::optional<double> vectorisation_factor(double vector_flops, double flops) {
  if (!(flops > 0) || !(vector_flops > 0)) return std::nullopt;
  return vector_flops / flops;
}

double computation_s(const Schedule& schedule, const Core& core, double f_v, double f_im) {
  return schedule.depth / core.rate + schedule.levels_on(core.units) / (core.rate * f_v * f_im);
}

MemorySeconds memory_s(double depth, double fast_transfers, double access_bytes,
                       double slow_transfers, double line_bytes, const MemoryModel& memory) {
  return {memory.fast_latency_s * depth + fast_transfers * access_bytes / memory.fast_bytes_per_s,
          memory.slow_latency_s * depth + slow_transfers * line_bytes / memory.slow_bytes_per_s};
}

double synchronisation_s(double synchronisations, double cost_s) {
  return synchronisations * cost_s;
}

DevicePrediction predict(const Workload& w, const Device& device) {
  DevicePrediction out;
  out.device = device.label;
  const auto refuse = [&](const std::string& why) {
    out.why_not = why;
    return out;
  };
  if (!w.has_counts || !w.floating_point || !w.lines || !w.synchronisations)
    return refuse(
        "the analysis lacks counts, the schedule of floating-point operations, stack "
        "distances or synchronisations");
  if (!(w.flops > 0)) return refuse("not defined: the kernel has no floating-point operation");
  const auto f_im = instruction_mix_factor(w.additions, w.multiplications);
  if (!f_im) return refuse("not defined: the kernel has neither additions nor multiplications");
  if (!w.vector_flops)
    return refuse(
        "not defined: how many floating-point operations vectorise is not known "
        "(--vectorised SHARE assumes it)");
  const auto f_v = vectorisation_factor(*w.vector_flops, w.flops);
  if (!f_v) return refuse("not defined: no floating-point operation vectorises");

  Needs need(device.name);
  const double units = need(device.units, "number of units");
  const double fast_bytes = need(device.fast_bytes, "fast-memory size");
  const MemoryModel memory{need(device.fast_latency_s, "latency of the fast memory"),
                           need(device.slow_latency_s, "latency of the slow memory"),
                           need(device.fast_bytes_per_s, "bandwidth of the fast memory"),
                           need(device.slow_bytes_per_s, "bandwidth of the slow memory")};
  const double s0 = need(device.synchronisation_s, "cost of a synchronisation");
  const auto peak = device.peak_flops_per_s(w.share_single);
  if (!peak) need.lack("peak rate");
  if (!need.are_met()) return refuse(need.words());

  const double slow = w.lines->misses(fast_bytes);
  const double fast = std::max(0.0, w.lines->accesses - slow);
  DeviceTime time;
  time.computation_s = computation_s(*w.floating_point, {units, *peak / units}, *f_v, *f_im);
  const MemorySeconds mem = memory_s(w.floating_point->depth, fast, w.lines->access_bytes, slow,
                                     w.lines->line_bytes, memory);
  time.fast_memory_s = mem.fast_s;
  time.slow_memory_s = mem.slow_s;
  time.synchronisation_s = synchronisation_s(*w.synchronisations, s0);
  // The model leaves out launches and transfers.
  time.total_s = time.computation_s + mem.fast_s + mem.slow_s + *time.synchronisation_s;
  out.time = time;
  return out;
}

}  // namespace apmt::devices::automatch
