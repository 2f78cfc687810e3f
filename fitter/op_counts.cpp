#include "fitter/op_counts.h"

#include <map>
#include <set>

#include "fitter/count_fit.h"
#include "fitter/mechanisms.h"
#include "fitter/passes.h"
#include "fitter/run_parts.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

struct OpSeries {
  std::string op_class;
  std::vector<double> calls;  // for each run, summed over ranks
  std::vector<double> bytes;
};

/// Leaves out calls to MPI_PROC_NULL, which move nothing. Counts MPI_Sendrecv by the messages that
/// it receives, so that each message counts once.
double calls_with_partner(const MpiRow& row) {
  if (row.peer == "nobody") return 0;
  const bool exchanges = operation_has(row.op, "sendrecv");
  return static_cast<double>(exchanges && row.message_s ? row.arrivals : row.calls);
}

double bytes_of(const MpiRow& row) {
  return static_cast<double>(row.bytes_sent > 0 ? row.bytes_sent : row.bytes_received);
}

/// Joins the rows of the MPI tables for which `is_used` is true. calls_factor(row) and
/// bytes_factor(row) multiply the counts.
template <typename IsUsed, typename CallsFactor, typename BytesFactor>
std::map<std::string, OpSeries> join_ops(const Experiment& e, IsUsed is_used,
                                         CallsFactor calls_factor, BytesFactor bytes_factor) {
  std::map<std::string, OpSeries> ops;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    const RunProfile& run = e.runs[r];
    // Ranks without a recording are assumed to have the mean count of the others.
    const double scale = static_cast<double>(run.config.procs) /
                         static_cast<double>(run.times.main_s.per_rank.size());
    for (const MpiRow& row : run.mpi) {
      if (!is_used(row)) continue;
      OpSeries& op = ops[row.op];
      op.op_class = row.op_class;
      op.calls.resize(e.runs.size(), 0);
      op.bytes.resize(e.runs.size(), 0);
      op.calls[r] += scale * calls_factor(row) * calls_with_partner(row);
      op.bytes[r] += scale * bytes_factor(row) * bytes_of(row);
    }
  }
  return ops;
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

}  // namespace

std::vector<OpCounts> count_ops(const Experiment& e, const std::vector<double>& work) {
  std::vector<OpCounts> counts;
  const auto all = [](const MpiRow&) { return true; };
  const auto once = [](const MpiRow&) { return 1.0; };
  for (const auto& [op, series] : join_ops(e, all, once, once))
    counts.push_back(
        {op, series.op_class, points_of(series.calls, e, work), points_of(series.bytes, e, work)});
  return counts;
}

std::map<std::string, PassedCounts> count_on_parts(const Experiment& e,
                                                   const std::vector<double>& work,
                                                   const LawCatalog& catalog) {
  std::set<std::string> on_parts;
  for (const RunProfile& run : e.runs)
    for (const MpiRow& row : run.mpi)
      if (is_of_collectives(row.op_class) && row.comm_size > 1 && row.comm_size != run.config.procs)
        on_parts.insert(row.op);
  std::map<std::string, PassedCounts> counts;
  if (on_parts.empty() || !mechanisms().parts_of_processes) return counts;
  // A call on a communicator of one process has no steps.
  const auto is_used = [&](const MpiRow& row) {
    return row.comm_size > 1 && on_parts.contains(row.op);
  };
  const auto steps = [](const MpiRow& row) {
    return factor(usual_calls(row.op), static_cast<double>(row.comm_size));
  };
  const auto bytes = [](const MpiRow& row) {
    return factor(usual_bytes(row.op), static_cast<double>(row.comm_size));
  };
  for (const auto& [op, series] : join_ops(e, is_used, steps, bytes)) {
    PassedCounts& passed = counts[op];
    passed.steps = points_of(series.calls, e, work);
    passed.bytes = points_of(series.bytes, e, work);
    passed.steps_law = fit_count(passed.steps, catalog, CountKind::kReal);
    passed.bytes_law = fit_count(passed.bytes, catalog, CountKind::kReal);
  }
  return counts;
}

}  // namespace apmt
