#include "devices/offload/port_at.h"

#include <algorithm>
#include <numeric>

#include "base/input_error.h"
#include "devices/spread.h"
#include "fitter/prediction/draw_estimates.h"

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
void check(const HostTimes& host, const Device& device, const PortOptions& options, bool shares) {
  if (device.kind == "cpu") return;
  Needs need(device.name);
  need(device.launch_s, "cost of a launch");
  if (moves_data(host, device, options.data) || options.data != DataPlace::kResident || shares) {
    if (!device.to_device.seconds(1)) need.lack("bandwidth to the device");
    if (!device.from_device.seconds(1)) need.lack("bandwidth from the device");
  }
  if (!need.are_met())
    throw InputError("", need.words(),
                     "write launch_s, to_device and from_device into a copy of the card and name "
                     "its file (docs/devices.md)",
                     ExitCode::kNotEnoughData);
}

/// Mean size of the messages; nothing if no data move.
std::optional<double> size_of(const Messages& m) {
  if (!(m.bytes > 0) || !(m.calls > 0)) return std::nullopt;
  return m.bytes / m.calls;
}

/// Seconds to move messages between hosts and devices. A message goes from one device to another,
/// so it is moved twice: from a device to its host, and from a host to its device.
double transfer_s(const HostTimes& host, const Device& device, DataPlace data) {
  if (!moves_data(host, device, data)) return 0;
  double seconds = 0;
  for (const Messages& m : host.messages) {
    const auto size = size_of(m);
    if (!size) continue;
    const auto from = device.from_device.seconds(*size), to = device.to_device.seconds(*size);
    if (!from || !to)
      throw InputError("",
                       "the card of " + device.name + " has no time for a transfer of " +
                           number(*size) + " bytes, which " + m.op + " needs",
                       "the curve begins at larger transfers: add bytes_per_s and latency_s",
                       ExitCode::kNotEnoughData);
    seconds += m.calls * (*from + *to);
  }
  return seconds * host.ranks_per_device;
}

bool is_transfer_beyond(const HostTimes& host, const Device& device, DataPlace data) {
  return moves_data(host, device, data) &&
         std::any_of(host.messages.begin(), host.messages.end(), [&](const Messages& m) {
           const double size = size_of(m).value_or(0);
           return device.to_device.is_beyond(size) || device.from_device.is_beyond(size);
         });
}

struct Share {
  double time_s = 0;
  Draws draws{};
};

Share host_share(const HostTimes& host, const PortableKernel& kernel) {
  Share sum;
  for (const auto& [index, share] : kernel.shares_of) {
    const Draws& draws = host.times.kernel(index);
    sum.time_s += share * host.times.kernels_s.at(index);
    for (std::size_t k = 0; k < kDraws; ++k) sum.draws[k] += share * draws[k];
  }
  return sum;
}

/// What ports cost on a card.
struct Costs {
  double transfer_s = 0;
  std::vector<SharedData> shared;               // by kernel
  std::vector<std::optional<double>> device_s;  // by kernel
};

