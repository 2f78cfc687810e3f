// The results of apmt refine for computation: plain values, for reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "refine/frequency_fit.h"

namespace apmt {

struct RefinedKernel {
  std::size_t index = 0;  // in Model::kernels
  std::string verdict;    // of the line, in words
  CpiLine line;
  /// Equation (3): CPI without stalled cycles (with them where stalls were not counted), and the
  /// blocking factor of all levels.
  std::optional<double> cpi_before;
  std::optional<double> bf_before;
  bool is_cpi_before_total = false;  // stalls are in it
  bool has_new_law = false;          // predictions use the refined costs
};

struct RefinementSummary {
  int runs = 0;          // read in all
  double lowest_hz = 0;  // of their measured frequencies
  double highest_hz = 0;
  std::vector<RefinedKernel> kernels;  // in the order of the model
  std::optional<double> backtest_error_before;
  std::optional<double> backtest_error_after;
  int refined() const {
    int count = 0;
    for (const RefinedKernel& k : kernels) count += k.line.is_usable();
    return count;
  }
};

}  // namespace apmt
