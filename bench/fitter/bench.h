// The tables of the fitter's bench; each prints Markdown to standard output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "fitter/model.h"

namespace apmt::bench {

/// Of an 80 % interval: its width, and ten times what the value lies outside.
inline double score_80(double low, double high, double value) {
  return high - low + 10 * std::max(low - value, 0.0) + 10 * std::max(value - high, 0.0);
}

/// As users fit: with the catalogue of the sources.
inline FitOptions bench_fit_options() {
  FitOptions options;
  options.configs = std::filesystem::path(APMT_SOURCE_DIR) / "configs";
  return options;
}

/// Published series (bench/series) of the sets that have `set` in their names, or of all, learned
/// from so many counts: apmt beside the reference models.
void series(const std::string& set, std::size_t trained);

/// The same with the priors that somebody who knows the answers would choose for the least "error"
/// or "score", or for both, each of the "codes" counting the same.
void hindsight(int trials, unsigned long seed, const std::string& least_of, const std::string& set);

/// What any method could make of three totals: series that began alike and went on differently.
void twins();

/// Planted programs: errors beside an oracle's, coverage and interval score, by factor. Of the
/// campaigns whose name begins with `campaign`.
void accuracy(int experiments, unsigned long seed, const std::string& campaign);

/// The same kinds of campaigns: errors of the numbers that might be printed for a whole.
void centres(int programs, unsigned long seed);

/// The same campaigns part by part: intervals beside those of who knows how programs are drawn.
void parts(int experiments, unsigned long seed);

/// What bounds planted kernels, memory or computation: how often verdicts are right, by the
/// probability they were said with.
void verdicts(int programs, unsigned long seed);

/// How long a fit of many kernels and a prediction take. The measurements also go to `peers_input`
/// when it is not empty, as Extra-P's text.
void speed(const std::string& peers_input);

}  // namespace apmt::bench
