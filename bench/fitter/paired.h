// Compares two ways of predicting the same points: differences of error, interval score and
// coverage, with intervals from a bootstrap over programs.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction/validate.h"

namespace apmt::bench {

/// One prediction, judged by what was measured.
struct Judged {
  std::string program;  // points of one program are not independent
  double error = 0;     // |ln(predicted / measured)|
  double score = 0;     // interval score of ln(time)
  double covered = 0;   // 1 inside the interval, else 0
  bool operator==(const Judged&) const = default;
};
Judged judged(const std::string& program, const Check& check);

/// The mean over all points, and its 80 % interval from a bootstrap over programs.
struct MeanOfPrograms {
  double mean = 0;
  double low = 0;
  double high = 0;
};
MeanOfPrograms mean_over_programs(const std::vector<Judged>& points, double Judged::*what);

/// The differences, point by point: the first minus the second. Both lists have the same points in
/// the same order.
std::vector<Judged> differences(const std::vector<Judged>& first,
                                const std::vector<Judged>& second);

}  // namespace apmt::bench
