// Compares a model with runs that it was not fitted to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"

namespace apmt {

/// One time, predicted and measured.
struct Check {
  TimeEstimate predicted;
  double measured_s = 0;
  /// How far sampling may have moved `measured_s`, with the probability of the interval.
  double margin_s = 0;
  bool is_bound = false;  // no run of the model has a sample: only predicted.high_s is predicted
  /// Infinite if nothing was measured, or if only an upper bound is predicted.
  double error() const;
  /// Whether the measured time, allowing for its margin, lies in the predicted interval.
  bool is_covered() const;
};

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

/// One process count and problem size.
struct Validation {
  int procs = 0;
  std::map<std::string, double> params;
  int repetitions = 0;
  double extrapolation_factor = 1;
  double confidence = 0.8;
  bool was_fitted = false;  // the model was fitted to this process count and size
  bool same_runs = false;   // and to these very runs: they took the same time
  double elapsed_s = 0;     // measured; includes parts that the model lacks
  /// The sum of the parts that the model has; absent if any of them was not measured here.
  std::optional<Check> whole;
  std::vector<std::string> missing;  // keys of parts that the model has but that were not measured
  bool oversubscribed = false;       // more ranks than CPUs: why parts are missing
  /// By key(Part): the parts that were both predicted and measured, and are not zero.
  std::map<std::string, Check> parts;
  struct Kernel {
    std::size_t index = 0;  // in Model::kernels
    std::string name;
    Check check;                              // of its time outside MPI
    std::optional<double> one_sample_s = {};  // what one sample of these runs stands for
    std::optional<TimeEstimate> comp = {};    // part of it, only predicted; not measured
    std::optional<TimeEstimate> mem = {};
    std::optional<Check> transfer = {};  // in addition, in its own MPI calls
    std::optional<Check> wait = {};
  };
  std::vector<Kernel> kernels;             // by falling measured time, small functions last
  std::vector<OperationCheck> operations;  // by falling bytes; without those that are never called
  std::map<std::string, double> baseline_errors;  // relative, by name; empty without `whole`
};

/// Throws InputError when the runs are of another program. One entry per point of `runs`.
std::vector<Validation> validate(const Model& model, const Experiment& runs,
                                 double confidence = 0.8);

/// Each entry contains `warnings`, reasons to distrust the comparison.
Json to_json(const std::vector<Validation>& validations,
             const std::vector<std::string>& warnings = {});

}  // namespace apmt
