// Laws: how one quantity grows with the process count P and the work D. Value types; count_fit.h
// and time_fit.h make them, law.cpp evaluates the closed forms, time_law_eval.h the rest.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt {

/// One measured value that a law was fitted to.
struct FitPoint {
  double procs = 0;
  double work = 1;          // D, in the user's units; 1 if the runs have no problem size
  double value = 0;         // median: seconds per rank, or a count over all ranks
  double rel_sigma = 0;     // standard deviation of one repetition / value; 0 when unknown
  double rel_sampling = 0;  // sampling error of one repetition / value; 0 when not sampled
  int repetitions = 1;
};

/// A function of P alone that is not a power.
enum class GridShape {
  kNone,     // 1
  kSides2,   // px + py of the squarest 2-D process grid (as MPI_Dims_create)
  kSides3,   // px + py + pz of the most cubic 3-D grid
  kFaces3,   // px*py + py*pz + px*pz of the same grid
  kAround2,  // (3 px - 2)(3 py - 2): sum over a 2-D grid's processes of 1 + neighbours (up to 8)
  kAround3,  // (3 px - 2)(3 py - 2)(3 pz - 2): the same in 3-D (up to 26)
};

/// The term is coefficient * P^p_exponent * log2(P)^log2_power * D^work_exponent * shape(P), or, if
/// exp_rate is not 0, coefficient * exp(exp_rate * P). It is zero where the work per process is not
/// within [from_x, below_x), because accesses to memory follow another law where a rank's data fit
/// into a cache.
struct LawTerm {
  double coefficient = 0;
  double p_exponent = 0;
  int log2_power = 0;
  double work_exponent = 0;
  GridShape shape = GridShape::kNone;
  double exp_rate = 0;
  double from_x = 0;
  double below_x = INFINITY;
  double value(double procs, double work) const;
};

/// One law that the data allow.
struct Hypothesis {
  std::vector<LawTerm> terms;  // added; none: identically zero
  int free_numbers = 0;
  double weight = 1;        // posterior share; the shares of the hypotheses kept add up to 1
  double rel_residual = 0;  // root mean square of the relative residuals at the fitted points
  bool exact = false;       // reproduces every value to 1e-6 (CountKind in count_fit.h)
  double value(double procs, double work) const;  // never negative
  std::string formula() const;                    // "4 * P - 4 * P^0.5", for people
};

/// The law of a count: all laws that the measured points cannot tell apart, the likeliest first.
/// Empty when no law was admissible (too few process counts).
struct CountLaw {
  std::vector<Hypothesis> hypotheses;
  double value(double procs, double work) const;  // of the likeliest; 0 when there is none
  double low(double procs, double work) const;    // smallest and largest over the hypotheses
  double high(double procs, double work) const;
  bool is_exact() const;
};

/// A count per rank to which a time may be proportional. Laws of counts are fitted first, so that
/// laws of time can use them.
struct Feature {
  /// What other data say about the cost: ln cost is normally distributed.
  struct Expected {
    double cost = 0;
    double ln_sd = 1;
  };
  enum class Steps { kOne, kTree, kRing };  // the count times 1, log2(P) or P - 1
  std::string name;                         // "alpha", "beta", "excess", for people
  std::string unit;                         // of the cost: "s/message", "s/byte", "s/step", "s/s"
  std::string of;                           // what is counted: "MPI_Isend messages"
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
  double prior = 0;      // prior weight; those of all count families add up to 1
  double posterior = 0;  // share of the posterior of all families, including curves
  std::vector<Feature> features;  // one or two
};

/// A time per rank in seconds.
struct TimeLaw {
  enum class Kind {
    kZero,       // zero wherever it was measured
    kRecipe,     // Bayesian quadrature over families of curves through the points
    kExact,      // noise-free: a closed form goes through every point
    kUnitCosts,  // noise-free: each family (costs times counts) goes through every point
  };
  /// How the problem size enters.
  enum class SizeRule {
    kNone,        // not at all: starting and ending MPI
    kPerProcess,  // through x = D/P: computation
    kLinear,      // as D^linear_exponent times a law in P: communication, by its linear size
  };
  Kind kind = Kind::kZero;
  SizeRule size_rule = SizeRule::kNone;
  double linear_exponent = 0;
  std::string prior;  // name of the set of priors: "total", "leaf", "communication", ...
  std::optional<double> plain_weight;  // prior weight of plain laws, if pooled (plainness.h)
  std::vector<FitPoint> points;        // the measured times to which the law was fitted
  std::vector<CountFamily> families;   // may be empty
  CountLaw exact;  // kExact: the closed forms; kUnitCosts: closed forms that also fit
};

Json to_json(const FitPoint& point);
Json to_json(const Hypothesis& hypothesis);
Json to_json(const CountLaw& law);
Json to_json(const TimeLaw& law);
FitPoint fit_point_from(const JsonAt& json);
Hypothesis hypothesis_from(const JsonAt& json);
CountLaw count_law_from(const JsonAt& json);
TimeLaw time_law_from(const JsonAt& json);

}  // namespace apmt
