// The benchmarks of the fitter. Each function prints a table in Markdown to standard output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "tests/paths.h"

namespace apmt::bench {

/// The interval score of an 80 % interval: its width, plus ten times the distance of the value from
/// the interval if it lies outside. Smaller is better.
inline double score_80(double low, double high, double value) {
  return high - low + 10 * std::max(low - value, 0.0) + 10 * std::max(value - high, 0.0);
}

/// The default options of a fit, with the catalogue of laws from the source tree.
inline FitOptions bench_fit_options() {
  FitOptions options;
  options.configs = std::filesystem::path(source_dir()) / "configs";
  return options;
}

/// Predicts the published series (bench/series) of the sets whose names contain `set` ("all": of
/// every set). Models are fitted to the `trained` smallest process counts of a series. The table
/// compares apmt with the reference models. If `others` is not empty, it names a file with the
/// predictions of other tools (extrap_series.py), and the table compares these, too.
void series(const std::string& set, std::size_t trained, const std::string& others);

/// Predicts the same series with the priors that turn out best: those with the least mean error
/// (`least_of` "error"), the least interval score ("score"), or the least sum of both with equal
/// weights for all codes ("codes").
void hindsight(int trials, unsigned long seed, const std::string& least_of, const std::string& set);

/// Prints a lower limit of the error for any method that knows only three total times. There is
/// such a limit because some series begin alike and continue differently.
void twins();

/// Prints, for planted programs and for each extrapolation factor: the errors, also relative to
/// those of an oracle (oracle_s() in planted.h); the coverage; and the interval score. The programs
/// come in groups with different options, such as "weak, no noise". Only groups whose names begin
/// with `campaign` are used, with at most `experiments` programs each.
void accuracy(int experiments, unsigned long seed, const std::string& campaign);

/// Prints, for planted programs (whose true laws are known), the errors if the predicted time is
/// the median of the whole time, the sum of the parts' medians, or the sum of the laws' medians
/// (centres.cpp).
void centres(int programs, unsigned long seed);

/// Prints, for each part of planted programs, the coverage, width and score of its interval, beside
/// those of a method that knows how the programs are drawn (informed.h).
void parts(int experiments, unsigned long seed);

/// Prints, for planted kernels that are bound by memory or by computation, how often the stated
/// bound is right, grouped by its stated probability.
void verdicts(int programs, unsigned long seed);

/// Prints, for planted kernels whose accesses to memory were counted, the errors and the coverage
/// of their predicted times and of the parts of computation and memory in them.
void kernels(int programs, unsigned long seed);

/// Prints what each mechanism of the model is worth: the error, interval score and coverage with
/// all mechanisms, and how they change without one of them. The sets are planted programs,
/// recordings that bench/virtual/series.sh left in the folder `recordings` (empty: none), and
/// published series. Only sets whose names begin with `set` are used.
void ablation(int programs, unsigned long seed, const std::string& set,
              const std::string& recordings);

/// Prints the time of a fit of many kernels, and of a prediction. If `peers_input` is not empty,
/// also writes the measurements to this file in Extra-P's text format, so that Extra-P can fit the
/// same measurements.
void speed(const std::string& peers_input);

}  // namespace apmt::bench
