#include "cli/fit_runs.h"

#include "base/input_error.h"
#include "cli/logging.h"
#include "cli/refine.h"
#include "fitter/fit/fit.h"
#include "refine/cpi_refinement.h"
#include "refine/frequency_campaign.h"

namespace apmt {

namespace fs = std::filesystem;

bool has_frequency_runs(const fs::path& dir) {
  return !find_run_profiles(dir / kFrequencyFolder).empty();
}

void refine_by_frequency_runs(const fs::path& dir, const Experiment& experiment,
                              const FitOptions& options, bool same_program, Model* model) {
  const fs::path folder = dir / kFrequencyFolder;
  if (options.method != kOwnMethod || !has_frequency_runs(dir)) return;
  std::vector<FrequencyRun> runs;
  for (const RunProfile& run : experiment.runs) runs.push_back({run, std::nullopt});
  try {
    for (FrequencyRun& run : read_frequency_runs({folder})) {
      if (same_program) give_name(experiment.program, &run.profile);
      if (run.profile.program == experiment.program)
        runs.push_back(std::move(run));
      else
        logging::warn("not used, because it is of {}: a run in {}", run.profile.program,
                      folder.string());
    }
    refine_cpi(experiment, runs, options.memory, options, model);
  } catch (const InputError& error) {
    logging::warn("the runs in {} are not used: {}", folder.string(), error.what());
  }
}

Model fit_runs(const fs::path& dir, const Experiment& experiment, const FitOptions& options,
               bool same_program) {
  Model model;
  try {
    model = fit(experiment, options);
  } catch (const InputError& error) {  // of runs whose folder the fitter does not know
    throw InputError(dir.lexically_normal().string(), error.what(), error.hint(), error.code());
  }
  refine_by_frequency_runs(dir, experiment, options, same_program, &model);
  return model;
}

}  // namespace apmt
