// Finds and loads what an optional path on the command line names: a model, an experiment, a run,
// or (without a path) the newest experiment in the working directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/store/collect.h"
#include "cli/arguments.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Returns the newest experiment in the working directory, except `others`. If there are several,
/// tells the user which one it is.
std::filesystem::path newest_experiment_here(const std::vector<std::filesystem::path>& others = {});

/// Returns `path`, after checking that it is an experiment or a run. If `path` is empty, returns
/// the newest experiment in the working directory.
std::filesystem::path experiment_dir(const std::filesystem::path& path);

/// Merges the recordings of finished launches into runs, and prints what was merged and what was
/// not. With `as_is`, also merges launches whose processes may still be writing.
Collected merge_and_tell(const std::filesystem::path& dir, bool as_is);

/// What to do with recordings that are not merged yet.
enum class Unmerged {
  kMerge,
  kLeave,  // for commands that only read: a warning says that the recordings are not used
};

/// Reads all runs of an experiment; with kMerge, merges finished launches first.
Experiment load_experiment(const std::filesystem::path& dir, const ExperimentOptions& options,
                           Unmerged unmerged = Unmerged::kMerge);

/// Stores the work expression of apmt run --work in the experiment, for later fits.
void keep_work(const std::filesystem::path& dir, const std::string& expression);
/// The stored work expression; empty if there is none.
std::string kept_work(const std::filesystem::path& dir);

/// Stores the machine profile of apmt fit --machine in the experiment, for later fits.
void keep_machine(const std::filesystem::path& dir, const std::filesystem::path& profile);
/// The path of the stored machine profile; empty if there is none.
std::filesystem::path kept_machine(const std::filesystem::path& dir);

/// The default options for fitting the runs in `dir`, with the machine profile and the expression
/// of the work (--work) that are stored there.
FitOptions kept_fit_options(const std::filesystem::path& dir);
/// Takes the costs of memory accesses and messages from a machine profile. Throws InputError if the
/// file is not one.
void use_machine(const std::filesystem::path& profile, FitOptions* options);

/// Adds --same-program, for verbs that may have to fit runs themselves.
void add_experiment_options(Verb verb, ExperimentOptions* options);

/// Reads the model from a model file, or from the directory of an experiment if its model is newer
/// than all its runs and their analyses (finished launches are merged into runs first, unless
/// `unmerged` is kLeave). Otherwise fits the runs with kept_fit_options and writes no model.
Model load_model(const std::filesystem::path& path, const ExperimentOptions& options = {},
                 Unmerged unmerged = Unmerged::kMerge);

}  // namespace apmt
