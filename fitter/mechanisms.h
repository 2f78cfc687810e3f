// Switches for parts of the model. A benchmark turns off one at a time to measure how much it
// improves predictions; everywhere else, all are on.
#pragma once

#include <utility>

namespace apmt {

struct Mechanisms {
  // How the time spent waiting is separated from the cost of messages:
  bool message_costs = true;         // messages of one kind cost the same everywhere
  bool collective_instances = true;  // in a collective, the quickest rank's time is the transfer
  bool imbalance = true;             // waiting is at least the imbalance (run_parts.cpp)
  // Counts that explain times.
  bool message_counts = true;      // alpha * messages + beta * bytes, trees, rings
  bool light_calls = true;         // calls that move few bytes show the latency of collectives
  bool call_groups = true;         // important groups of MPI calls have laws of their own
  bool instructions = true;        // kernels: instructions (and accesses) at constant cost
  bool parts_of_processes = true;  // collectives on parts of the processes count by the part's size
  bool wait_causes = true;         // wait_families.h explains waiting, also at the end
  bool times_by_costs = true;      // kernels: the costs of core and memory give a law of the time
  bool caches_ahead = true;        // kernels: beyond the runs, data may begin to fit into caches
  bool shared_costs = true;  // all kernels have the same factors on memory's latency and bandwidth
  // Families of curves.
  bool plain_laws = true;        // closed forms such as 1/P + constant
  bool pooled_plainness = true;  // odds of plain laws are learned from the other kernels
  bool work_on_pairs = true;     // a kernel may follow (1 - g/P)/P (PlainLaw in recipe_curves.h)
  bool serial_end = true;        // the end may follow 1 - 1/P: one rank works, the others wait
  bool overhead_share = true;    // family T of recipe.h
  bool perfect_scaling = true;   // totals: exactly 1/P has a prior weight of its own
  // Scatter.
  bool measured_noise = true;    // repetitions show how noisy times are
  bool shared_noise = true;      // repetitions show how much of the noise all times share
  bool wandering_slopes = true;  // totals, kernels: the slope changes with P as a random walk
  bool unseen_changes = true;    // waiting may change in a way that the runs do not show
  bool outliers = true;          // totals: one of a few points may be an outlier
};

/// Those of this thread; only WithMechanisms changes them.
inline thread_local Mechanisms mechanisms_in_force;

/// The mechanisms that are on in this thread.
inline const Mechanisms& mechanisms() { return mechanisms_in_force; }

/// Replaces the mechanisms of this thread as long as the object exists. A model must be fitted and
/// used for predictions under the same mechanisms.
class WithMechanisms {
 public:
  explicit WithMechanisms(const Mechanisms& mechanisms)
      : before_(std::exchange(mechanisms_in_force, mechanisms)) {}
  ~WithMechanisms() { mechanisms_in_force = before_; }
  WithMechanisms(const WithMechanisms&) = delete;
  WithMechanisms& operator=(const WithMechanisms&) = delete;

 private:
  Mechanisms before_;
};

}  // namespace apmt
