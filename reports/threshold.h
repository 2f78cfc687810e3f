// Compares predictions with limits for the time and the efficiency (`apmt check`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

struct Thresholds {
  std::optional<double> max_time_s = {};
  std::optional<double> min_efficiency = {};  // 1 is perfect
  bool sure = false;                          // compare the worse end of the interval
};

/// The comparison with one threshold at one process count.
struct Verdict {
  int procs = 0;
  std::map<std::string, double> params = {};  // the problem sizes
  std::string quantity;                       // "time_s", "efficiency"
  double threshold = 0;
  std::optional<double> value;  // compared with the threshold; absent: unknown, so not met
  std::optional<double> measured_s = {};  // for a time: must not exceed the threshold, either
  bool is_met = false;
  std::string sentence;
};

std::vector<Verdict> check_thresholds(const std::vector<Prediction>& predictions,
                                      const Thresholds& thresholds);

/// Each object of the list has all warnings.
Json to_json(const std::vector<Verdict>& verdicts, const std::vector<std::string>& warnings);

}  // namespace apmt
