// Predictions compared with thresholds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/prediction.h"

namespace apmt {

struct Thresholds {
  std::optional<double> max_time_s = {};
  std::optional<double> min_efficiency = {};  // 1 is perfect
  bool sure = false;                          // use the worse end of the interval
};

/// One threshold at one process count.
struct Verdict {
  int procs = 0;
  std::string quantity;  // "time_s", "efficiency"
  double threshold = 0;
  std::optional<double> value;  // compared with the threshold; absent: unknown, not met
  bool is_met = false;
  std::string sentence;
};

std::vector<Verdict> check_thresholds(const std::vector<Prediction>& predictions,
                                      const Thresholds& thresholds);

Json to_json(const std::vector<Verdict>& verdicts);

}  // namespace apmt
