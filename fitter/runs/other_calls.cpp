#include "fitter/runs/other_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fitter/runs/run_parts.h"

namespace apmt {

std::optional<OtherCall> costliest_other_call(const Experiment& experiment,
                                              const ExperimentPoint& point) {
  if (point.oversubscribed) return std::nullopt;
  std::map<std::pair<std::string, std::string>, double> time_s;  // by operation and caller
  double all_s = 0;
  for (const std::size_t r : point.runs) {
    const RunProfile& run = experiment.runs[r];
    const double parts = recorded_ranks(run) * static_cast<double>(point.runs.size());
    for (const MpiRow& row : run.mpi) {
      if (is_of_messages(row.op_class) || is_of_collectives(row.op_class)) continue;
      time_s[{row.op, row.caller}] += row.time_s / parts;
      all_s += row.time_s / parts;
    }
  }
  const auto most =
      std::ranges::max_element(time_s, {}, [](const auto& one) { return one.second; });
  if (most == time_s.end() || !(most->second > 0)) return std::nullopt;
  return OtherCall{most->first.first, most->first.second, most->second, most->second / all_s};
}

}  // namespace apmt
