// How long each rank of a run computes, and how certain this time is.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// A time of each rank in one run, with the variance of its sampling error.
struct RankTime {
  std::vector<double> seconds;
  std::vector<double> variance;  // in s^2
};

/// The CPU time of each rank outside MPI: the sum over kernels, from samples. If ranks have one
/// thread each and the clocks were recorded, the sampled time is limited: it is at least the rank's
/// CPU time minus its time in MPI, and at most its elapsed time outside MPI. On a virtual cluster,
/// the simulated time outside MPI replaces it. Empty if no kernel has a CPU time.
RankTime computing_time(const RunProfile& run);

/// The CPU time of each rank in one kernel, as sampled.
RankTime time_in(const KernelProfile& kernel, std::size_t ranks);

/// By how much each rank exceeds the mean of all ranks, as a mean over runs.
class BeyondMean {
 public:
  explicit BeyondMean(std::size_t ranks) : sums_s_(ranks, 0), variance_(ranks, 0) {}
  /// `scale` multiplies all seconds. All runs have the same number of ranks.
  void add(const RankTime& run, double scale);

  std::size_t largest() const;
  double seconds(std::size_t rank) const;
  /// Whether the rank's excess is larger than chance explains. `choices` is the number of ranks or
  /// kernels from which the one with the largest excess was taken. The error is the larger of the
  /// sampling error and the scatter between runs.
  bool is_significant(std::size_t rank, std::size_t choices) const;

 private:
  std::size_t runs_ = 0;
  std::vector<double> sums_s_;    // over runs
  std::vector<double> variance_;  // of these sums, from sampling
  double means_s_ = 0;            // sum over runs of the mean over ranks
  double squares_ = 0;            // sum over runs and ranks of the squared excess
};

}  // namespace apmt
