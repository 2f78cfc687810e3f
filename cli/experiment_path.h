// What the user means by an optional path: a model, an experiment, a run, or the newest experiment
// here.
#pragma once

#include <filesystem>
#include <string>

#include "campaign/store/collect.h"
#include "cli/arguments.h"
#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// The directory meant by `path`; the newest experiment of the working directory when empty.
std::filesystem::path experiment_dir(const std::filesystem::path& path);

/// Merges what has finished, `as_is` also what may go on, and says what was left.
Collected merge_and_tell(const std::filesystem::path& dir, bool as_is);

/// The same, and reads all runs.
Experiment load_experiment(const std::filesystem::path& dir, const ExperimentOptions& options);

/// The work expression of apmt run --work, kept in the experiment for later fits; empty when none
/// was given.
void keep_work(const std::filesystem::path& dir, const std::string& expression);
std::string kept_work(const std::filesystem::path& dir);

/// The machine profile of apmt fit --machine, kept in the experiment as well.
void keep_machine(const std::filesystem::path& dir, const std::filesystem::path& profile);
/// Empty: none is kept.
std::filesystem::path kept_machine(const std::filesystem::path& dir);

/// How the runs in `dir` are fitted when nothing else is asked for: with what is kept there.
FitOptions kept_fit_options(const std::filesystem::path& dir);

/// --same-program, of a verb that may have to fit runs itself.
void add_experiment_options(Verb verb, ExperimentOptions* options);

/// The model in a file, or in a directory when it is newer than every run there; otherwise the runs
/// are fitted now, with default options, and nothing is written.
Model load_model(const std::filesystem::path& path, const ExperimentOptions& options = {});

}  // namespace apmt
