#include "fitter/communication/op_counts.h"

#include <algorithm>
#include <map>
#include <set>

#include "fitter/laws/count_fit.h"
#include "fitter/mechanisms.h"
#include "fitter/model/machine_costs.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kNotable = 0.05;  // share of the calls of an operation
constexpr int kLightClass = 10;    // the largest size class below kMostLightBytes

struct OpSeries {
  explicit OpSeries(std::size_t runs) : calls(runs, 0), sent(runs, 0), received(runs, 0) {}
  std::string op_class;
  std::vector<double> calls;  // for each run, summed over ranks
  std::vector<double> sent;
  std::vector<double> received;
};

/// Leaves out calls to MPI_PROC_NULL, which move nothing. Counts MPI_Sendrecv by the messages that
/// it receives, so that each message counts once.
double calls_with_partner(const MpiRow& row) {
  if (row.peer == "nobody") return 0;
  const bool exchanges = operation_has(row.op, "sendrecv");
  return static_cast<double>(exchanges && row.message_s ? row.arrivals : row.calls);
}

std::vector<FitPoint> points_of(const std::vector<double>& per_run, const Experiment& e,
                                const std::vector<double>& work) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    std::vector<double> values;
    for (const std::size_t r : e.points[i].runs) values.push_back(per_run[r]);
    points.push_back(fit_point(e.points[i].procs, work[i], measured(values)));
  }
  return points;
}

/// The counts, without laws, of the rows of the MPI tables for which `is_used` is true.
/// calls_factor(row, run) and bytes_factor(row, run) multiply them.
template <typename IsUsed, typename CallsFactor, typename BytesFactor>
std::vector<CountModel> count_rows(const Experiment& e, const std::vector<double>& work,
                                   IsUsed is_used, CallsFactor calls_factor,
                                   BytesFactor bytes_factor) {
  std::map<std::string, OpSeries> ops;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    const RunProfile& run = e.runs[r];
    // Ranks without a recording are assumed to have the mean count of the others.
    const double scale = static_cast<double>(run.config.procs) / recorded_ranks(run);
    for (const MpiRow& row : run.mpi) {
      if (!is_used(row)) continue;
      OpSeries& op = ops.try_emplace(row.op, e.runs.size()).first->second;
      op.op_class = row.op_class;
      op.calls[r] += scale * calls_factor(row, run) * calls_with_partner(row);
      op.sent[r] += scale * bytes_factor(row, run) * static_cast<double>(row.bytes_sent);
      op.received[r] += scale * bytes_factor(row, run) * static_cast<double>(row.bytes_received);
    }
  }
  std::vector<CountModel> counts;
  for (auto& [op, series] : ops) {
    // An operation has the bytes that it sent or, in a run in which it sent none, received.
    for (std::size_t r = 0; r < e.runs.size(); ++r)
      if (series.sent[r] == 0) series.sent[r] = series.received[r];
    counts.push_back({op,
                      series.op_class,
                      points_of(series.calls, e, work),
                      points_of(series.sent, e, work),
                      {},
                      {}});
  }
  return counts;
}

/// Whether the usual algorithm passes on messages along a tree, which first joins the processes of
/// each node.
bool is_tree(const std::string& op) { return usual_calls(op) == Passes::kTree; }

/// The collectives with a notable share of their calls on communicators that do not contain all
/// processes; with `trees`, also those that pass on messages along a tree.
std::set<std::string> collectives_of(const Experiment& e, bool trees) {
  struct Calls {
    double all = 0, on_parts = 0;
  };
  std::set<std::string> ops;
  for (const RunProfile& run : e.runs) {
    std::map<std::string, Calls> of_run;
    for (const MpiRow& row : run.mpi) {
      if (!is_of_collectives(row.op_class) || row.comm_size < 1) continue;
      Calls& calls = of_run[row.op];
      calls.all += static_cast<double>(row.calls);
      if (row.comm_size != run.config.procs) calls.on_parts += static_cast<double>(row.calls);
    }
    for (const auto& [op, calls] : of_run)
      if ((trees && is_tree(op)) ||
          (mechanisms().parts_of_processes && calls.on_parts > kNotable * calls.all))
        ops.insert(op);
  }
  return ops;
}

/// The law of the points at which something was counted; zero if nothing was. (A communicator of
/// one process has no steps.)
CountLaw law_of(std::vector<FitPoint> points, CountKind kind, const LawCatalog& catalog) {
  std::erase_if(points, [](const FitPoint& p) { return p.value <= 0; });
  if (points.empty()) return {.hypotheses = {Hypothesis{}}};
  return fit_count(points, catalog, kind);
}

