// The predicted time after a single change: one kernel, one part of the time or one figure of the
// machine costs half as much, and everything else stays as it is.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"

namespace apmt {

struct HalvedCost {
  enum class Of { kKernel, kPart, kMachine };
  Of of = Of::kKernel;
  std::size_t kernel = 0;      // index in Model::kernels
  std::string part = {};       // "comm_p2p_s"
  Knob knob = Knob::kLatency;  // for kMachine; rates (is_rate) are doubled
  TimeEstimate time = {};      // the whole time with the change
  double saved = 0;            // share of the unchanged time that is saved
};

/// All such changes, sorted by their saving, the largest first. Halving a kernel halves its compute
/// time, not the time of its MPI calls. The list leaves out functions that are not kernels; changes
/// that save no time; figures of the machine that the model cannot change or that the scenario
/// already changes; and the network's latency and bandwidth if it is doubtful how much each costs.
/// Empty if the model knows only whole times.
std::vector<HalvedCost> halved_costs(const Model& model, const Predictor& predictor,
                                     const Scenario& scenario);

}  // namespace apmt
