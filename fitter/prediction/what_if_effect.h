// The effect of a what-if on the laws of a model, as factors on the costs of each part.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fitter/computation/cost_split.h"
#include "fitter/prediction/prediction.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {

/// A law of a model, prepared for many predictions.
struct ModelLaw {
  Part part;
  LawOfPart its;
  TimeLawEvaluator time;
  DrawPlaces places;
  bool none_alone;  // is_nothing_alone()

  bool is_nothing_at(double procs) const { return none_alone && procs == 1; }
};

/// Says that the runs do not show how much of compute time waits for memory, and why.
std::string memory_is_unknown(const Model& model);
/// Says that the runs do not show how much of compute time the memory's bandwidth limits.
std::string transfers_are_unknown(const Model& model);

/// Applies a what-if to the times of a prediction. Changes of latency and bandwidth change the unit
/// costs of messages and bytes; the counts show how much of a time is due to each. A change of the
/// core frequency applies to compute time that is not waiting for memory (to all compute time if
/// the two are not known separately), a change of memory latency to waiting for accesses, and a
/// change of memory bandwidth to waiting for late transfers and to the least time in which the
/// bandwidth allows all transfers. Time in which ranks wait for slower ranks, in MPI calls or in
/// MPI_Finalize, changes in proportion to computation. All other times stay the same: time off the
/// CPU, the start, an end that is no such waiting, and MPI calls that no count explains.
class WhatIfEffect {
 public:
  /// The effect at one process count and work. Throws InputError (kNotEnoughData) if the user
  /// requested a change that the model cannot apply. Changes that come from a machine profile are
  /// then left out with a warning.
  WhatIfEffect(const Model& model, const std::vector<ModelLaw>& laws, const WhatIf& what_if,
               double procs, double work);

  /// The factors on the costs of messages in a law.
  CostFactors factors(const ModelLaw& law, double procs, double work) const;

  /// Changes the draws of computation and waiting. Each draw has its own costs of core and memory
  /// (in_draws()), so it gets a factor of its own.
  void slow_down(const ModelLaw& law, double procs, double work, Draws* draws) const;

  /// The kernel's split with changed costs of core and memory; absent if these cannot be separated.
  std::optional<MemorySplit> split_of(std::size_t kernel) const;

  const std::vector<Assumption>& assumptions() const { return assumptions_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// A law of point-to-point calls or collectives.
  struct CommLaw {
    const ModelLaw* law;
    CostSplit split;  // kNobody also if a required profile is missing
    double share;     // of this law in the predicted time
  };
  void find_splits(const std::vector<ModelLaw>& laws, double procs, double work);
  void set_network(const WhatIf& what_if);
  void set_cores(const WhatIf& what_if, const std::vector<double>& kernels_s);
  void set_waiting(const std::vector<double>& kernels_s, double procs, double work);
  Draws kernel_factors(const KernelModel& kernel, double procs, double work) const;
  /// Applies a change, if there is one. If the model cannot apply it, throws InputError if the user
  /// asked for it, and otherwise warns.
  void try_change(const std::optional<KnobChange>& change,
                  const std::function<void(const KnobChange&)>& apply);
  /// Throws unless latency and bandwidth can be separated in every part, except for a negligible
  /// time.
  void require_splits() const;
  /// The fitted cost of a message ("alpha") or byte ("beta"); absent if the counts give none.
  std::optional<double> cost_before(const char* feature) const;
  /// Converts a change (a factor, or a new value) to the factor on times, and notes it among the
  /// assumptions. `before` is the old value, as fitted or profiled, and `origin` says where it
  /// comes from. Without it, a change to a new value is impossible: throws with the advice to give
  /// a factor such as `example`.
  double turn(Knob knob, const KnobChange& change, std::optional<double> before,
              const std::string& example, const std::string& origin = "");
  double share_of_latency(const TimeLaw& law, double procs, double work) const;

  const Model& model_;
  std::string source_;
  std::vector<CommLaw> comm_;
  std::optional<double> profile_s_per_message_;
  std::optional<double> profile_s_per_byte_;
  CostFactors network_;
  MemorySplit::Slowdown slower_;
  Draws waiting_{};  // factors on waiting for slower ranks: those of all computation
  std::vector<Assumption> assumptions_;
  std::vector<std::string> warnings_;
};

}  // namespace apmt
