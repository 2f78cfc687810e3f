#include "service/refit.h"

#include <algorithm>
#include <set>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "fitter/model/model.h"
#include "fitter/runs/run_checks.h"
#include "service/database.h"
#include "service/forecast.h"
#include "service/program_history.h"
#include "service/report_page.h"

namespace apmt::service {
namespace {

std::vector<StoredRun> all_runs(Store& store, std::int64_t application) {
  constexpr int kAtOnce = 1000;
  std::vector<StoredRun> all;
  while (true) {
    const std::vector<StoredRun> some =
        store.runs_of(application, all.empty() ? 0 : all.back().number, kAtOnce);
    if (some.empty()) return all;
    all.insert(all.end(), some.begin(), some.end());
  }
}

RunProfile profile_of(Store& store, const StoredRun& run) {
  return profile_from_text(store.profile_of(run.number), "run " + run.id);
}

int judge_new_runs(Store& store, const std::vector<StoredRun>& runs,
                   const std::optional<ModelInfo>& standing) {
  std::optional<Model> model;
  std::set<std::int64_t> seen;
  if (standing) {
    model = model_from_json(parse_json(store.model_text(standing->id), "model"), "model");
    const std::vector<std::int64_t> of_model = store.runs_of_model(standing->id);
    seen.insert(of_model.begin(), of_model.end());
  }
  int judged = 0;
  for (const StoredRun& run : runs) {
    if (run.is_judged) continue;
    const bool is_blind = model && !seen.contains(run.number) && !run.taken_out_because;
    store.judge(run.number, is_blind ? std::optional(forecast_of(*model, profile_of(store, run),
                                                                 run, standing->id))
                                     : std::nullopt);
    judged += is_blind ? 1 : 0;
  }
  return judged;
}

/// The profiles of the runs to fit: the runs that are not excluded, without incomplete ones if
/// there are complete ones. `numbers` gets the numbers of all runs that are not excluded.
std::vector<RunProfile> runs_to_fit(Store& store, const std::string& name,
                                    const std::vector<StoredRun>& runs,
                                    std::vector<std::int64_t>* numbers,
                                    std::vector<std::string>* warnings) {
  std::vector<RunProfile> profiles;
  for (const StoredRun& run : runs) {
    if (run.taken_out_because) continue;
    profiles.push_back(profile_of(store, run));
    give_name(name, &profiles.back());
    numbers->push_back(run.number);
  }
  *warnings = leave_out_cut_off(&profiles);
  return profiles;
}

NewModel fitted(Store& store, const ApplicationState& state, const std::vector<StoredRun>& runs,
                const std::filesystem::path& configs) {
  NewModel made;
  made.application = state.application.id;
  made.change = state.change;
  std::vector<std::string> warnings;
  // All these runs are of one version, so differing build ids are no reason for a warning.
  Experiment experiment = make_experiment(
      runs_to_fit(store, state.application.labels.name, runs, &made.runs, &warnings),
      {.same_program = true});
  experiment.warnings.insert(experiment.warnings.begin(), warnings.begin(), warnings.end());
  FitOptions options;
  options.configs = configs;
  const Model model = fit(experiment, options);
  made.model = format_json(to_json(model));
  made.report = report_page(model, experiment);
  made.sparkline = sparkline_text(sparkline_of(model));
  made.max_procs = model.max_procs();
  made.is_good = true;
  return made;
}

}  // namespace

Refit refit(Store& store, std::int64_t application, const std::filesystem::path& configs) {
  const std::optional<ApplicationState> state = store.application(application);
  if (!state) throw InputError("", "there is no application " + std::to_string(application));
  const std::vector<StoredRun> runs = all_runs(store, application);
  Refit result;
  result.judged = judge_new_runs(store, runs, state->newest_good);
  NewModel made;
  try {
    made = fitted(store, *state, runs, configs);
  } catch (const DatabaseLost&) {
    throw;  // the runs are not the cause
  } catch (const InputError& error) {
    made = {};
    made.application = application;
    made.change = state->change;
    made.message = error.what();
  }
  result.is_good = made.is_good;
  result.message = made.message;
  store.add_model(made);
  update_history(store, state->application);
  return result;
}

}  // namespace apmt::service
