// The tables of the fitter's bench; each prints Markdown to standard output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "fitter/model.h"
#include "tests/paths.h"

namespace apmt::bench {

/// The score of an 80 % interval: its width, plus ten times the distance of a value outside it.
inline double score_80(double low, double high, double value) {
  return high - low + 10 * std::max(low - value, 0.0) + 10 * std::max(value - high, 0.0);
}

/// The options that users have by default, with the catalogue of laws from the source tree.
inline FitOptions bench_fit_options() {
  FitOptions options;
  options.configs = std::filesystem::path(source_dir()) / "configs";
  return options;
}

/// Predicts published series (bench/series) of the sets whose names contain `set`, or of all.
/// Models are fitted to the `trained` smallest counts; the table compares apmt with the reference
/// models.
void series(const std::string& set, std::size_t trained);

/// The same with priors that are chosen in hindsight: those with the least "error" or "score", or
/// the least sum of both with equal weights for all "codes".
void hindsight(int trials, unsigned long seed, const std::string& least_of, const std::string& set);

/// The lower limit of the error for any method that gets only three totals: some series begin alike
/// and continue differently.
void twins();

/// Planted programs of the campaigns whose names begin with `campaign`: errors compared with those
/// of an oracle, coverage and interval score, by extrapolation factor.
void accuracy(int experiments, unsigned long seed, const std::string& campaign);

/// For the same campaigns: the errors of three numbers that could be printed as the predicted time.
void centres(int programs, unsigned long seed);

/// For the same campaigns, part by part: interval widths compared with those of a method that knows
/// how programs are drawn.
void parts(int experiments, unsigned long seed);

/// For planted kernels, which are bound by memory or by computation: how often the verdict is
/// right, by its stated probability.
void verdicts(int programs, unsigned long seed);

/// The time of a fit of many kernels, and of a prediction. If `peers_input` is not empty, also
/// writes the measurements to that file, in Extra-P's text format.
void speed(const std::string& peers_input);

}  // namespace apmt::bench
