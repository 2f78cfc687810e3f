// Laws of times. Value types; time_fit.h makes them, time_law_eval.h evaluates them, law.cpp their
// counts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fitter/laws/law.h"
#include "fitter/laws/memory_split.h"

namespace apmt {

/// A count per rank to which a time may be proportional. Laws of counts are fitted first, so that
/// laws of time can use them.
struct Feature {
  /// What other data say about the cost: ln cost is normally distributed.
  struct Expected {
    double cost = 0;
    double ln_sd = 1;
  };
  /// The count is multiplied by 1, log2(P) or P - 1. kOthers: by 1, but by 0 if there is only one
  /// process.
  enum class Steps { kOne, kTree, kRing, kOthers };
  std::string name;  // "alpha", "beta", "excess", for people
  std::string unit;  // of the cost: "s/message", "s/byte", "s/step", "s/s"
  std::string of;    // what is counted: "MPI_Isend messages"
  Steps steps = Steps::kOne;
  std::vector<Hypothesis> counts;  // laws of counts over all ranks; the count is their sum
  /// Seconds per unit. For the kind kRecipe of TimeLaw: the joint mode of all costs (cost_mode.h)
  /// if fit_costs() found it, otherwise the posterior mean.
  double cost = 0;
  double size_exponent = 0;  // the time grows as D to this power, if only one D was profiled
  std::optional<Expected> expected = {};  // known before the law is fitted to times
  std::optional<double> cost_ln_sd = {};  // standard deviation of ln cost, if it is the joint mode
  /// The measured counts per rank at the points of the law of time, if the laws of counts do not
  /// reproduce them.
  std::vector<double> seen = {};
  double per_rank(double procs, double work) const;
  /// The count per rank at point number `i` of the law of time.
  double at_point(std::size_t i, double procs, double work) const {
    return i < seen.size() ? seen[i] : per_rank(procs, work);
  }
  static double factor_of(Steps steps, double procs);
  /// False for a unit cost so small that the fit has in fact left it out: no network or core
  /// does anything in a femtosecond.
  bool costs_something() const { return cost > 1e-15; }
};

/// A family of laws in which a time is a sum of unit costs times counts. It competes with the
/// families of curves (recipe.h).
struct CountFamily {
  std::string name;      // "hockney", "tree", "ring", "instructions", a trend (wait_families.h)
  double prior = 0;      // prior weight; those of all families of a law add up to 1, unless it
                         // has a MemorySplit::prior
  double posterior = 0;  // share of the posterior of all families, including curves
  std::vector<Feature> features;  // one or two
};

/// The name of the family of collectives whose features count calls and bytes as they are.
inline constexpr const char* kPlainCounts = "tree";

/// A time per rank in seconds.
struct TimeLaw {
  enum class Kind {
    kZero,       // zero wherever it was measured
    kRecipe,     // Bayesian quadrature over families of curves through the points
    kExact,      // noise-free: a closed form goes through every point
    kUnitCosts,  // noise-free: each family (costs times counts) goes through every point
  };
  /// What the runs do not show about communication.
  struct Unseen {
    /// The MPI library may use other algorithms for calls of other sizes.
    bool algorithms = false;
    /// All runs were on one node, with so many cores; 0: on several, or not known.
    int cores_of_only_node = 0;
  };
  /// How the problem size enters.
  enum class SizeRule {
    kNone,        // not at all: starting and ending MPI, unless the runs show that it does
    kPerProcess,  // through x = D/P: computation
    kLinear,      // as D^linear_exponent times a law in P: communication, by its linear size
  };
  Kind kind = Kind::kZero;
  SizeRule size_rule = SizeRule::kNone;
  double linear_exponent = 0;     // as expected, or as measured at several sizes with one P
  double linear_exponent_sd = 0;  // its standard deviation, if problem sizes vary
  std::string prior;  // name of the set of priors: "total", "leaf", "communication", ...
  std::optional<double> plain_weight;  // prior weight of plain laws, if pooled (time_fit.h)
  std::vector<FitPoint> points;        // the measured times to which the law was fitted
  std::vector<CountFamily> families;   // may be empty
  /// Computation and memory in the time of a kernel; absent if memory cannot be separated.
  std::optional<MemorySplit> split;
  Unseen unseen;
  CountLaw exact;  // kExact: the closed forms; kUnitCosts: closed forms that also fit
};

inline constexpr std::array kStepsNames = {"one", "tree", "ring", "others"};
inline constexpr std::array kLawKindNames = {"zero", "recipe", "exact", "unit costs"};
inline constexpr std::array kSizeRuleNames = {"none", "per process", "linear"};
constexpr const auto& names_of(Of<Feature::Steps>) { return kStepsNames; }
constexpr const auto& names_of(Of<TimeLaw::Kind>) { return kLawKindNames; }
constexpr const auto& names_of(Of<TimeLaw::SizeRule>) { return kSizeRuleNames; }

}  // namespace apmt
