#include "devices/estimate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "devices/automatch.h"
#include "devices/convolver.h"

namespace apmt::devices {
namespace {

/// The accesses that a cache level or the memory serves.
struct Served {
  double bytes = 0;
  double seconds = 0;  // to move the bytes at the bandwidth of the level
  double accesses = 0;
  MaybeFigure latency_s;
  bool is_memory = false;
  bool lacks_bandwidth = false;
};

std::vector<CardLevel> levels_of(const Device& device) {
  if (!device.levels.empty() && !device.levels.back().size_bytes) return device.levels;
  std::vector<CardLevel> levels;
  if (device.fast_bytes)
    levels.push_back({"fast", device.fast_bytes, device.fast_latency_s, device.fast_bytes_per_s});
  levels.push_back({"slow", {}, device.slow_latency_s, device.slow_bytes_per_s});
  return levels;
}

std::vector<Served> served_by(const std::vector<CardLevel>& levels, const Workload& w, int ranks) {
  const LineTraffic& lines = *w.lines;
  std::vector<Served> all;
  double left = lines.accesses;
  for (const CardLevel& level : levels) {
    const double beyond =
        level.size_bytes ? std::min(left, shared_misses(w, level.size_bytes->value, ranks)) : 0;
    Served one{.bytes = 0,
               .seconds = 0,
               .accesses = left - beyond,
               .latency_s = level.latency_s,
               .is_memory = !level.size_bytes,
               .lacks_bandwidth = !level.bytes_per_s};
    // The first level serves single accesses. The others move whole lines, even if only a part of a
    // line is used.
    one.bytes =
        one.accesses * (all.empty() && level.size_bytes ? lines.access_bytes : lines.line_bytes);
    if (level.bytes_per_s) one.seconds = one.bytes / level.bytes_per_s->value;
    left = beyond;
    all.push_back(one);
  }
  return all;
}

bool is_non_uniform(const std::string& idiom) {
  return idiom == "gather" || idiom == "scatter" || idiom == "transpose";
}

class Estimator {
 public:
  Estimator(const Workload& w, const Device& device, DataPlace data, int ranks)
      : w_(w), device_(device), data_(data), ranks_(ranks) {
    out_.device = device.label;
  }

  DevicePrediction run() {
    if (!w_.has_counts) return refuse("the analysis lacks counts of instructions");
    if (!w_.lines) return refuse("the analysis lacks stack distances");
    if (w_.lines->accesses <= 0 && w_.flops <= 0 && !w_.all_operations)
      return refuse("the kernel neither computes nor accesses memory");
    Needs need(device_.name);
    frequency_hz_ = need(device_.frequency_hz, "frequency");
    const auto peak = device_.peak_flops_per_s(w_.share_single);
    if (!peak && w_.flops > 0) need.lack("peak rate");
    peak_ = peak.value_or(0);
    const std::vector<CardLevel> levels = levels_of(device_);
    if (!levels.back().bytes_per_s) need.lack("bandwidth of the slow memory");
    if (!need.are_met()) return refuse(need.words());
    compute();
    move(levels);
    synchronise();
    launch();
    if (!transfer()) return out_;
    // A port can overlap computation with moving data from the caches and the memory and with
    // waiting for them, but with nothing else.
    time_.total_s = std::max({time_.computation_s, fast_s_, slow_s_, time_.latency_s.value_or(0)}) +
                    time_.synchronisation_s.value_or(0) + time_.launch_s.value_or(0) +
                    time_.transfer_s.value_or(0);
    if (knows_fast_) time_.fast_memory_s = fast_s_;
    if (!w_.lines->saw_nothing()) time_.slow_memory_s = slow_s_;
    if (w_.lines->is_sampled) note("stack distances are sampled");
    if (w_.is_estimated) note("some invocations of the kernel were not followed");
    if (!w_.is_complete) note("the analysis is not complete");
    out_.time = time_;
    return out_;
  }

 private:
  DevicePrediction refuse(const std::string& why) {
    out_.why_not = why;
    return out_;
  }
  void note(const std::string& what) { out_.notes.push_back(what); }
  void left_out(const char* what) { note(std::string(what) + ": left out, not on the card"); }

