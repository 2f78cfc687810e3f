// What an optional path on the command line means: a model, an experiment, a run, or (without a
// path) the newest experiment in the working directory.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/store/collect.h"
#include "cli/arguments.h"
#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// The directory `path`; if it is empty, the newest experiment in the working directory.
std::filesystem::path experiment_dir(const std::filesystem::path& path);

/// Merges finished launches (with `as_is`, also those that may still be written), and reports what
/// was not merged.
Collected merge_and_tell(const std::filesystem::path& dir, bool as_is);

/// The same, and reads all runs.
Experiment load_experiment(const std::filesystem::path& dir, const ExperimentOptions& options);

/// Keeps the work expression of apmt run --work in the experiment, for later fits; empty if none
/// was given.
void keep_work(const std::filesystem::path& dir, const std::string& expression);
std::string kept_work(const std::filesystem::path& dir);

/// Keeps the machine profile of apmt fit --machine in the experiment, for later fits.
void keep_machine(const std::filesystem::path& dir, const std::filesystem::path& profile);
/// Empty if no profile is kept.
std::filesystem::path kept_machine(const std::filesystem::path& dir);

/// The default options for fitting the runs in `dir`, with the work and machine profile kept there.
FitOptions kept_fit_options(const std::filesystem::path& dir);

/// Adds --same-program, for verbs that may have to fit runs themselves.
void add_experiment_options(Verb verb, ExperimentOptions* options);

/// The model in a file; or that in a directory, if it is newer than every run there. Otherwise fits
/// the runs now, with default options, and writes nothing.
Model load_model(const std::filesystem::path& path, const ExperimentOptions& options = {});

}  // namespace apmt
