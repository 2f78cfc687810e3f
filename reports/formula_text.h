// A model as formulas: a Python module, LaTeX, or the text that Extra-P prints of its models.
#pragma once

#include <string>

#include "fitter/model_formulas.h"
#include "fitter/readable_law.h"

namespace apmt {

/// A module that needs only the standard library: time_s(P), interval_s(P), and one function for
/// each kernel and part. Run as a program it prints P, time, and both ends for its arguments.
std::string formulas_as_python(const ModelFormulas& formulas);

/// "3.2 s / P + 12 ms", and the deviation if it is above 1 %: " (within 4 %)".
std::string readable_law_text(const ReadableLaw& law);

/// An align* environment of amsmath: each time as a readable law, with its deviation.
std::string formulas_as_latex(const ModelFormulas& formulas);

/// Sums of c * p^i * log2(p)^j, each with its deviation.
std::string formulas_as_extrap_text(const ModelFormulas& formulas);

}  // namespace apmt
