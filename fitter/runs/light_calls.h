// The cost of collectives that move few bytes, which is mostly the latency of their steps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fitter/runs/experiment.h"
#include "fitter/runs/passes.h"

namespace apmt {

/// Calls that move fewer bytes than this are light: a network of 10 Gbit/s transfers them in less
/// than a microsecond.
inline constexpr double kMostLightBytes = 1024;

/// The calls of one operation, at one point, that involve all processes and move few bytes: means
/// over runs and ranks.
struct LightCalls {
  double procs = 0;
  double calls = 0;
  double transfer_s = 0;       // without waiting
  double ln_sd = 0;            // calls of a benchmark: sd of ln(the program's cost / theirs)
  Nodes nodes = {.count = 0};  // of the point; calls of a benchmark: not known
};

/// The light calls of each operation. Operations without such calls, or with unknown waiting, are
/// absent. So are points with one process.
using LightCallsOf = std::map<std::string, std::vector<LightCalls>>;

LightCallsOf light_calls(const Experiment& experiment);

/// Whether every call of these operations moves few bytes.
bool are_light(const std::vector<std::string>& ops, const Experiment& experiment);

}  // namespace apmt
