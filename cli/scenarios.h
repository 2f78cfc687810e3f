// The options that describe what to predict, shared by every verb that predicts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

struct ScenarioOptions {
  std::vector<int> procs;
  std::vector<std::string> sizes;
  std::string scaling;
  double confidence_percent = 80;
};

/// Adds --set, --scaling, --confidence and the process counts, under the name `procs`, which it returns.
CLI::Option* add_scenario_options(CLI::App& verb, ScenarioOptions* options,
                                  const std::string& procs = "--procs");

/// One prediction per process count asked for, or for the defaults that a report shows when none
/// is.
std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options);

}  // namespace apmt
