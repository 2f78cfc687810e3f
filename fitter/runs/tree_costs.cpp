#include "fitter/runs/tree_costs.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr double kOfQuickTenth = 3;
constexpr double kOfQuickest = 10;

bool is_on_several_nodes(const RunProfile& run) { return run.config.nodes > 1; }

}  // namespace

bool is_along_tree(const std::string& op) {
  return op == "MPI_Bcast" || op == "MPI_Bcast_c" || op == "MPI_Reduce" || op == "MPI_Reduce_c";
}

void TreeCosts::learn(const RunProfile& run) {
  const auto add = [&](const auto& calls, double hop_s) {
    if (!is_along_tree(calls.op) || calls.comm_size < 2 || !(hop_s > 0)) return;
    double& least_s = hops_s_[{calls.op, is_on_several_nodes(run)}]
                          .try_emplace(calls.size_class, hop_s)
                          .first->second;
    least_s = std::min(least_s, hop_s);
  };
  for (const MpiOperation& o : run.communication.operations)
    add(o, kOfQuickTenth * o.low_s.value_or(0));
  for (const MpiRow& row : run.mpi) add(row, kOfQuickest * row.min_s);
}

double TreeCosts::waited_s(const RunProfile& run, const MpiRow& row) const {
  const auto hops_s = hops_s_.find({row.op, is_on_several_nodes(run)});
  if (row.comm_size < 2 || hops_s == hops_s_.end()) return 0;
  double hop_s = INFINITY;
  for (auto its = hops_s->second.lower_bound(row.size_class); its != hops_s->second.end(); ++its)
    hop_s = std::min(hop_s, its->second);
  const double most_hops = 1 + std::log2(static_cast<double>(row.comm_size));
  return std::max(row.time_s - static_cast<double>(row.calls) * most_hops * hop_s, 0.0);
}

}  // namespace apmt
