// `apmt offload`: predicts the time of an MPI program at scale if its kernels run on devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "devices/offload/port_at.h"
#include "devices/offload/portable.h"

namespace apmt::devices {

struct OffloadOptions {
  PortOptions port;
  int per_node = 1;  // devices of a node
};

/// The process count from which on ports no longer save time.
struct GainEnd {
  std::optional<ProcsEstimate> procs;  // absent: see `why_not`
  std::string why_not;
  int searched_from = 0, searched_to = 0;
  double extrapolation = 1;  // `procs` divided by the largest profiled process count
};

struct Offload {
  std::string program;
  Device device;
  OffloadOptions options;
  double confidence = 0.8;
  int ranks_per_node = 0;  // if there are enough ranks
  std::vector<PortableKernel> kernels;
  std::vector<OffloadAt> at;  // in the order of the scenarios
  GainEnd gain_end;
  std::vector<std::string> left;      // kernels that cannot be ported, and why
  std::vector<std::string> missing;   // keys of parts of the time that the model lacks
  std::vector<std::string> warnings;  // a sentence each
};

/// Makes the predictions for all scenarios. Throws InputError if analyses, model and card do not
/// fit together. There must be at least one scenario.
Offload offload(const Model& model, const Experiment& experiment, const Device& device,
                const std::vector<Scenario>& scenarios, const OffloadOptions& options);

Json to_json(const Offload& offload);

}  // namespace apmt::devices
