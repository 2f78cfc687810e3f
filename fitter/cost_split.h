// Which part of a communication time is latency and which is bandwidth, and from which source.
#pragma once

#include <optional>
#include <string>

#include "fitter/model_parts.h"

namespace apmt {

/// A part that cannot be split may be left unchanged up to this share of the predicted time.
inline constexpr double kNegligibleShare = 0.05;

struct CostSplit {
  /// kProfile: only with the latency and bandwidth of the machine of the runs.
  enum class By { kNobody, kCounts, kProfile };
  By by = By::kNobody;
  std::string why_not;  // nobody, or no profile: in a sentence
  std::string doubt;    // by counts: a sentence when these are not trusted; empty otherwise
};
CostSplit cost_split(Part part, const TimeLaw& law);

/// The count family of the largest posterior; nullptr when there is none.
const CountFamily* likeliest_family(const TimeLaw& law);

/// Of a part's time at P and D, what is latency ("alpha") by its counts and their fitted costs;
/// absent where these do not tell latency from bandwidth.
std::optional<double> latency_share(Part part, const TimeLaw& law, double procs, double work);

/// Where the fitted cost of a message ("alpha") or a byte ("beta") comes from, for people.
const char* origin_of_cost(const std::string& feature);

/// The cost of one by the counts of a law; 0 when they do not give it.
double fitted_cost(const TimeLaw& law, const std::string& feature);

}  // namespace apmt
