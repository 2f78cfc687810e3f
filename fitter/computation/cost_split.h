// How a communication time divides into latency and bandwidth, and what tells the two apart.
#pragma once

#include <optional>
#include <string>

#include "fitter/model/model_parts.h"

namespace apmt {

/// A what-if with another network is not possible if, in any part, the laws that cannot be divided
/// into latency and bandwidth take at least this share of the predicted time. If they take less,
/// they keep their time.
inline constexpr double kNegligibleShare = 0.05;

struct CostSplit {
  /// What separates latency from bandwidth: nothing (kNobody), the law's calls and bytes (kCounts),
  /// or only the latency and bandwidth measured on the machine of the runs (kProfile).
  enum class By { kNobody, kCounts, kProfile };
  By by = By::kNobody;
  std::string why_not;  // for kNobody and kProfile: why counts do not separate the costs
  std::string hint;     // and what would
  std::string doubt;    // why the split by counts is uncertain; or empty
};
CostSplit cost_split(Part part, const LawOfPart& its);

/// Of the law's families in which the time is a sum of unit costs times counts (CountFamily), the
/// one with the largest posterior; nullptr if the law has no such family.
const CountFamily* likeliest_family(const TimeLaw& law);

/// The share of latency ("alpha") in a law's time at P and D, from its counts and their fitted
/// costs. Absent if the counts do not separate latency from bandwidth, or if this split is in
/// doubt.
std::optional<double> latency_share(Part part, const LawOfPart& its, double procs, double work);

/// A phrase for readers: where the fitted cost of a message ("alpha") or of a byte ("beta") comes
/// from.
const char* origin_of_cost(const std::string& feature);

/// The fitted cost of one message or byte; 0 if the law's counts do not give it.
double fitted_cost(const TimeLaw& law, const std::string& feature);

}  // namespace apmt
