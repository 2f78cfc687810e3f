// Compares laws of calls and bytes with runs that the model was not fitted to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/model/model.h"

namespace apmt {

/// One count, summed over all ranks: predicted and measured.
struct CountCheck {
  double measured = 0;
  std::optional<double> predicted;  // by the likeliest law; absent if the model has none
  double low = 0;                   // range of all laws that agree with the model's data
  double high = 0;
  std::optional<double> error() const;  // absent if nothing was measured or predicted
  bool is_covered() const;
};

/// One MPI operation.
struct OperationCheck {
  std::string op;
  CountCheck calls;
  CountCheck bytes;
};

/// The operations of the model and of the runs at one point of `counted`, sorted by bytes: the
/// largest first.
std::vector<OperationCheck> check_counts(const Model& model, const std::vector<CountModel>& counted,
                                         std::size_t point, double procs, double work);

Json to_json(const std::vector<OperationCheck>& checks);

}  // namespace apmt
