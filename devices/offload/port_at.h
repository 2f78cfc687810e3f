// Predicts the time of an MPI program at one process count if some of its kernels run on devices,
// and in which order to port the kernels. Communication, and kernels that are not ported, keep
// their times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/estimate.h"
#include "devices/offload/shared_data.h"
#include "devices/offload/workload_law.h"
#include "fitter/prediction/prediction.h"

namespace apmt::devices {

/// An analysed kernel, and the share that it takes of the time of each kernel of the model.
struct PortableKernel {
  std::string function;  // linkage name
  std::string name;
  std::string place;                        // file:line
  std::map<std::size_t, double> shares_of;  // of model kernels' times, by index in Model::kernels
  WorkloadLaw law;
};

/// Messages of one MPI operation, or its calls if it is a collective.
struct Messages {
  std::string op;
  double calls = 0;  // of one rank
  double bytes = 0;  // of all these calls
};

/// The program without ports, at one process count.
struct HostTimes {
  KernelTimes times;
  double work_per_rank = 0;
  int ranks_per_device = 1;  // these ranks take turns
  std::vector<Messages> messages;
  double confidence = 0.8;
};

/// A factor with its interval, low <= value <= high.
struct FactorEstimate {
  double value = 1;
  double low = 1;
  double high = 1;
};

/// The program with some kernels ported.
struct PortedProgram {
  TimeEstimate time;
  FactorEstimate speedup;
};

/// The seconds that a port may take (KernelPort::device_s) for the wanted speed-up of the program.
struct Required {
  std::optional<double> equally_s;      // if all ported kernels become faster by the same factor
  std::optional<double> others_best_s;  // if the other kernels take as long as predicted
};

struct KernelPort {
  std::size_t kernel = 0;  // index in the list of portable kernels
  TimeEstimate host;       // seconds per rank
  /// Seconds that the device needs to run the kernel for all ranks that share it; absent: see
  /// why_not.
  std::optional<double> device_s;
  std::optional<TimeRange>
      device_range;  // of device_s; absent if the card's figures have no spread
  DeviceTime parts;  // of one rank alone
  std::string why_not;
  std::vector<std::string> notes;  // what the device's time leaves out or assumes
  double extrapolation = 1;        // WorkloadLaw::extrapolation()
  bool is_worth_it = false;        // whether the fastest program has this port
  /// The same if kernels on the device shared no data with those on the host.
  bool is_worth_it_unshared = false;
  std::optional<PortedProgram> alone;
  std::optional<PortedProgram> after;     // with all earlier ports; only if is_worth_it
  std::optional<Required> required = {};  // only if a speed-up is wanted
};

struct OffloadAt {
  int procs = 0;
  std::map<std::string, double> params;
  double work_per_rank = 0;
  int ranks_per_device = 1;
  TimeEstimate host;
  /// The program with all ports that are worth it; without ports if there are none.
  PortedProgram ported;
  double transfer_s = 0;  // of data that MPI needs, if any kernel is ported
  /// The most seconds that data move between kernels on the device and kernels on the host, with
  /// all ports that are worth it. Times contain them; the fast ends of intervals do not.
  double shared_s = 0;
  bool is_transfer_beyond = false;  // some of these transfers are larger than any that was measured
  /// First the ports that are worth it, in the order in which to make them, then the others with a
  /// time, each by decreasing saving (negative for a loss). Last, the ports without a time.
  std::vector<KernelPort> ports;
  /// The speed-up if the kernels that are worth porting took no time at all; absent if there are
  /// none, or if they take all of the program's time.
  std::optional<double> most_speedup;
  std::optional<double> equal_factor;  // how much faster each ported kernel must be

  std::size_t worth_it() const;  // how many kernels are worth porting
};

struct PortOptions {
  DataPlace data = DataPlace::kResident;
  std::optional<double> wanted_speedup;
  /// Whether kernels on the device share as much data as possible with those on the host, or none.
  bool shares_data = true;
};

/// Throws InputError if the card lacks what the transfers need.
OffloadAt port_at(const HostTimes& host, const std::vector<PortableKernel>& kernels,
                  const Device& device, const PortOptions& options);

/// The best speed-up in each draw of the model (docs/architecture.md): the program's time divided
/// by its time with the set of ports that is fastest in this draw; a set has at least one port.
/// nullopt if no kernel has a time on the device.
std::optional<Draws> best_speedups(const HostTimes& host,
                                   const std::vector<PortableKernel>& kernels, const Device& device,
                                   const PortOptions& options);
/// Whether data that kernels share may move between device and host.
bool may_share(const Device& device, const PortOptions& options);

}  // namespace apmt::devices
