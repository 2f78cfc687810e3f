#include "fitter/op_counts.h"

#include <map>

#include "fitter/comm_families.h"
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

std::map<std::string, OpSeries> join_ops(const Experiment& e) {
  std::map<std::string, OpSeries> ops;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    const RunProfile& run = e.runs[r];
    // Ranks without a recording are assumed to have the mean count of the others.
    const double scale = static_cast<double>(run.config.procs) /
                         static_cast<double>(run.times.main_s.per_rank.size());
    for (const MpiRow& row : run.mpi) {
      OpSeries& op = ops[row.op];
      op.op_class = row.op_class;
      op.calls.resize(e.runs.size(), 0);
      op.bytes.resize(e.runs.size(), 0);
      op.calls[r] += scale * calls_with_partner(row);
      op.bytes[r] +=
          scale * static_cast<double>(row.bytes_sent > 0 ? row.bytes_sent : row.bytes_received);
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
  for (const auto& [op, series] : join_ops(e))
    counts.push_back(
        {op, series.op_class, points_of(series.calls, e, work), points_of(series.bytes, e, work)});
  return counts;
}

}  // namespace apmt
