// What a kernel does on one rank, as a function of the work per rank (here called working set).
// Operations, schedules, stack distances and footprint are known at the analysed working sets; this
// class scales them to any other.
#pragma once

#include <string>
#include <vector>

#include "devices/workload.h"
#include "fitter/kernels/reuse_law.h"

namespace apmt::devices {

struct AnalysedWorkload {
  double working_set = 0;  // work per rank, in the model's unit
  Workload workload;       // with counts and stack distances
};

class WorkloadLaw {
 public:
  /// Needs at least one analysis. If several have the same working set, the first is used.
  explicit WorkloadLaw(std::vector<AnalysedWorkload> analysed);

  /// With analyses at a single working set, the law holds only there.
  bool covers(double working_set) const { return reuse_.covers(working_set); }
  /// What the kernel does on a rank with this working set, for which covers() must be true. Each
  /// count is assumed to be a power of the working set. The curve goes through the two analyses
  /// around this working set or, beyond all analyses, through the two nearest ones.
  Workload at(double working_set) const;
  /// The factor by which the working set is larger than the largest analysed one, or smaller than
  /// the smallest analysed one; 1 if it lies between them.
  double extrapolation(double working_set) const;

  double smallest() const { return analysed_.front().working_set; }
  double largest() const { return analysed_.back().working_set; }

 private:
  std::vector<AnalysedWorkload> analysed_;  // by working set
  ReuseLaw reuse_;
};

}  // namespace apmt::devices
