#include "devices/offload/port_at.h"

#include <algorithm>
#include <numeric>

#include "base/input_error.h"
#include "fitter/draw_estimates.h"

namespace apmt::devices {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

bool moves_data(const HostTimes& host, const Device& device, DataPlace data) {
  return device.kind != "cpu" && data != DataPlace::kPerCall &&
         std::any_of(host.messages.begin(), host.messages.end(),
                     [](const Messages& m) { return m.bytes > 0; });
}

/// Throws InputError if the card lacks the cost of launches or transfers. If ranks have little
/// work, these costs decide whether a port saves time.
void check(const HostTimes& host, const Device& device, DataPlace data) {
  if (device.kind == "cpu") return;
  Needs need(device.name);
  need(device.launch_s, "cost of a launch");
  if (moves_data(host, device, data) || data != DataPlace::kResident) {
    if (!device.to_device.seconds(1)) need.lack("bandwidth to the device");
    if (!device.from_device.seconds(1)) need.lack("bandwidth from the device");
  }
  if (!need.are_met())
    throw InputError("", need.words(),
                     "write launch_s, to_device and from_device into a copy of the card and name "
                     "its file (docs/devices.md)",
                     ExitCode::kNotEnoughData);
}

/// Seconds to move messages between hosts and devices. A message comes from a device and goes to a
/// device, so it is moved twice.
double transfer_s(const HostTimes& host, const Device& device, DataPlace data) {
  if (!moves_data(host, device, data)) return 0;
  double seconds = 0;
  for (const Messages& m : host.messages) {
    if (!(m.bytes > 0) || !(m.calls > 0)) continue;
    const double size = m.bytes / m.calls;
    const auto from = device.from_device.seconds(size), to = device.to_device.seconds(size);
    if (!from || !to)
      throw InputError("", "the card of " + device.name + " has no time for a transfer of " +
                               number(size) + " bytes, which " + m.op + " needs",
                       "the curve begins at larger transfers: add bytes_per_s and latency_s",
                       ExitCode::kNotEnoughData);
    seconds += m.calls * (*from + *to);
  }
  return seconds * host.ranks_per_device;
}

struct Share {
  double time_s = 0;
  Draws draws{};
};

Share host_share(const HostTimes& host, const PortableKernel& kernel) {
  Share sum;
  for (const auto& [index, share] : kernel.shares_of) {
    const KernelTimes::Kernel& of = host.times.kernels.at(index);
    sum.time_s += share * of.time_s;
    for (std::size_t k = 0; k < kDraws; ++k) sum.draws[k] += share * of.draws[k];
  }
  return sum;
}

/// `value` with an interval: the quantiles of the draws, widened if necessary to contain `value`.
TimeEstimate with_interval(double value, Draws draws, double confidence) {
  const double low = quantile(&draws, 0.5 - 0.5 * confidence);
  const double high = quantile(&draws, 0.5 + 0.5 * confidence);
  return {value, std::min(value, low), std::max(value, high)};
}

KernelPort time_of(std::size_t index, const PortableKernel& kernel, const HostTimes& host,
                   const Device& device, DataPlace data) {
  KernelPort port;
  port.kernel = index;
  const double working_set = host.work_per_rank;
  port.extrapolation = kernel.law.extrapolation(working_set);
  if (!kernel.law.covers(working_set)) {
    port.why_not = "it was analysed with " + number(kernel.law.smallest()) +
                   " of work per rank only, and a rank has " + number(working_set) +
                   " here (an analysis of a second size gives a law)";
    return port;
  }
  const Workload workload = kernel.law.at(working_set);
  const double bytes = touched_bytes(workload) * host.ranks_per_device;
  if (device.memory_bytes && bytes > device.memory_bytes->value) {
    port.why_not = "it touches " + number(bytes / 1e9) + " GB on each device, which has " +
                   number(device.memory_bytes->value / 1e9) + " GB";
    return port;
  }
  if (data != DataPlace::kResident && device.kind != "cpu" && !workload.footprint_bytes) {
    port.why_not = "its analysis lacks footprints, which are what moves (apmt analyze --with "
                   "synchronisation,footprint ...)";
    return port;
  }
  const DevicePrediction predicted = estimate(workload, device, data);
  port.notes = predicted.notes;
  if (!predicted.time) {
    port.why_not = predicted.why_not;
    return port;
  }
  port.parts = *predicted.time;
  port.device_s = predicted.time->total_s * host.ranks_per_device;
  return port;
}

/// A program and its ports; at first, no kernel is ported.
class Porter {
 public:
  Porter(const HostTimes& host, const std::vector<PortableKernel>& kernels, const Device& device,
         const PortOptions& options)
      : host_(host), options_(options) {
    check(host, device, options.data);
    transfer_s_ = transfer_s(host, device, options.data);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      shares_.push_back(host_share(host, kernels[i]));
      ports_.push_back(time_of(i, kernels[i], host, device, options.data));
      ports_.back().host = with_interval(shares_[i].time_s, shares_[i].draws, host.confidence);
    }
  }

