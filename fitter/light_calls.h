// The cost of collectives that move few bytes. It shows the latency of a step, which the sum of all
// collectives cannot tell from the cost of bytes where bytes take nearly all of the time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fitter/experiment.h"

namespace apmt {

/// Calls of one operation on all processes that move few bytes, at one point: means over runs and
/// ranks.
struct LightCalls {
  double procs = 0;
  double calls = 0;
  double transfer_s = 0;  // without waiting
};

/// By operation. Operations without such calls, or whose waiting is not known, are absent. So are
/// points with one process.
using LightCallsOf = std::map<std::string, std::vector<LightCalls>>;

LightCallsOf light_calls(const Experiment& experiment);

}  // namespace apmt
