// Sentences that guidance.cpp puts together: what a part of the time costs, and what to do about
// MPI calls.
#pragma once

#include <optional>
#include <string>

#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

inline constexpr double kCertainly = 0.05;  // least share, of the time, of what deserves advice

/// Whether a part deserves advice: whether it is large even at the low end of its interval.
bool is_worthwhile(const std::optional<TimeEstimate>& part, const Prediction& target);

/// "1.2 s, 30 % of the time at 64 processes"
std::string share_of(const TimeEstimate& part, const Prediction& target);

/// "Collectives cost 1.2 s, 30 % of the time at 64 processes". If the interval shows that the part
/// may also be small: "may cost", with the interval. Empty if the part deserves no advice.
std::string cost_words(const std::string& what, const char* costs,
                       const std::optional<TimeEstimate>& part, const Prediction& target);

/// The advice on a communication time, chosen by the share of latency in this time.
std::string remedy(const std::optional<double>& latency, const std::string& if_latency,
                   const std::string& if_bandwidth);

/// Names the costliest collective operation and what to do about it; empty if collectives deserve
/// no advice.
std::string advice_on_collectives(const Model& model, const Prediction& target);

/// The same for MPI calls that are neither messages nor collectives.
std::string advice_on_other_calls(const Model& model, const Prediction& target);

}  // namespace apmt
