// Fits all runs of an experiment, including those that apmt refine --frequency made.
#pragma once

#include <filesystem>

#include "fitter/model/fit_options.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Whether the experiment in `dir` has a folder with runs at other core frequencies.
bool has_frequency_runs(const std::filesystem::path& dir);

/// Refines a model of the experiment with these runs, if there are any. Runs that cannot be used
/// are left out with a warning. `same_program`: runs of other programs are of this program, too.
void refine_by_frequency_runs(const std::filesystem::path& dir, const Experiment& experiment,
                              const FitOptions& options, bool same_program, Model* model);

/// Fits the experiment, and refines the model with runs at other core frequencies.
Model fit_runs(const std::filesystem::path& dir, const Experiment& experiment,
               const FitOptions& options, bool same_program);

}  // namespace apmt
