// Decides what bounds a kernel: the core, the memory, the network, or the ranks that it waits for.
// The bound is the one whose improvement would shorten the kernel's time (including its own MPI
// calls) most, judged over all draws.
#pragma once

#include <map>

#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/prediction.h"
#include "fitter/prediction/scenario_sizes.h"

namespace apmt {

/// If at least this share of all compute time is divided into computation and memory time, the rest
/// counts as computation.
inline constexpr double kEnoughSplit = 0.9;

/// Process counts at which bounds change are sought up to this multiple of the largest P.
inline constexpr double kHorizon = 1024;

/// Finds the bounds of kernels in one scenario. The arguments of the constructor must outlive the
/// object.
class KernelVerdicts {
 public:
  KernelVerdicts(const Model& model, const ModelDraws& laws, const ScenarioSizes& sizes,
                 const WhatIfEffect& effect, double confidence);

  /// Fills in the bound, its probability, the process count from which another bound holds, and the
  /// time in the kernel's own MPI calls.
  void judge(int procs, PredictedKernel* kernel);

 private:
  /// The probability of each bound.
  struct Verdict {
    double core = 0;  // includes memory if the two are not separated
    double memory = 0;
    double network = 0;
    double waiting = 0;
    double of(const std::string& bound) const;
    std::string likeliest() const;
    /// The likeliest bound other than `bound`.
    std::string likeliest_but(const std::string& bound) const;
    bool is_split = false;
  };
  /// The draws of one law of communication.
  struct Communication {
    Part part;
    std::string name;  // comm_name(part)
    std::string group;
    Draws time_s;
  };
  /// `may_fit`: whether data may begin to fit into caches (MemorySplit::Costs::fits_below).
  Verdict verdict(std::size_t kernel, int procs, bool may_fit);
  const std::vector<Communication>& communication(int procs);
  /// The time of a kernel's own calls in a part.
  Draws own_calls(const OwnCalls& calls, Part part, int procs);
  void add_calls(int procs, PredictedKernel* kernel);
  /// What the runs say about other process counts. That data may begin to fit somewhere is no
  /// finding about a process count.
  void find_change(int procs, PredictedKernel* kernel);

  const Model& model_;
  const ModelDraws& laws_;
  const ScenarioSizes& sizes_;
  const WhatIfEffect& effect_;
  double confidence_;
  std::map<int, std::vector<Communication>> communication_;
};

}  // namespace apmt
