// The options that say what to predict. All verbs that predict share them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

struct ScenarioOptions {
  std::vector<int> procs;
  std::vector<std::string> sizes;
  std::string scaling;
  double confidence_percent = 80;
  // Figures of another machine ("what if"), as the user typed them.
  std::string latency;
  std::string bandwidth;
  std::string frequency;
  std::string memory_latency;
  std::string memory_bandwidth;
  std::optional<int> cores_per_node;
  std::filesystem::path machine;
  std::filesystem::path profiled_on;
};

/// Adds --set, --scaling, --confidence, the "what if" options, and the option for process counts,
/// which is named `procs`. Returns this last option.
Argument add_scenario_options(Verb verb, ScenarioOptions* options,
                              const std::string& procs = "--procs");

/// The figures of the machine on which the runs were made; absent without --profiled-on.
std::optional<MachineFigures> profiled_on(const ScenarioOptions& options);

/// One scenario for each process count of the options; if they have none, for each count of
/// default_procs.
std::vector<Scenario> scenarios_of(const Model& model, const ScenarioOptions& options);

/// One prediction for each scenario of scenarios_of.
std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options);
std::vector<Prediction> predict_all(const Predictor& predictor,
                                    const std::vector<Scenario>& scenarios);

/// Predictions from the fewest profiled processes to 8 times the most. `apmt fit` and `apmt info`
/// derive the readable laws of kernels from them. Empty if the model has no kernels or cannot
/// predict.
std::vector<Prediction> predictions_for_laws(const Model& model);

}  // namespace apmt