/// The program in each draw of the model, with some kernels ported.
struct PortedDraws {
  Draws time{}, speedup{};
};

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
    port.why_not =
        "its analysis lacks footprints, which are what moves (apmt analyze --with "
        "synchronisation,footprint ...)";
    return port;
  }
  const DevicePrediction predicted = estimate(workload, device, data, host.ranks_per_device);
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
      : host_(host), kernels_(kernels), device_(device), options_(options) {
    may_share_ = kernels.size() > 1 && may_share(device, options);
    check(host, device, options, may_share_);
    transfer_s_ = transfer_s(host, device, options.data);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      shares_.push_back(host_share(host, kernels[i]));
      ports_.push_back(time_of(i, kernels[i], host, device, options.data));
      shared_.push_back(shared_on(device, kernels[i]));
      const Draws& draws = shares_[i].draws;
      ports_.back().host = with_interval(shares_[i].time_s, draws, draws, host.confidence);
    }
  }

  OffloadAt run() {
    OffloadAt out;
    out.procs = host_.times.drawn.procs;
    out.params = host_.times.params;
    out.work_per_rank = host_.work_per_rank;
    out.ranks_per_device = host_.ranks_per_device;
    out.host = host_.times.whole;
    out.transfer_s = transfer_s_;
    out.is_transfer_beyond = is_transfer_beyond(host_, device_, options_.data);
    out.ported.time = out.host;
    find_ranges();
    choose();
    sort();
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
      const double rest_s = out.host.time_s - kernels_s + transfers_s(chosen);
      if (rest_s > 0) out.most_speedup = out.host.time_s / rest_s;
    }
    out.shared_s = chosen.empty() ? 0 : most_shared_s(shared_, among(chosen));
    out.ports = std::move(ports_);
    return out;
  }

  std::optional<Draws> best() const {
    if (std::none_of(ports_.begin(), ports_.end(),
                     [](const KernelPort& port) { return port.device_s.has_value(); }))
      return std::nullopt;
    Draws speedups{};
    std::vector<std::optional<double>> savings_s(kernels_.size());
    for (std::size_t k = 0; k < kDraws; ++k) {
      for (const KernelPort& port : ports_)
        if (port.device_s) savings_s[port.kernel] = shares_[port.kernel].draws[k] - *port.device_s;
      const double whole = host_.times.drawn.whole[k];
      const double after = whole - best_choice(savings_s, shared_).saved_s + transfer_s_;
      speedups[k] = after > 0 ? whole / after : 1;
    }
    return speedups;
  }

 private:
  /// Nothing if the kernel's data at this work per rank are not known.
  SharedData shared_on(const Device& device, const PortableKernel& kernel) const {
    if (!may_share_ || !kernel.law.covers(host_.work_per_rank)) return {};
    return shared_data(kernel.law.at(host_.work_per_rank), device, host_.ranks_per_device);
  }

  Costs costs_on(const Device& device) const {
    Costs costs{transfer_s(host_, device, options_.data), {}, {}};
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      costs.device_s.push_back(time_of(i, kernels_[i], host_, device, options_.data).device_s);
      costs.shared.push_back(shared_on(device, kernels_[i]));
    }
    return costs;
  }

  /// Finds the costs with all measured figures of the card at their fast quartile and no shared
  /// data that move, and with all figures at their slow quartile.
  void find_ranges() {
    const auto fast = fast_end(device_), slow = slow_end(device_);
    fast_ = costs_on(fast ? *fast : device_);
    slow_ = costs_on(slow ? *slow : device_);
    fast_.shared.assign(kernels_.size(), {});
    if (!fast || !slow) return;
    for (KernelPort& port : ports_)
      if (port.device_s)
        port.device_range = TimeRange{*fast_.device_s[port.kernel], *slow_.device_s[port.kernel]};
  }

  double saving_s(const KernelPort& port) const {
    return shares_[port.kernel].time_s - *port.device_s;
  }

  /// The ports that are worth it come first.
  void sort() {
    const auto rank = [](const KernelPort& p) { return p.is_worth_it ? 0 : p.device_s ? 1 : 2; };
    std::stable_sort(ports_.begin(), ports_.end(), [&](const KernelPort& a, const KernelPort& b) {
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return a.device_s && saving_s(a) > saving_s(b);
    });
  }

  /// Which kernels to port so that the program becomes as fast as possible. The transfers for MPI
  /// cost the same however many kernels are ported. If they cost more than the best choice of
  /// kernels saves, none is ported.
  std::vector<bool> chosen_if(const std::vector<SharedData>& shared) const {
    std::vector<std::optional<double>> savings_s(kernels_.size());
    for (const KernelPort& port : ports_)
      if (port.device_s) savings_s[port.kernel] = saving_s(port);
    if (std::none_of(savings_s.begin(), savings_s.end(),
                     [](const auto& s) { return s.has_value(); }))
      return std::vector<bool>(kernels_.size(), false);
    const PortChoice best = best_choice(savings_s, shared);
    return best.saved_s > transfer_s_ ? best.is_ported : std::vector<bool>(kernels_.size(), false);
  }

  void choose() {
    const std::vector<bool> chosen = chosen_if(shared_);
    const std::vector<bool> unshared = chosen_if(std::vector<SharedData>(kernels_.size()));
    for (KernelPort& port : ports_) {
      port.is_worth_it = chosen[port.kernel];
      port.is_worth_it_unshared = unshared[port.kernel];
    }
  }

  std::vector<bool> among(const std::vector<std::size_t>& chosen) const {
    std::vector<bool> is_ported(kernels_.size(), false);
    for (const std::size_t i : chosen) is_ported[i] = true;
    return is_ported;
  }

  /// Of MPI's data and of shared data.
  double transfers_s(const std::vector<std::size_t>& chosen) const {
    return transfer_s_ + most_shared_s(shared_, among(chosen));
  }

  double device_s(std::size_t kernel) const {
    return *std::find_if(ports_.begin(), ports_.end(), [&](const KernelPort& port) {
              return port.kernel == kernel;
            })->device_s;
  }

  PortedDraws draws_with(const std::vector<std::size_t>& chosen, const Costs& costs) const {
    PortedDraws out{.time = host_.times.drawn.whole};
    const double transfers = costs.transfer_s + most_shared_s(costs.shared, among(chosen));
    for (std::size_t k = 0; k < kDraws; ++k) {
      double& time = out.time[k];
      time += transfers;
      for (const std::size_t i : chosen) time += *costs.device_s[i] - shares_[i].draws[k];
      out.speedup[k] = time > 0 ? host_.times.drawn.whole[k] / time : 1;
    }
    return out;
  }

  PortedProgram with_ports(const std::vector<std::size_t>& chosen) const {
    double change_s = transfers_s(chosen);
    for (const std::size_t i : chosen) change_s += device_s(i) - shares_[i].time_s;
    const PortedDraws fast = draws_with(chosen, fast_), slow = draws_with(chosen, slow_);
    PortedProgram program;
    program.time =
        with_interval(host_.times.whole.time_s + change_s, fast.time, slow.time, host_.confidence);
    const TimeEstimate s = with_interval(host_.times.whole.time_s / program.time.time_s,
                                         slow.speedup, fast.speedup, host_.confidence);
    program.speedup = {s.time_s, s.low_s, s.high_s};
    return program;
  }

  void require(const std::vector<std::size_t>& chosen, OffloadAt* out) {
    const double wanted_s = out->host.time_s / *options_.wanted_speedup;
    double kernels_s = 0;
    for (const std::size_t i : chosen) kernels_s += shares_[i].time_s;
    // The time that the ported kernels may take together.
    const double left_s = wanted_s - (out->host.time_s - kernels_s + transfers_s(chosen));
    if (left_s > 0) out->equal_factor = kernels_s / left_s;
    for (KernelPort& port : ports_) {
      if (!port.is_worth_it) continue;
      Required& required = port.required.emplace();
      if (out->equal_factor) required.equally_s = shares_[port.kernel].time_s / *out->equal_factor;
      const double others_s = out->ported.time.time_s - *port.device_s;
      if (wanted_s > others_s) required.others_best_s = wanted_s - others_s;
    }
  }

  const HostTimes& host_;
  const std::vector<PortableKernel>& kernels_;
  const Device& device_;
  PortOptions options_;
  double transfer_s_ = 0;
  bool may_share_ = false;          // whether kernels may share data
  std::vector<SharedData> shared_;  // by kernel
  Costs fast_, slow_;               // at the ends of the spread of the card's figures
  std::vector<Share> shares_;       // by kernel
  std::vector<KernelPort> ports_;
};

}  // namespace

bool may_share(const Device& device, const PortOptions& options) {
  return options.shares_data && device.kind != "cpu" && options.data != DataPlace::kPerCall;
}

std::size_t OffloadAt::worth_it() const {
  return static_cast<std::size_t>(
      std::count_if(ports.begin(), ports.end(), [](const KernelPort& p) { return p.is_worth_it; }));
}

OffloadAt port_at(const HostTimes& host, const std::vector<PortableKernel>& kernels,
                  const Device& device, const PortOptions& options) {
  return Porter(host, kernels, device, options).run();
}

std::optional<Draws> best_speedups(const HostTimes& host,
                                   const std::vector<PortableKernel>& kernels, const Device& device,
                                   const PortOptions& options) {
  return Porter(host, kernels, device, options).best();
}

}  // namespace apmt::devices
