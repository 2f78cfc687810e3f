// Results of apmt refine for computation, as plain values for the reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "refine/frequency_fit.h"

namespace apmt {

struct RefinedKernel {
  std::size_t index = 0;  // in Model::kernels
  CpiLine line;
  bool is_cpi_before_total = false;  // line.cpi_before includes stalls
  bool has_new_law = false;          // predictions use the refined costs
};

struct RefinementSummary {
  int runs = 0;          // number of runs that were read
  double lowest_hz = 0;  // lowest measured frequency of the runs
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
