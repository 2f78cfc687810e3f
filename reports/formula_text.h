// Writes a model as formulas: as a Python module, as LaTeX, or in the text format of Extra-P.
#pragma once

#include <string>

#include "fitter/laws/readable_law.h"
#include "fitter/prediction/model_formulas.h"

namespace apmt {

/// A Python module that needs only the standard library: time_s(P), interval_s(P), and one function
/// for each kernel and part. Run as a program with process counts as arguments, it prints for each
/// the count, the time and both ends of the interval.
std::string formulas_as_python(const ModelFormulas& formulas);

/// "3.2 s / P + 12 ms", followed by the largest deviation if it is above 1 %: " (within 4 %)".
std::string readable_law_text(const ReadableLaw& law);

/// An align* environment of LaTeX's package amsmath: each time as a readable law, with its largest
/// deviation.
std::string formulas_as_latex(const ModelFormulas& formulas);

/// For each formula: the sum of terms c * p^i * log2(p)^j that is nearest to it, and the largest
/// deviation of that sum from the formula.
std::string formulas_as_extrap_text(const ModelFormulas& formulas);

}  // namespace apmt
