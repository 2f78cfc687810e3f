// The ways to refine a model, one function each; refine.cpp holds the options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "fitter/model.h"

namespace apmt {

/// The folder in an experiment, beside its runs, for runs at other core frequencies.
inline constexpr const char* kFrequencyFolder = "frequency";

struct RefineOptions {
  std::filesystem::path dir;  // the experiment
  bool frequency = false;
  bool plan = false;
  bool communication = false;
  std::optional<double> target_error;
  double budget_core_hours = 0;
  int at = 0;          // 0: four times the largest profiled count
  int most_procs = 0;  // 0: half of `at`, the process count to predict
  std::vector<std::filesystem::path> runs;
  std::filesystem::path machine;
  std::vector<double> frequencies_ghz;
  bool manual = false;
  bool restore = false;
  std::filesystem::path system_root = "/";  // where the kernel's files for frequencies are
  std::vector<int> procs;
  std::vector<std::string> sizes;
  int reps = 3;
  std::string cluster;
  std::string work;
  bool same_program = false;
  bool dry_run = false;
  bool json = false;
  std::vector<std::string> command;
};

/// The options with which the experiment's present model was fitted: work and threshold.
FitOptions fit_options_of(const std::filesystem::path& dir, const RefineOptions& options);

/// Reports the end of a campaign; returns the exit code, 0 if the campaign is complete.
int tell_end(const CampaignResult& result);

/// The next four functions implement the loop's step at other frequencies, whose runs are kept in
/// the experiment. This one returns how many runs the step will make; 0 if frequencies cannot be
/// set.
int frequency_runs_to_make(const RefineOptions& options, const Experiment& experiment,
                           const std::filesystem::path& dir);
int make_frequency_runs(const RefineOptions& options, const Experiment& experiment,
                        const std::filesystem::path& dir);
bool has_frequency_runs(const std::filesystem::path& dir);
void refine_by_all_runs(const std::filesystem::path& dir, const Experiment& experiment,
                        const FitOptions& fit, Model* model);

int restore_frequency(const RefineOptions& options);
int refine_by_frequency(const RefineOptions& options);
int refine_plan(const RefineOptions& options);
int refine_communication(const RefineOptions& options);
int refine_loop(const RefineOptions& options);

}  // namespace apmt
