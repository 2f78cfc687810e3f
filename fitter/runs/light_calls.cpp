#include "fitter/runs/light_calls.h"

#include <algorithm>

#include "fitter/mechanisms.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr int kLightClass = 10;  // the largest size class below kMostLightBytes

/// Whether these calls move few bytes and their cost is known. All processes must take part,
/// because the number of their steps is calculated from P.
bool is_light(const MpiOperation& o, int procs) {
  return is_of_collectives(o.op_class) && o.size_class <= kLightClass && o.comm_size == procs &&
         o.calls > 0 && o.transfer_s.has_value();
}

}  // namespace

LightCallsOf light_calls(const Experiment& e) {
  LightCallsOf calls_of;
  if (!mechanisms().light_calls) return calls_of;
  for (const ExperimentPoint& point : e.points) {
    if (point.procs <= 1) continue;
    std::map<std::string, LightCalls> sums;
    double ranks = 0;
    for (const std::size_t r : point.runs) {
      const RunProfile& run = e.runs[r];
      if (run.config.oversubscribed) continue;  // times in MPI are meaningless
      ranks += recorded_ranks(run);
      for (const MpiOperation& o : run.communication.operations) {
        if (!is_light(o, point.procs)) continue;
        sums[o.op].calls += static_cast<double>(o.calls);
        sums[o.op].transfer_s += *o.transfer_s;
      }
    }
    for (const auto& [op, sum] : sums)
      if (sum.transfer_s > 0)
        calls_of[op].push_back({.procs = static_cast<double>(point.procs),
                                .calls = sum.calls / ranks,
                                .transfer_s = sum.transfer_s / ranks,
                                .nodes = {point.nodes, point.max_ranks_per_node}});
  }
  return calls_of;
}

bool are_light(const std::vector<std::string>& ops, const Experiment& e) {
  for (const RunProfile& run : e.runs)
    for (const MpiRow& row : run.mpi) {
      if (std::ranges::count(ops, row.op) == 0) continue;
      // Profiles of other tools have no size classes.
      const double bytes_of_call =
          row.calls > 0 ? static_cast<double>(row.bytes_sent) / static_cast<double>(row.calls) : 0;
      if (row.size_class > kLightClass || bytes_of_call >= kMostLightBytes) return false;
    }
  return true;
}

}  // namespace apmt
