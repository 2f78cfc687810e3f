// The options that describe what to predict. All verbs that predict have them.
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
  // Figures of other machines ("what if"), as typed.
  std::string latency;
  std::string bandwidth;
  std::string frequency;
  std::string memory_latency;
  std::optional<int> cores_per_node;
  std::filesystem::path machine;
  std::filesystem::path profiled_on;
};

/// Adds --set, --scaling, --confidence, the "what if" options, and the process counts under the
/// name `procs`. Returns the last.
Argument add_scenario_options(Verb verb, ScenarioOptions* options,
                              const std::string& procs = "--procs");

/// The figures of the machine on which the runs were made, if --profiled-on names it.
std::optional<MachineFigures> profiled_on(const ScenarioOptions& options);

/// One scenario per process count of the options, or per default count if they have none.
std::vector<Scenario> scenarios_of(const Model& model, const ScenarioOptions& options);

/// One prediction per requested process count, or per default count of a report if there is
/// none.
std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options);
std::vector<Prediction> predict_all(const Predictor& predictor,
                                    const std::vector<Scenario>& scenarios);

}  // namespace apmt