  OffloadAt run() {
    OffloadAt out;
    out.procs = host_.times.procs;
    out.params = host_.times.params;
    out.work_per_rank = host_.work_per_rank;
    out.ranks_per_device = host_.ranks_per_device;
    out.host = host_.times.whole;
    out.transfer_s = transfer_s_;
    out.ported.time = out.host;
    sort();
    choose();
    std::vector<std::size_t> chosen;
    for (KernelPort& port : ports_) {
      if (!port.device_s) continue;
      port.alone = with_ports({port.kernel});
      if (!port.is_worth_it) continue;
      chosen.push_back(port.kernel);
      port.after = with_ports(chosen);
      out.ported = *port.after;
    }
    if (options_.wanted_speedup && !chosen.empty()) require(chosen, &out);
    if (!chosen.empty()) {
      double kernels_s = 0;
      for (const std::size_t i : chosen) kernels_s += shares_[i].time_s;
      const double rest_s = out.host.time_s - kernels_s + transfer_s_;
      if (rest_s > 0) out.most_speedup = out.host.time_s / rest_s;
    }
    out.ports = std::move(ports_);
    return out;
  }

  std::optional<Draws> best() const {
    if (std::none_of(ports_.begin(), ports_.end(),
                     [](const KernelPort& port) { return port.device_s.has_value(); }))
      return std::nullopt;
    Draws speedups{};
    for (std::size_t k = 0; k < kDraws; ++k) {
      double saved = 0, least_loss = -INFINITY;
      for (const KernelPort& port : ports_) {
        if (!port.device_s) continue;
        const double saves = shares_[port.kernel].draws[k] - *port.device_s;
        saved += std::max(0.0, saves);
        least_loss = std::max(least_loss, saves);
      }
      const double whole = host_.times.draws[k];
      const double after = whole - (saved > 0 ? saved : least_loss) + transfer_s_;
      speedups[k] = after > 0 ? whole / after : 1;
    }
    return speedups;
  }

 private:
  double saving_s(const KernelPort& port) const {
    return shares_[port.kernel].time_s - *port.device_s;
  }

  void sort() {
    std::stable_sort(ports_.begin(), ports_.end(), [&](const KernelPort& a, const KernelPort& b) {
      if (a.device_s.has_value() != b.device_s.has_value()) return a.device_s.has_value();
      return a.device_s && saving_s(a) > saving_s(b);
    });
  }

  /// Chooses the ports of the fastest program. Transfers cost time once, however many kernels are
  /// ported. So either all kernels that are faster on the device are ported, or, if the transfers
  /// cost more than this saves, none is.
  void choose() {
    double saved_s = -transfer_s_;
    for (const KernelPort& port : ports_)
      if (port.device_s) saved_s += std::max(0.0, saving_s(port));
    if (!(saved_s > 0)) return;
    for (KernelPort& port : ports_) port.is_worth_it = port.device_s && saving_s(port) > 0;
  }

  double device_s(std::size_t kernel) const {
    return *std::find_if(ports_.begin(), ports_.end(),
                         [&](const KernelPort& port) { return port.kernel == kernel; })
                ->device_s;
  }

  PortedProgram with_ports(const std::vector<std::size_t>& chosen) const {
    double change_s = transfer_s_;
    Draws time{}, speedup{};
    time = host_.times.draws;
    for (double& t : time) t += transfer_s_;
    for (const std::size_t i : chosen) {
      change_s += device_s(i) - shares_[i].time_s;
      for (std::size_t k = 0; k < kDraws; ++k) time[k] += device_s(i) - shares_[i].draws[k];
    }
    for (std::size_t k = 0; k < kDraws; ++k)
      speedup[k] = time[k] > 0 ? host_.times.draws[k] / time[k] : 1;
    PortedProgram program;
    program.time = with_interval(host_.times.whole.time_s + change_s, time, host_.confidence);
    const TimeEstimate s = with_interval(host_.times.whole.time_s / program.time.time_s, speedup,
                                         host_.confidence);
    program.speedup = {s.time_s, s.low_s, s.high_s};
    return program;
  }

  void require(const std::vector<std::size_t>& chosen, OffloadAt* out) {
    const double wanted_s = out->host.time_s / *options_.wanted_speedup;
    double kernels_s = 0;
    for (const std::size_t i : chosen) kernels_s += shares_[i].time_s;
    // The time that the ported kernels may take together.
    const double left_s = wanted_s - (out->host.time_s - kernels_s + transfer_s_);
    if (left_s > 0) out->equal_factor = kernels_s / left_s;
    for (KernelPort& port : ports_) {
      if (!port.is_worth_it) continue;
      Required& required = port.required.emplace();
      if (out->equal_factor)
        required.equally_s = shares_[port.kernel].time_s / *out->equal_factor;
      const double others_s = out->ported.time.time_s - *port.device_s;
      if (wanted_s > others_s) required.others_best_s = wanted_s - others_s;
    }
  }

  const HostTimes& host_;
  PortOptions options_;
  double transfer_s_ = 0;
  std::vector<Share> shares_;  // by kernel
  std::vector<KernelPort> ports_;
};

}  // namespace

std::size_t OffloadAt::worth_it() const {
  return static_cast<std::size_t>(
      std::count_if(ports.begin(), ports.end(), [](const KernelPort& p) { return p.is_worth_it; }));
}

OffloadAt port_at(const HostTimes& host, const std::vector<PortableKernel>& kernels,
                  const Device& device, const PortOptions& options) {
  return Porter(host, kernels, device, options).run();
}

std::optional<Draws> best_speedups(const HostTimes& host,
                                   const std::vector<PortableKernel>& kernels,
                                   const Device& device, const PortOptions& options) {
  return Porter(host, kernels, device, options).best();
}

}  // namespace apmt::devices
