// A model as formulas in P, which people can read and other programs can evaluate.
#pragma once

#include <string>
#include <vector>

#include "fitter/laws/readable_law.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

/// at_s * u^(e[0] + e[1] ln u + e[2] (ln u)^2 + ...), u = P / procs: a power law whose exponent
/// drifts.
struct DriftingPower {
  double at_s = 0;
  double procs = 1;
  std::vector<double> exponents;
  double value(double p) const;
};

/// One time in seconds as a function of P; problem sizes depend on P as in the campaign. A time
/// with a single law in closed form keeps the law's terms, if the work can be expressed by P. Any
/// other time is approximated by a power law whose exponent drifts.
struct TimeFormula {
  std::string name;                 // the kernel's name, or the part in words
  std::vector<LawTerm> terms = {};  // their sum is the time; if there are none, `curve` is the time
  DriftingPower curve = {};
  double off = 0;  // largest relative deviation from apmt predict in the range of P
  double value(double p) const;
};

struct ModelFormulas {
  std::string program;
  std::string sizes;  // for readers: "strong scaling at n = 1000"
  int from_procs = 1;
  int to_procs = 1;
  double confidence = 0.8;
  std::vector<TimeFormula> times;  // kernels, then parts that are not zero; their sum is the time
  /// Known parts of kernels. For a kernel "sweep", the parts "sweep, computation" and "sweep,
  /// memory" add up to its time. "sweep, messages" and "sweep, waiting" are the time in its own
  /// calls to MPI, which is additional.
  std::vector<TimeFormula> kernel_parts;
  TimeFormula low;  // the ends of the interval of the whole time
  TimeFormula high;
};

/// The formulas are for process counts from the smallest profiled one (2 at least) to 64 times the
/// largest.
ModelFormulas formulas_of(const Model& model);

/// The nearest sum of terms c * P^i * log2(P)^j, the form in which Extra-P writes models.
/// Coefficients are not negative, and negligible terms are left out.
ReadableLaw nearest_terms(const TimeFormula& formula, int from_procs, int to_procs);

}  // namespace apmt
