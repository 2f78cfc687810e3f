// The sentences of a report. Each states only what the data show, with names, sizes and counts.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// "At 64 processes expect 1.9 s (1.6 to 2.4, 80 %): computation is 78 % of it, ..."
std::string headline(const Model& model, const std::vector<Prediction>& predictions);

/// Missing parts and why, the extrapolation factor, the gain, and the back-test.
std::vector<std::string> reasons(const Model& model, const std::vector<Prediction>& predictions);

/// Empty when nothing is missing.
std::string missing_sentence(const Model& model, const Prediction& prediction);

/// The prediction of the same procedure without the largest count, or why there is none.
std::string backtest_sentence(const Model& model, const Backtest& backtest);

/// "MPI_Allreduce", "collectives (MPI_Allreduce and MPI_Bcast)", "point-to-point messages
/// (MPI_Isend)": the operations that were used, if they are few.
std::string part_with_operations(const Model& model, const std::string& part);

/// Profiled counts whose runs had more ranks than cores, as "every profiled run beyond 2
/// processes". Empty if there are none.
std::string oversubscribed_words(const Model& model);

/// The warnings of the model and then of the predictions, each once.
std::vector<std::string> all_warnings(const Model& model,
                                      const std::vector<Prediction>& predictions);

}  // namespace apmt