/// The law of a count that changes where runs begin to use several nodes: of all points, or of
/// those on several nodes and of the largest one before them. The first of these that is exact is
/// chosen, otherwise the last. `points` are those of the experiment.
CountLaw law_across_nodes(const Experiment& e, const std::vector<FitPoint>& points, CountKind kind,
                          const LawCatalog& catalog) {
  double fewest = INFINITY;  // processes on several nodes
  for (const ExperimentPoint& p : e.points)
    if (p.nodes > 1) fewest = std::min<double>(fewest, p.procs);
  double before = 0;
  for (const ExperimentPoint& p : e.points)
    if (p.procs < fewest) before = std::max<double>(before, p.procs);
  std::vector<FitPoint> across;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (e.points[i].nodes > 1 || points[i].procs == before) across.push_back(points[i]);
  for (const auto& some : {points, across})
    if (CountLaw law = fit_count(some, catalog, kind); law.is_exact()) return law;
  // No local law: it would continue the jump between one node and several.
  return law_of(across, CountKind::kReal, catalog);
}

/// Multiplies counts and their law.
void multiply(double factor, std::vector<FitPoint>* points, CountLaw* law) {
  for (FitPoint& p : *points) p.value *= factor;
  for (Hypothesis& h : law->hypotheses)
    for (LawTerm& t : h.terms) t.coefficient *= factor;
}

bool is_usable(const CountLaw& law) {
  return !law.hypotheses.empty() && law.hypotheses.front().rel_residual <= kWorstCountLaw;
}

/// Whether these calls move few bytes and their cost is known. All processes must take part,
/// because the number of their steps is calculated from P.
bool is_light(const MpiOperation& o, int procs) {
  return is_of_collectives(o.op_class) && o.size_class <= kLightClass && o.comm_size == procs &&
         o.calls > 0 && o.transfer_s.has_value();
}

}  // namespace

std::vector<CountModel> count_ops(const Experiment& e, const std::vector<double>& work) {
  const auto all = [](const MpiRow&) { return true; };
  const auto once = [](const MpiRow&, const RunProfile&) { return 1.0; };
  return count_rows(e, work, all, once, once);
}

WeightedCounts count_passed(const Experiment& e, const std::vector<double>& work,
                            const std::optional<CostWithinNode>& within,
                            const LawCatalog& catalog) {
  WeightedCounts counts;
  const std::set<std::string> ops = collectives_of(e, within.has_value());
  const auto is_used = [&](const MpiRow& row) {
    return row.comm_size >= 1 && ops.contains(row.op);
  };
  const auto passed = [&](PassesOf usual, double relative_cost) {
    return [=](const MpiRow& row, const RunProfile& run) {
      const double size = static_cast<double>(row.comm_size);
      if (!is_tree(row.op)) return factor(usual(row.op), size);
      return factor_on_nodes(usual(row.op), size, run.config.procs,
                             {run.config.nodes, run.config.max_ranks_per_node}, relative_cost);
    };
  };
  const CostWithinNode cost = within.value_or(CostWithinNode());
  const auto law = [&](const std::vector<FitPoint>& points) {
    return within ? law_across_nodes(e, points, CountKind::kReal, catalog)
                  : law_of(points, CountKind::kWhole, catalog);
  };
  for (CountModel& op : count_rows(e, work, is_used, passed(usual_calls, cost.message),
                                   passed(usual_bytes, cost.byte))) {
    op.calls = law(op.calls_points);
    op.bytes = law(op.bytes_points);
    if (is_usable(op.calls) && is_usable(op.bytes)) counts[op.op] = {op};
  }
  return counts;
}

WeightedCounts count_by_place(const Experiment& e, const std::vector<double>& work,
                              const CostWithinNode& within, const LawCatalog& catalog) {
  WeightedCounts counts;
  bool are_known = true;
  const auto is_used = [&](const MpiRow& row) {
    if (row.op_class != "p2p" || !operation_has(row.op, "send") || row.peer == "nobody")
      return false;
    are_known = are_known && row.peer != "none";
    return true;
  };
  const auto add = [&](auto share, const CostWithinNode& cost) {
    for (CountModel& op : count_rows(e, work, is_used, share, share)) {
      op.calls = law_across_nodes(e, op.calls_points, CountKind::kNeighbours, catalog);
      op.bytes = law_across_nodes(e, op.bytes_points, CountKind::kNeighbours, catalog);
      are_known = are_known && is_usable(op.calls) && is_usable(op.bytes);
      multiply(cost.message, &op.calls_points, &op.calls);
      multiply(cost.byte, &op.bytes_points, &op.bytes);
      counts[op.op].push_back(op);
    }
  };
  add([](const MpiRow& row, const RunProfile&) { return 1 - share_between_nodes(row); }, within);
  add([](const MpiRow& row, const RunProfile&) { return share_between_nodes(row); }, {});
  if (!are_known) counts.clear();
  return counts;
}

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
  return std::ranges::all_of(e.runs, [&](const RunProfile& run) {
    return std::ranges::all_of(run.mpi, [&](const MpiRow& row) {
      if (row.calls == 0 || std::ranges::count(ops, row.op) == 0) return true;
      // Profiles of other tools have no size classes, so only the mean size is known.
      const double bytes_of_call =
          static_cast<double>(std::max(row.bytes_sent, row.bytes_received)) /
          static_cast<double>(row.calls);
      return row.size_class <= kLightClass && bytes_of_call < kMostLightBytes;
    });
  });
}

}  // namespace apmt
