// A model as formulas: a Python module, LaTeX, or the text that Extra-P prints of its models.
#pragma once

#include <string>

#include "fitter/model_formulas.h"

namespace apmt {

/// A module without imports beyond the standard library: time_s(P), interval_s(P), and one function
/// for each kernel and part. Run as a program it prints P, time, and both ends for its arguments.
std::string formulas_as_python(const ModelFormulas& formulas);

/// An align* environment of amsmath.
std::string formulas_as_latex(const ModelFormulas& formulas);

/// Sums of c * p^i * log2(p)^j; how near they come is said beside each.
std::string formulas_as_extrap_text(const ModelFormulas& formulas);

}  // namespace apmt
