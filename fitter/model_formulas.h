// A model as formulas in P that people can read and other programs can evaluate.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// at_s * u^(e[0] + e[1] ln u + e[2] (ln u)^2 + ...), u = P / procs: a power law whose exponent
/// drifts.
struct DriftingPower {
  double at_s = 0;
  double procs = 1;
  std::vector<double> exponents;
  double value(double p) const;
};

/// One time in seconds as a function of P along the campaign's own path. Closed laws keep their
/// terms (the work is put in); what quadrature says is met by a drifting power.
struct TimeFormula {
  std::string name;            // of the kernel, or the part in words
  std::vector<LawTerm> terms;  // added; empty: `curve`
  DriftingPower curve;
  double off = 0;  // largest relative difference from apmt predict in the range
  double value(double p) const;
};

struct ModelFormulas {
  std::string program;
  std::string sizes;  // "strong scaling at n = 1000", for people
  int from_procs = 1;
  int to_procs = 1;
  int profiled_procs = 1;  // the largest
  double confidence = 0.8;
  std::vector<TimeFormula>
      times;  // kernels, then the other parts, unless they are zero; they add up
  /// Of kernels: "sweep, computation" and "sweep, memory", which add up to its time, and, beside
  /// that time, "sweep, messages" and "sweep, waiting" of its own calls to MPI. Those that are
  /// known.
  std::vector<TimeFormula> kernel_parts;
  TimeFormula low;  // ends of the interval of the whole
  TimeFormula high;
};

/// From the smallest profiled process count (2 at least) to `farthest` times the largest.
ModelFormulas formulas_of(const Model& model, double confidence = 0.8, double farthest = 64);

/// c * P^i * log2(P)^j, coefficients not negative, as Extra-P writes models: what comes nearest.
/// `off` becomes the largest relative difference in the range.
std::vector<LawTerm> nearest_terms(const TimeFormula& formula, int from_procs, int to_procs,
                                   double* off);

}  // namespace apmt
