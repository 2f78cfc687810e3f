// Data that kernels on the device share with kernels on the host. What one side writes has to move
// over the link before the other side reads it. Analyses do not say which kernels share data, so
// this is the most that can move.
#pragma once

#include <optional>
#include <vector>

#include "devices/card.h"
#include "devices/workload.h"

namespace apmt::devices {

/// Seconds that all calls of one kernel may add, for all ranks that share a device.
struct SharedData {
  // On the device: all that its calls write moves to the host, all that they read moves from there.
  double written_there_s = 0;
  double read_there_s = 0;
  // On the host: all that its calls write moves to the device, all that they read moves from there.
  double written_here_s = 0;
  double read_here_s = 0;
};

/// Throws InputError if the card gives no time for these transfers.
SharedData shared_data(const Workload& workload, const Device& device, int ranks);

/// The most seconds that transfers take if these kernels are ported. What moves in one direction is
/// written on one side and read on the other, so it is at most the smaller of the two.
double most_shared_s(const std::vector<SharedData>& data, const std::vector<bool>& is_ported);

struct PortChoice {
  std::vector<bool> is_ported;
  double saved_s = 0;  // less the transfers of shared data; may be negative
};

/// The choice of at least one kernel that saves most. `savings_s`: of each kernel's port, without
/// transfers of shared data; kernels without one stay on the host. There must be one saving.
PortChoice best_choice(const std::vector<std::optional<double>>& savings_s,
                       const std::vector<SharedData>& data);

}  // namespace apmt::devices