  /// Computation time. Each level of a schedule (operations that can run at once) takes one cycle,
  /// or more if the device needs more for these operations.
  void compute() {
    const double flops_per_s = peak_ * mix_factor();
    double capacity = INFINITY;  // operations per cycle
    if (w_.all_operations) {
      const auto single = device_.peak_flops_per_s(1);
      const double lanes = single ? *single / (2 * frequency_hz_) : 0;
      const double units = std::max(lanes, device_.units ? device_.units->value : 0);
      if (units > 0)
        capacity = units;
      else
        left_out("the number of units");
      if (w_.flops > 0)
        capacity = std::min(capacity,
                            flops_per_s / frequency_hz_ * w_.all_operations->operations / w_.flops);
      time_.computation_s = w_.all_operations->levels_on(capacity) / frequency_hz_;
    } else {
      note(
          "the schedule of all operations is not known, so sums count as chains (apmt analyze "
          "--with all-operations)");
      if (w_.flops > 0 && w_.floating_point)
        time_.computation_s =
            w_.floating_point->levels_on(flops_per_s / frequency_hz_) / frequency_hz_;
    }
    if (w_.flops > 0) time_.computation_s = std::max(time_.computation_s, w_.flops / flops_per_s);
  }

  /// The share of its peak rate that a unit for fused multiply-adds reaches: one half if no
  /// addition can be paired with a multiplication.
  double mix_factor() const {
    return automatch::instruction_mix_factor(w_.additions, w_.multiplications).value_or(0.5);
  }

  void move(const std::vector<CardLevel>& levels) {
    const std::vector<Served> served = served_by(levels, w_, ranks_);
    out_.slow_bytes = served.back().bytes;
    bool lacks_bandwidth = false;
    for (const Served& one : served) {
      (one.is_memory ? slow_s_ : fast_s_) =
          std::max(one.is_memory ? slow_s_ : fast_s_, one.seconds);
      lacks_bandwidth |= one.lacks_bandwidth && one.accesses > 0;
      knows_fast_ |= !one.is_memory && !one.lacks_bandwidth;
    }
    wait(served);
    slow_s_ += non_uniform_s(served.back(), levels.back().bytes_per_s->value);
    if (lacks_bandwidth) left_out("the bandwidth of caches");
    if (w_.lines->saw_nothing()) {
      out_.slow_bytes.reset();
      note(
          "the slow memory: left out, the sample of stack distances has none of the kernel's cache "
          "lines (apmt analyze --with stack-distances)");
    }
  }

  /// The time of loads that wait for each other. It is not known which memory level serves them, so
  /// each waits for the mean latency of all accesses. A CPU prefetches those at foreseen addresses
  /// into its first cache.
  void wait(const std::vector<Served>& served) {
    if (!w_.load_chain) {
      note(w_.all_operations
               ? "latencies of memory: left out, the analysis is of an older version of apmt, in "
                 "which sums count as chains (analyse again)"
               : "latencies of memory: left out, not in the analysis (apmt analyze --with "
                 "all-operations)");
      return;
    }
    time_.latency_s = 0;
    const bool has_prefetcher = device_.kind == "cpu";
    const double foreseen =
        has_prefetcher ? std::max(0.0, w_.load_chain->depth - w_.load_chain->unforeseen) : 0;
    const double waits = w_.load_chain->depth - foreseen;
    if (!(w_.load_chain->depth > 0) || !(w_.lines->accesses > 0)) return;
    bool is_known = foreseen <= 0 || served.front().latency_s;
    double mean_s = 0;
    for (const Served& one : served) {
      if (one.accesses <= 0 || waits <= 0) continue;
      is_known &= one.latency_s.has_value();
      if (one.latency_s) mean_s += one.accesses / w_.lines->accesses * one.latency_s->value;
    }
    if (is_known) {
      const double first_s = foreseen > 0 ? served.front().latency_s->value : 0;
      time_.latency_s = foreseen * first_s + waits * mean_s;
      return;
    }
    time_.latency_s.reset();
    left_out("latencies of memory");
  }

