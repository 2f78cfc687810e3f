// Can small runs represent large ones? The paper's check E: last-level cache misses over memory
// accesses, at most 1e-4 (section 2 of the model, point 7).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

constexpr double kMostMisses = 1e-4;  // E

/// For one kernel: E at the profiled points, smallest and largest. Absent where accesses to the
/// first level or to memory were not counted.
struct CacheCheck {
  std::string kernel;
  double lowest = 0;
  double highest = 0;
  bool holds() const { return highest <= kMostMisses; }
  /// Some runs found their data in the caches and some did not.
  bool crosses() const { return lowest <= kMostMisses && highest > kMostMisses; }
};
std::optional<CacheCheck> cache_check(const KernelModel& kernel);

/// For a prediction at `procs` processes and `work`: the kernels that fail the check, if the work
/// of a process is outside the profiled range. Inside the range there are no warnings.
std::vector<std::string> cache_warnings(const Model& model, double procs, double work);

}  // namespace apmt
