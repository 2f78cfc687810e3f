// A model held against runs that it has not seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction.h"
#include "fitter/validate_counts.h"

namespace apmt {

/// One time, predicted and measured.
struct Check {
  TimeEstimate predicted;
  double measured_s = 0;
  double error() const {
    return predicted.time_s / measured_s - 1;
  }  // infinite for nothing measured
  bool is_covered() const;
};

/// One process count and problem size.
struct Validation {
  int procs = 0;
  std::map<std::string, double> params;
  int repetitions = 0;
  double extrapolation_factor = 1;
  double confidence = 0.8;
  bool was_fitted = false;  // the model has seen a run like this
  double elapsed_s = 0;     // measured, everything
  std::optional<Check>
      whole;  // the parts that the model has; absent when one was not measured here
  std::vector<std::string> missing;    // keys of parts that the model has, not measured here
  bool oversubscribed = false;         // more ranks than CPUs: why they are
  std::map<std::string, Check> parts;  // by key(Part), those that both have and that take any time
  struct Kernel {
    std::size_t index = 0;  // in Model::kernels
    std::string name;
    Check check;                            // of its time outside MPI
    std::optional<TimeEstimate> comp = {};  // of that, as predicted; nothing measures them apart
    std::optional<TimeEstimate> mem = {};
    std::optional<Check> transfer = {};  // beside it, in its own calls to MPI
    std::optional<Check> wait = {};
  };
  std::vector<Kernel> kernels;                    // by falling measured time, the rest last
  std::vector<OperationCheck> operations;         // their calls and bytes
  std::map<std::string, double> baseline_errors;  // relative, by name; empty without `whole`
};

/// Throws InputError when the runs are of another program. One entry per point of `runs`.
std::vector<Validation> validate(const Model& model, const Experiment& runs,
                                 double confidence = 0.8);

Json to_json(const std::vector<Validation>& validations);

}  // namespace apmt
