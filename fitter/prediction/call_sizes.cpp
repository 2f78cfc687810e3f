#include "fitter/prediction/call_sizes.h"

#include <algorithm>

#include "base/words.h"
#include "fitter/runs/passes.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kMuch = 0.05;  // of the predicted time
constexpr double kFar = 4;      // factor between a size and the nearest one in the runs

/// The share of the predicted time that the operation takes; that of all collectives if the
/// operation has no law of its own.
double share_of(const std::string& op, const Prediction& p) {
  if (!p.parts.comm_coll || p.time.time_s <= 0) return 0;
  for (const PredictedGroup& group : p.collectives)
    if (group.name == op) return group.time.time_s / p.time.time_s;
  return p.collectives.empty() ? p.parts.comm_coll->time_s / p.time.time_s : 0;
}

/// The bytes that a call moves for each process. Only the root of a broadcast counts them.
double size_of(const std::string& op, double calls, double bytes, double procs) {
  return calls > 0 ? bytes / calls * factor(plain_bytes(op), procs) : 0;
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return brief_number(bytes) + " bytes";
  if (bytes < 1024 * 1024) return brief_number(bytes / 1024) + " KiB";
  return brief_number(bytes / (1024 * 1024)) + " MiB";
}

}  // namespace

std::vector<std::string> call_size_warnings(const Model& model, const Prediction& p, double work) {
  std::vector<std::string> warnings;
  for (const CountModel& c : model.counts) {
    if (!is_of_collectives(c.op_class) || share_of(c.op, p) < kMuch) continue;
    double least = 0, most = 0;  // bytes per call and process in the runs
    for (std::size_t i = 0; i < std::min(c.calls_points.size(), c.bytes_points.size()); ++i) {
      const double size =
          size_of(c.op, c.calls_points[i].value, c.bytes_points[i].value, c.calls_points[i].procs);
      if (size <= 0) continue;
      least = least > 0 ? std::min(least, size) : size;
      most = std::max(most, size);
    }
    const double size =
        size_of(c.op, c.calls.value(p.procs, work), c.bytes.value(p.procs, work), p.procs);
    if (least <= 0 || size <= 0 || (size * kFar > least && size < most * kFar)) continue;
    warnings.push_back("a call of " + c.op + " would move " + bytes_text(size) +
                       " per process, but " + bytes_text(least) +
                       (least == most ? "" : " to " + bytes_text(most)) +
                       " in the runs: the MPI library may use another algorithm for such sizes");
  }
  return warnings;
}

}  // namespace apmt
