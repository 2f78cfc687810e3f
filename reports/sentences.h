// The sentences of a report on a prediction. Each states only what the data show, with names and
// numbers.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

/// "At 64 processes expect 1.9 s (1.6 to 2.4, 80 %): computation is 78 % of it, ..."
std::string headline(const Model& model, const std::vector<Prediction>& predictions);

/// The sentences below the headline: missing parts and why they are missing, a process count at
/// which the program is faster, the extrapolation factor, the speed-up, and the back-test.
std::vector<std::string> reasons(const Model& model, const std::vector<Prediction>& predictions);

/// Names the parts that the prediction does not include, and why. Empty when it includes all.
std::string missing_sentence(const Model& model, const Prediction& prediction);

/// The back-test: what a model without the largest profiled process count predicts for it, compared
/// with the measurement; or why there is no back-test.
std::string backtest_sentence(const Model& model, const Backtest& backtest);

/// Names a part of communication and, if there are at most three, the operations that were used in
/// it: "MPI_Allreduce", "collectives (MPI_Allreduce and MPI_Bcast)", "point-to-point messages
/// (MPI_Isend)".
std::string part_with_operations(const Model& model, const std::string& part);

/// Names the process counts at which all runs had more ranks than cores, as in "every profiled run
/// beyond 2 processes". Empty if there is no such count.
std::string oversubscribed_words(const Model& model);

/// The warnings of the model, then those of the predictions, without duplicates.
std::vector<std::string> all_warnings(const Model& model,
                                      const std::vector<Prediction>& predictions);

/// The prediction as JSON, with the warnings of the model, too.
Json to_json(const Model& model, const Prediction& prediction);

}  // namespace apmt
