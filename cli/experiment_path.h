// The meaning of an optional path: a model, an experiment, a run, or the newest experiment in the
// working directory.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/store/collect.h"
#include "cli/arguments.h"
#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// The directory named by `path`; if empty, the newest experiment of the working directory.
std::filesystem::path experiment_dir(const std::filesystem::path& path);

/// Merges finished launches, with `as_is` also those that may still be written, and reports what
/// was not merged.
Collected merge_and_tell(const std::filesystem::path& dir, bool as_is);

/// The same, and reads all runs.
Experiment load_experiment(const std::filesystem::path& dir, const ExperimentOptions& options);

/// The work expression of apmt run --work, kept in the experiment for later fits; empty when none
/// was given.
void keep_work(const std::filesystem::path& dir, const std::string& expression);
std::string kept_work(const std::filesystem::path& dir);

/// The machine profile of apmt fit --machine, kept in the experiment for later fits.
void keep_machine(const std::filesystem::path& dir, const std::filesystem::path& profile);
/// Empty: none is kept.
std::filesystem::path kept_machine(const std::filesystem::path& dir);

/// The default options for fitting the runs in `dir`: work and machine profile as kept there.
FitOptions kept_fit_options(const std::filesystem::path& dir);

/// --same-program, for a verb that may have to fit runs itself.
void add_experiment_options(Verb verb, ExperimentOptions* options);

/// The model in a file, or in a directory if it is newer than every run there. Otherwise the runs
/// are fitted now, with default options, and nothing is written.
Model load_model(const std::filesystem::path& path, const ExperimentOptions& options = {});

}  // namespace apmt
