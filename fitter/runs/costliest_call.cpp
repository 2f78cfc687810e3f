#include "fitter/runs/costliest_call.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fitter/runs/run_parts.h"

namespace apmt {

std::optional<CostliestCall> costliest_call(
    const Experiment& experiment, const ExperimentPoint& point,
    const std::function<std::vector<double>(const RunProfile&)>& seconds_in_rows) {
  if (point.oversubscribed) return std::nullopt;
  std::map<std::pair<std::string, std::string>, double> time_s;  // by operation and caller
  double all_s = 0;
  for (const std::size_t r : point.runs) {
    const RunProfile& run = experiment.runs[r];
    const double parts = recorded_ranks(run) * static_cast<double>(point.runs.size());
    const std::vector<double> rows_s = seconds_in_rows(run);
    for (std::size_t i = 0; i < rows_s.size(); ++i) {
      time_s[{run.mpi[i].op, run.mpi[i].caller}] += rows_s[i] / parts;
      all_s += rows_s[i] / parts;
    }
  }
  const auto most =
      std::ranges::max_element(time_s, {}, [](const auto& one) { return one.second; });
  if (most == time_s.end() || !(most->second > 0)) return std::nullopt;
  return CostliestCall{most->first.first, most->first.second, most->second, most->second / all_s};
}

std::optional<CostliestCall> costliest_other_call(const Experiment& experiment,
                                                  const ExperimentPoint& point) {
  return costliest_call(experiment, point, [](const RunProfile& run) {
    std::vector<double> seconds;
    for (const MpiRow& row : run.mpi)
      seconds.push_back(
          is_of_messages(row.op_class) || is_of_collectives(row.op_class) ? 0 : row.time_s);
    return seconds;
  });
}

}  // namespace apmt
