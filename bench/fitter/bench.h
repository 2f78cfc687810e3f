// The tables of the fitter's bench; each prints Markdown to standard output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "fitter/model.h"
#include "tests/paths.h"

namespace apmt::bench {

/// The score of an 80 % interval: its width plus ten times the distance of the value outside it.
inline double score_80(double low, double high, double value) {
  return high - low + 10 * std::max(low - value, 0.0) + 10 * std::max(value - high, 0.0);
}

/// The options that users have, with the catalogue of laws from the source tree.
inline FitOptions bench_fit_options() {
  FitOptions options;
  options.configs = std::filesystem::path(source_dir()) / "configs";
  return options;
}

/// Published series (bench/series) of the sets that have `set` in their names, or of all. Models
/// are trained on the `trained` smallest counts; the table compares apmt with the reference models.
void series(const std::string& set, std::size_t trained);

/// The same with the best priors in hindsight: those with the least "error" or "score", or the
/// least of both with equal weights for all "codes".
void hindsight(int trials, unsigned long seed, const std::string& least_of, const std::string& set);

/// The limit for any method that is given only three totals: series that begin alike and continue
/// differently.
void twins();

/// Planted programs of the campaigns whose name begins with `campaign`: errors compared with an
/// oracle's, coverage and interval score, by extrapolation factor.
void accuracy(int experiments, unsigned long seed, const std::string& campaign);

/// The same kinds of campaigns: errors of the three numbers that could be printed for a whole.
void centres(int programs, unsigned long seed);

/// The same campaigns part by part: intervals compared with those of a method that knows how
/// programs are drawn.
void parts(int experiments, unsigned long seed);

/// What bounds planted kernels, memory or computation: how often verdicts are right, by their
/// stated probability.
void verdicts(int programs, unsigned long seed);

/// The time for a fit of many kernels and for a prediction. If `peers_input` is not empty, the
/// measurements are also written to that file, in Extra-P's text format.
void speed(const std::string& peers_input);

}  // namespace apmt::bench
