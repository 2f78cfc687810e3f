// Refines the model of computation: fits CPI_core and the blocking factor BF_mem of each kernel to
// runs at several core frequencies, or to runs whose memory cycles per instruction differ, and adds
// them to the model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"
#include "profile/run_profile.h"
#include "refine/frequency_fit.h"
#include "refine/refinement_summary.h"

namespace apmt {

struct FrequencyRun {
  RunProfile profile;
  std::optional<double> asked_hz;  // the frequency that was set, if the folder's name states it
};

/// The profile.json of every run anywhere below a directory.
std::vector<std::filesystem::path> find_run_profiles(const std::filesystem::path& dir);

/// All runs anywhere below the directories. If a run is in a folder such as "2.40GHz", the folder's
/// name is taken as the frequency that was set for the run. Throws InputError when a directory
/// holds no run.
std::vector<FrequencyRun> read_frequency_runs(const std::vector<std::filesystem::path>& dirs);

/// The name of the folder for runs at a frequency, such as "2.40GHz", and the frequency of such a
/// name; absent for other names.
std::string frequency_folder(double frequency_hz);
std::optional<double> frequency_of_folder(const std::string& name);

/// Absent if it was not measured.
std::optional<RunFrequency> measured_frequency(const RunProfile& run);

/// Equation (3) of the APMT paper, over all levels of memory: stalled cycles / cycles that all
/// accesses would take if nothing overlapped. Absent unless stalls, the frequency, the accesses to
/// every level and their latencies are known.
std::optional<double> stalled_share_of_memory(const RunProfile& run, const KernelId& kernel,
                                              const MemoryCosts& costs);

/// Refines `model`, which `fit` made from `experiment`. `runs` are all runs, including those of the
/// experiment. The replaced values are kept in KernelModel::refined. If the model has a back-test,
/// it is made again. Throws InputError (exit 3) if no kernel has a CPI in any of the runs.
RefinementSummary refine_cpi(const Experiment& experiment, const std::vector<FrequencyRun>& runs,
                             const MemoryCosts& costs, const FitOptions& fit, Model* model);

}  // namespace apmt
