// The kinds of refinement of apmt refine, one function each. refine.cpp declares the options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "cli/experiment_path.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"

namespace apmt {

/// The folder in an experiment that contains runs at other core frequencies.
inline constexpr const char* kFrequencyFolder = "frequency";

struct RefineOptions {
  std::filesystem::path dir;  // the experiment
  bool frequency = false;
  bool plan = false;
  bool communication = false;
  std::optional<double> target_error;
  double budget_core_hours = 0;
  int at = 0;          // the process count to predict; 0: four times the largest profiled count
  int most_procs = 0;  // the most processes that runs may have; 0: half of `at`
  std::vector<std::filesystem::path> runs;
  std::filesystem::path machine;
  std::vector<double> frequencies_ghz;
  bool manual = false;
  bool restore = false;
  std::filesystem::path system_root = "/";  // contains /sys with the files for core frequencies
  std::vector<int> procs;
  std::vector<std::string> sizes;
  int reps = 3;
  std::string cluster;
  std::string work;
  bool same_program = false;
  bool dry_run = false;
  bool json = false;
  std::vector<std::string> command;

  /// --plan and --dry-run change nothing: they leave recordings unmerged.
  Unmerged unmerged() const { return plan || dry_run ? Unmerged::kLeave : Unmerged::kMerge; }
};

/// Options to fit the experiment again: the work and the threshold for kernels (FitOptions) of its
/// present model, and the costs in the machine profile that is stored in the experiment. If
/// `options` give a work or a machine profile, these are used instead.
FitOptions fit_options_of(const std::filesystem::path& dir, const RefineOptions& options);

/// Prints how a campaign ended if it is not complete. Returns the exit code, 0 if it is complete.
int tell_end(const CampaignResult& result);

/// The next two functions belong to the step of the loop (--target-error) that makes runs at other
/// core frequencies, in kFrequencyFolder. The first returns how many runs the step will make; 0 if
/// it can make none, for example because frequencies cannot be set.
int frequency_runs_to_make(const RefineOptions& options, const Experiment& experiment,
                           const std::filesystem::path& dir);
int make_frequency_runs(const RefineOptions& options, const Experiment& experiment,
                        const std::filesystem::path& dir);

int restore_frequency(const RefineOptions& options);
int refine_by_frequency(const RefineOptions& options);
int refine_plan(const RefineOptions& options);
int refine_communication(const RefineOptions& options);
int refine_loop(const RefineOptions& options);

}  // namespace apmt
