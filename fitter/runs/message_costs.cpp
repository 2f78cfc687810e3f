#include "fitter/runs/message_costs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "fitter/mechanisms.h"
#include "fitter/runs/passes.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kFewestCalls = 10;     // for fewer calls of a function in a run, no mean is used
constexpr double kFewestArrivals = 30;  // for fewer calls, message_s is not used
constexpr double kHopOfQuickTenth = 3;
constexpr double kHopOfQuickest = 10;

/// Whether the calls of the row completed messages. Calls that found no completed message, or had
/// nothing to wait for, have no communicator and no partner in the table.
bool completes(const MpiRow& row) {
  return row.op_class == "completion" && (row.comm_size > 0 || row.peer != "none");
}

/// Whether the program calls the operation, which returns at once, until messages were sent or
/// received.
bool polls(const MpiRow& row) {
  return operation_has(row.op, "mpi_test") || operation_has(row.op, "probe");
}

/// Whether the calls of the row asked for messages in vain.
bool is_in_vain(const MpiRow& row) {
  return is_of_messages(row.op_class) && polls(row) && row.peer == "none" && row.blocked_s == 0;
}

/// Whether the calls of the row return only when messages were sent or received, or are repeated
/// until then.
bool waits(const MpiRow& row) {
  return (row.op_class == "p2p" || completes(row)) && row.calls > 0 && !is_in_vain(row) &&
         (row.blocked_s > 0 || polls(row));
}

/// The calls of the row that send, receive or complete a message.
double calls_with_message(const MpiRow& row) {
  return static_cast<double>(row.message_s ? row.arrivals : row.calls);
}

/// The mean size of the row's messages. A call that completes sends has no bytes, and imported
/// profiles have none at all. But the calls of a row are of one size class, so the mean size is
/// moved to the nearest size of this class.
double bytes_of(const MpiRow& row) {
  if (row.size_class == 0) return 1;
  const auto bytes = static_cast<double>(std::max(row.bytes_sent, row.bytes_received));
  return std::clamp(bytes / static_cast<double>(row.calls), std::exp2(row.size_class - 1),
                    std::exp2(row.size_class) - 1);
}

/// The total time for which messages are under way if each takes as long as the quickest of its
/// size. The time of messages that one call completes counts once.
double under_way_s(const RunProfile& run) {
  double quickest_s = 0, received = 0, completions = 0;
  for (const MpiRow& row : run.mpi)
    if (completes(row)) completions += static_cast<double>(row.calls);
  for (const MpiOperation& o : run.communication.operations) {
    if (!o.min_flight_s || !operation_has(o.op, "recv")) continue;
    quickest_s += *o.min_flight_s * static_cast<double>(o.completed);
    received += static_cast<double>(o.completed);
  }
  return received > 0 ? quickest_s / received * std::min(completions, received) : 0;
}

}  // namespace

bool is_along_tree(const std::string& op) {
  return op == "MPI_Bcast" || op == "MPI_Bcast_c" || op == "MPI_Reduce" || op == "MPI_Reduce_c";
}

bool has_hub(const RunProfile& run) { return run.communication.pattern.kind == "master-worker"; }

MessageCosts::MessageCosts(const std::vector<RunProfile>& runs) {
  for (const RunProfile& run : runs) {
    if (run.config.oversubscribed) continue;  // times in MPI are meaningless
    learn_messages(run);
    learn_hops(run);
  }
  keep_the_least();
}

void MessageCosts::learn_hops(const RunProfile& run) {
  const auto add = [&](const auto& calls, double hop_s) {
    if (!is_along_tree(calls.op) || calls.comm_size < 2 || !(hop_s > 0)) return;
    double& least_s = hops_s_[{calls.op, run.config.nodes > 1}]
                          .try_emplace(calls.size_class, hop_s)
                          .first->second;
    least_s = std::min(least_s, hop_s);
  };
  for (const MpiOperation& o : run.communication.operations)
    add(o, kHopOfQuickTenth * o.low_s.value_or(0));
  for (const MpiRow& row : run.mpi) add(row, kHopOfQuickest * row.min_s);
}

