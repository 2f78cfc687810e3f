// The options that describe what to predict, shared by every verb that predicts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "fitter/prediction.h"

namespace apmt {

struct ScenarioOptions {
  std::vector<int> procs;
  std::vector<std::string> sizes;
  std::string scaling;
  double confidence_percent = 80;
  // What-ifs, as typed.
  std::string latency;
  std::string bandwidth;
  std::string frequency;
  std::string memory_latency;
  std::optional<int> cores_per_node;
  std::filesystem::path machine;
  std::filesystem::path profiled_on;
};

/// Adds --set, --scaling, --confidence, the what-ifs and the process counts, under the name
/// `procs`, which it returns.
Argument add_scenario_options(Verb verb, ScenarioOptions* options,
                              const std::string& procs = "--procs");

/// The machine of the runs, when --profiled-on names it.
std::optional<MachineFigures> profiled_on(const ScenarioOptions& options);

/// What the options ask for: one scenario per process count, of the default ones when none is.
std::vector<Scenario> scenarios_of(const Model& model, const ScenarioOptions& options);

/// One prediction per process count asked for, or for the defaults that a report shows when none
/// is.
std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options);
std::vector<Prediction> predict_all(const Predictor& predictor,
                                    const std::vector<Scenario>& scenarios);

}  // namespace apmt
