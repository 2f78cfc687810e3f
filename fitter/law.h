// Laws: how one quantity grows with the process count P and the work D. Value types; count_fit.h and
// time_fit.h make them, this header evaluates nothing but closed forms.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt {

/// One measured value that a law was fitted to.
struct FitPoint {
  double procs = 0;
  double work = 1;        // D, the user's units; 1 when the campaign has one problem size
  double value = 0;       // seconds per rank, or a count over all ranks
  double rel_sigma = 0;   // standard deviation of the median / value; 0 when unknown
};

/// coefficient * P^p_exponent * log2(P)^log2_power * D^work_exponent
struct LawTerm {
  double coefficient = 0;
  double p_exponent = 0;
  int log2_power = 0;
  double work_exponent = 0;
  double value(double procs, double work) const;
};

/// One law that the data allow.
struct CountHypothesis {
  std::vector<LawTerm> terms;  // added; none: identically zero
  double weight = 1;           // posterior share among the hypotheses kept, adds up to 1
  double rel_residual = 0;     // root mean square of the relative residuals at the fitted points
  bool exact = false;          // reproduces every (integer) count to its last unit
  double value(double procs, double work) const;  // never negative
  std::string formula() const;                    // "4*P - 4*P^(1/2)", for people
};

/// A count: all laws between which the measured points cannot decide, the likeliest first. Empty
/// when no law was admissible (too few process counts).
struct CountLaw {
  std::vector<CountHypothesis> hypotheses;
  double value(double procs, double work) const;  // of the likeliest; 0 when there is none
  double low(double procs, double work) const;    // smallest and largest over the hypotheses
  double high(double procs, double work) const;
};

/// A unit cost times the law of a count (MODEL 4, "counts first, time second").
struct UnitCostTerm {
  std::string name;       // "alpha", "beta", "tree", "ring", for people
  std::string unit;       // "s/message", "s/byte"
  std::string of;         // the MPI operation or class whose counts it multiplies
  double cost = 0;        // >= 0
  CountLaw count;         // per rank: messages, bytes, or tree/ring steps
};

/// A time per rank in seconds.
struct TimeLaw {
  enum class Kind {
    kZero,        // zero wherever it was measured
    kRecipe,      // extrapolated from the points by Bayesian quadrature (recipe.h)
    kUnitCosts,   // counts times unit costs
  };
  Kind kind = Kind::kZero;
  std::string prior;                // of the recipe: "total", "leaf", "communication", "overhead", "work"
  std::vector<FitPoint> points;     // what the recipe conditions on
  std::vector<UnitCostTerm> terms;  // of the unit costs
  double sigma_ln = 0;              // relative scatter of the points about the unit-cost law
};

Json to_json(const CountLaw& law);
Json to_json(const TimeLaw& law);
Json to_json(const FitPoint& point);
CountLaw count_law_from(const JsonAt& json);
TimeLaw time_law_from(const JsonAt& json);
FitPoint fit_point_from(const JsonAt& json);

}  // namespace apmt