void MessageCosts::learn_messages(const RunProfile& run) {
  struct Sum {
    double calls = 0;
    double time_s = 0;
    double bytes = 0;
    std::set<std::string> peers;
    void add(const MpiRow& row) {
      const auto count = static_cast<double>(row.calls);
      calls += count;
      time_s += row.time_s;
      bytes += count * bytes_of(row);
      peers.insert(row.peer);
    }
  };
  std::map<std::tuple<Kind, int, std::string>, Sum> sites;  // by kind, size class and caller
  std::map<std::pair<std::string, int>, Sum> untold;  // by operation and size class: no message_s
  std::set<std::pair<std::string, int>> told;
  for (const MpiRow& row : run.mpi) {
    if (!waits(row)) continue;
    const Kind kind{row.op, row.peer};
    if (row.message_s) {
      told.insert({row.op, row.size_class});
      if (calls_with_message(row) >= kFewestArrivals)
        costs_[kind].push_back({row.size_class, bytes_of(row), *row.message_s});
      continue;
    }
    sites[{kind, row.size_class, row.caller}].add(row);
    untold[{row.op, row.size_class}].add(row);
  }
  for (const auto& [at, site] : sites)
    if (site.calls >= kFewestCalls)
      costs_[std::get<Kind>(at)].push_back(
          {std::get<int>(at), site.bytes / site.calls, site.time_s / site.calls});
  // If some messages of a size stayed inside a node and others went between nodes, low_s describes
  // only the quicker kind, so it is not used.
  for (const MpiOperation& o : run.communication.operations) {
    const std::pair key{o.op, o.size_class};
    const auto found = untold.find(key);
    if (!o.low_s || told.contains(key) || found == untold.end()) continue;
    const Sum& sum = found->second;
    if (sum.peers.size() == 1)
      costs_[{o.op, *sum.peers.begin()}].push_back({o.size_class, sum.bytes / sum.calls, *o.low_s});
  }
}

void MessageCosts::keep_the_least() {
  for (auto& [kind, costs] : costs_) {
    std::ranges::sort(costs, {},
                      [](const Cost& c) { return std::tuple(-c.size_class, c.call_s, -c.bytes); });
    // The costs are sorted from the largest class to the smallest, and in each class from the
    // quickest call to the slowest. A call that is not the quickest so far is kept only if it takes
    // less time per byte than all quicker ones of its class.
    std::vector<Cost> kept;
    double least_call_s = INFINITY;
    double least_per_byte_s = INFINITY;
    for (const Cost& cost : costs) {
      if (!kept.empty() && kept.back().size_class != cost.size_class) least_per_byte_s = INFINITY;
      const double per_byte_s = cost.call_s / cost.bytes;
      if (cost.call_s >= least_call_s && per_byte_s >= least_per_byte_s) continue;
      least_call_s = std::min(least_call_s, cost.call_s);
      least_per_byte_s = std::min(least_per_byte_s, per_byte_s);
      kept.push_back(cost);
    }
    costs = std::move(kept);
  }
}

std::optional<double> MessageCosts::least_s(const MpiRow& row) const {
  const auto known = costs_.find({row.op, row.peer});
  if (known == costs_.end()) return std::nullopt;
  const double bytes = bytes_of(row);
  std::optional<double> least;
  for (const Cost& cost : known->second) {
    if (cost.size_class < row.size_class) continue;
    const double call_s = cost.call_s * std::max(1.0, bytes / cost.bytes);
    least = std::min(least.value_or(call_s), call_s);
  }
  return least;
}

double MessageCosts::waited_along_tree_s(const RunProfile& run, const MpiRow& row) const {
  const auto hops_s = hops_s_.find({row.op, run.config.nodes > 1});
  if (row.comm_size < 2 || hops_s == hops_s_.end()) return 0;
  double hop_s = INFINITY;
  for (auto its = hops_s->second.lower_bound(row.size_class); its != hops_s->second.end(); ++its)
    hop_s = std::min(hop_s, its->second);
  const double most_hops = 1 + std::log2(static_cast<double>(row.comm_size));
  return std::max(row.time_s - static_cast<double>(row.calls) * most_hops * hop_s, 0.0);
}

std::vector<double> MessageCosts::waited_s(const RunProfile& run) const {
  double completing_s = 0, completing_cost_s = 0;
  std::vector<double> waited_s(run.mpi.size(), 0);
  if (!mechanisms().message_costs) return waited_s;
  for (std::size_t i = 0; i < run.mpi.size(); ++i)
    waited_s[i] = waited_along_tree_s(run, run.mpi[i]);
  if (has_hub(run)) return waited_s;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    const MpiRow& row = run.mpi[i];
    if (is_in_vain(row)) waited_s[i] = row.time_s;
    if (!waits(row)) continue;
    const std::optional<double> call_s = least_s(row);
    const double cost_s =
        call_s ? std::min(row.time_s, *call_s * calls_with_message(row)) : row.time_s;
    waited_s[i] = row.time_s - cost_s;
    if (row.op_class != "completion") continue;
    completing_s += row.time_s;
    completing_cost_s += cost_s;
  }
  const double granted_s = std::min(completing_s, std::max(completing_cost_s, under_way_s(run)));
  if (completing_s <= completing_cost_s) return waited_s;
  const double beyond = (completing_s - granted_s) / (completing_s - completing_cost_s);
  for (std::size_t i = 0; i < run.mpi.size(); ++i)
    if (run.mpi[i].op_class == "completion" && !is_in_vain(run.mpi[i])) waited_s[i] *= beyond;
  return waited_s;
}

}  // namespace apmt
