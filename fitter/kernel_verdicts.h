// What bounds a kernel: what would shorten its time, that of its own calls to MPI included, most if
// it were faster: the core, the memory, the network, or the ranks that it waits for. A statistic of
// the draws.
#pragma once

#include <cstdint>
#include <map>

#include "fitter/model_draws.h"
#include "fitter/prediction.h"
#include "fitter/scenario_sizes.h"

namespace apmt {

/// Of all computation, from which the rest that nothing splits passes as computation.
inline constexpr double kEnoughSplit = 0.9;

std::uint32_t seed_of_ways(const KernelModel& kernel);

/// The costs of `ways` that hold in each draw, equally often. Which of them are true is a question
/// of its own, apart from how long the kernel takes.
std::array<std::size_t, kDraws> ways_of_draws(const KernelModel& kernel, std::size_t ways);

/// In one scenario; what it is made of must outlive it.
class KernelVerdicts {
 public:
  KernelVerdicts(const Model& model, const ModelDraws& laws, const ScenarioSizes& sizes,
                 const WhatIfEffect& effect, double confidence);

  /// Bound, probability, the process count from where on it is another one, and the time in the
  /// kernel's own calls.
  void judge(int procs, PredictedKernel* kernel);

 private:
  /// Probabilities.
  struct Verdict {
    double core = 0;  // and memory, where nothing tells them apart
    double memory = 0;
    double network = 0;
    double waiting = 0;
    double of(const std::string& bound) const;
    std::string likeliest() const;
    /// Other than `bound`.
    std::string likeliest_but(const std::string& bound) const;
    bool is_split = false;
  };
  struct Communication {
    Draws p2p{}, coll{}, other{}, wait{};
  };
  Verdict verdict(std::size_t kernel, int procs);
  const Communication& communication(int procs);
  void add_calls(const Communication& comm, PredictedKernel* kernel) const;
  void find_change(int procs, PredictedKernel* kernel);

  const Model& model_;
  const ModelDraws& laws_;
  const ScenarioSizes& sizes_;
  const WhatIfEffect& effect_;
  double confidence_;
  std::map<int, Communication> communication_;
};

}  // namespace apmt