  /// The seconds by which gathers, scatters and transposes lengthen the time of the slow memory,
  /// because they do not reach its full bandwidth. It is not known which references miss the
  /// caches, so each idiom is assumed to move its share of the bytes.
  double non_uniform_s(const Served& slow, double slow_bytes_per_s) {
    double references = 0;
    for (const IdiomBlock& block : w_.idioms) references += block.references;
    double seconds = 0;
    std::set<std::string> lacking;
    bool is_beyond = false;
    for (const IdiomBlock& block : w_.idioms) {
      if (!is_non_uniform(block.idiom) || !(slow.bytes > 0)) continue;
      const double moved = slow.bytes * w_.share_idioms * block.references / references;
      // The card gives an idiom's bandwidth in referenced bytes per second. It is lower than the
      // memory's bandwidth, because the unused rest of each line is moved, too. So at most the
      // referenced bytes are counted here, not whole lines.
      const References counted{1, std::min(moved, block.bytes)};
      const IdiomTime one = idiom_memory_s(block.idiom, counted, block.footprint_bytes, device_);
      if (!one.seconds) lacking.insert(block.idiom);
      seconds += std::max(0.0, one.seconds.value_or(0) - moved / slow_bytes_per_s);
      is_beyond |= one.is_beyond;
    }
    for (const std::string& idiom : lacking)
      note(idiom + ": taken as uniform access, its bandwidth is not on the card");
    if (is_beyond) note(kFootprintsBeyond);
    return seconds;
  }

  void synchronise() {
    if (!w_.synchronisations) {
      note("synchronisations: left out, not in the analysis");
      return;
    }
    const double needed = std::max(0.0, *w_.synchronisations - w_.synchronisations_inside_parallel);
    if (needed <= 0)
      time_.synchronisation_s = 0;
    else if (device_.synchronisation_s)
      time_.synchronisation_s = needed * device_.synchronisation_s->value;
    else
      left_out("the cost of synchronisations");
  }

  void launch() {
    // On a CPU, a kernel that is not an OpenCL kernel starts a loop on all cores and waits for its
    // end. If the card lacks the cost of this, the cost of a barrier, which is no larger, is used.
    const bool is_call = device_.kind == "cpu" && !w_.is_opencl;
    const MaybeFigure& cost = !is_call               ? device_.launch_s
                              : device_.loop_start_s ? device_.loop_start_s
                                                     : device_.synchronisation_s;
    if (is_call && device_.cores && device_.cores->value == 1)
      time_.launch_s = 0;
    else if (cost)
      time_.launch_s = w_.invocations * cost->value;
    else
      left_out("the cost of launches");
  }

  /// Returns false if data must be moved but the time of the transfers is not known; the device
  /// must then not be ranked.
  bool transfer() {
    if (device_.kind == "cpu" || data_ == DataPlace::kResident) {
      time_.transfer_s = 0;
      return true;
    }
    if (w_.lacks_footprints) {
      refuse(
          "the analysis lacks footprints of loops, so it is not known how many bytes move "
          "(leave out --with, or add footprint to it; what functions that a loop calls access "
          "is known only if they are inlined)");
      return false;
    }
    if (!w_.footprint_bytes)
      note("only data that no other kernel touched before move: the analysis has no footprints");
    // All data that the kernel touches are moved in both directions, because it is not known which
    // are only read.
    const double bytes = touched_bytes(w_);
    time_.transfer_s = transfer_s(bytes, bytes, moves_of(w_, data_), device_);
    if (!time_.transfer_s) {
      refuse("the card of " + device_.name +
             " gives no time for transfers of this size between host and device");
      return false;
    }
    if (is_transfer_beyond(bytes, bytes, device_)) note(kTransfersBeyond);
    return true;
  }

  const Workload& w_;
  const Device& device_;
  DataPlace data_;
  int ranks_;
  DevicePrediction out_;
  DeviceTime time_;
  double frequency_hz_ = 0, peak_ = 0;
  double fast_s_ = 0, slow_s_ = 0;
  bool knows_fast_ = false;
};

}  // namespace

double moves_of(const Workload& workload, DataPlace data) {
  if (data == DataPlace::kPerCall) return workload.invocations;
  return data == DataPlace::kPerStep ? workload.steps : 1;
}

DevicePrediction estimate(const Workload& workload, const Device& device, DataPlace data,
                          int ranks) {
  return Estimator(workload, device, data, ranks).run();
}

}  // namespace apmt::devices
