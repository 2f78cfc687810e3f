// The tables of the fitter's bench; each prints Markdown to standard output.
#pragma once

#include <string>

namespace apmt::bench {

/// Published series (bench/series) of one set, or of all: apmt beside the reference models.
void series(const std::string& set);

/// The same with the priors that somebody who knows the answers would choose.
void hindsight(int trials, unsigned long seed);

/// Planted programs: errors beside an oracle's, coverage and interval score, by factor.
void accuracy(int experiments, unsigned long seed);

/// How long a fit of many kernels and a prediction take. The measurements also go to `peers_input`
/// when it is not empty, as Extra-P's text.
void speed(const std::string& peers_input);

}  // namespace apmt::bench
