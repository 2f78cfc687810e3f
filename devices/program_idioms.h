// The idioms of a whole program on its host and on devices, as in tables V to IX of PMaC's paper:
// the time of each idiom if all of its instances run on one device, or each where it is fastest,
// and what this saves of the program's time. An instance is an idiom of one loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/card.h"
#include "devices/estimate.h"
#include "devices/workload.h"

namespace apmt::devices {

/// The host, and how much of the program's time it spends in the idioms, as far as is known.
struct IdiomHost {
  Device card;
  std::optional<double> coverage = {};  // share of the program's time in all idioms together
  /// Share of the program's time in each kernel of the analysis; replaces `coverage` unless empty.
  std::vector<double> kernel_shares = {};
};

/// All instances of an idiom on the host.
struct IdiomOnHost {
  std::string idiom;
  std::size_t instances = 0;
  double seconds = 0;
  std::optional<double> coverage;  // share of the program's time
};

/// Which instances run on devices. Instances that no device can run stay on the host.
struct IdiomPort {
  std::vector<std::string> devices;       // labels
  bool is_blind = false;                  // instances run on the one device even if it is slower
  std::size_t instances = 0;              // that run on devices
  std::map<std::string, double> seconds;  // by idiom
  double total_s = 0;
  std::optional<double> saved_share;  // of the program's time; below 0 if it takes longer
};

struct ProgramIdioms {
  std::vector<IdiomOnHost> on_host;
  double host_s = 0;
  std::optional<double> coverage;
  /// First, for each device, the blind port. Then, for each device, the port in which each instance
  /// runs where it is faster: on this device or on the host. Then, if there are several devices,
  /// the port in which each instance runs on the fastest of all devices and the host.
  std::vector<IdiomPort> ports;
  std::vector<std::string> stay;  // why instances stay on the host: a clause each

  std::size_t instances() const;
  /// The fastest blind port; null if no device can run any instance.
  const IdiomPort* best_blind() const;
  const IdiomPort& best() const { return ports.back(); }
};

/// Nothing if the kernels have no idioms. Throws InputError if the host's time cannot be computed:
/// its card lacks memory levels, or an analysis lacks stack distances. There must be a device.
std::optional<ProgramIdioms> program_idioms(const std::vector<Workload>& kernels,
                                            const std::vector<Device>& devices,
                                            const IdiomHost& host, DataPlace data, bool do_overlap);

}  // namespace apmt::devices
