// apmt refine --plan ranks the runs to make next. apmt refine --communication makes runs at two
// further process counts, as in the APMT paper: one to refit the model, one to validate it.

#include <algorithm>
#include <cstdio>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/fit_runs.h"
#include "cli/refine.h"
#include "cli/refine_runs.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/validate.h"
#include "refine/next_run.h"
#include "reports/next_runs.h"
#include "reports/validation.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kValidationFolder = "validation";  // runs here are never fitted

const char* word(NextRun::Kind kind) {
  switch (kind) {
    case NextRun::Kind::kSmallData:
      return "small data";
    case NextRun::Kind::kSlowCore:
      return "slow core";
    case NextRun::Kind::kLargerCaches:
      return "larger caches";
    case NextRun::Kind::kAsProfiled:
      break;
  }
  return "as profiled";
}

Json to_json(const Model& model, const NextRun& run) {
  Json json = to_json(run);
  json["run"] = word(run.kind);
  json["verdict"] = run.verdict ? Json{{"kernel", model.kernels.at(run.verdict->kernel).name},
                                       {"bound", run.verdict->bound},
                                       {"probability", run.verdict->probability},
                                       {"expected_probability", run.verdict->expected_probability}}
                                : Json();
  return json;
}

}  // namespace

int refine_plan(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const Model model = load_model(dir, {.same_program = options.same_program}, options.unmerged());
  const NextRunOptions next = next_options(options, model);
  const NextRunsSummary next_runs{
      next.at,
      ScenarioSizes(model, {.procs = next.at, .params = {}, .scaling = {}}).params_at(next.at),
      next.reps, plan_runs(model, next)};
  if (options.json) {
    Json list = Json::array();
    for (const NextRun& run : next_runs.runs) list.push_back(to_json(model, run));
    std::fputs(format_json({{"at", next.at}, {"params", next_runs.params}, {"runs", list}}).c_str(),
               stdout);
    return 0;
  }
  print(make_next_runs_report(model, next_runs));
  // Other kinds of runs need another command.
  const auto usual = std::find_if(
      next_runs.runs.begin(), next_runs.runs.end(),
      [](const NextRun& run) { return run.kind == NextRun::Kind::kAsProfiled && run.gain() > 0; });
  if (usual != next_runs.runs.end()) print_job_script(options, dir, usual->procs);
  return 0;
}

int refine_communication(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const FitOptions fit_options = fit_options_of(dir, options);
  const Model before = fit_runs(
      dir, load_experiment(dir, {.same_program = options.same_program}, options.unmerged()),
      fit_options, options.same_program);
  NextRunOptions next = next_options(options, before);
  next.width = [](const Prediction& p) {
    double width = 0;
    for (const auto* part : {&p.parts.comm_p2p, &p.parts.comm_coll, &p.parts.comm_other})
      if (*part) width += (*part)->high_s - (*part)->low_s;
    return width;
  };
  std::vector<NextRun> runs = rank_next_runs(before, next);
  std::erase_if(runs, [](const NextRun& run) { return !run.is_new; });
  if (runs.size() < 2)
    throw InputError("", "no two further process counts are within reach",
                     "--most-procs N, or --procs P,Q", ExitCode::kNotEnoughData);
  runs.resize(2);
  // The run at the larger process count is for validation, because it is the harder test.
  if (runs[0].procs > runs[1].procs) std::swap(runs[0], runs[1]);
  std::printf("%s to refit with (%s), %s to validate with (%s).\n",
              processes(runs[0].procs).c_str(), core_hours_text(runs[0].core_hours).c_str(),
              processes(runs[1].procs).c_str(), core_hours_text(runs[1].core_hours).c_str());
  if (options.command.empty() || options.dry_run) {
    for (const NextRun& run : runs) print_job_script(options, dir, run.procs);
    return 0;
  }
  if (const int code = make_runs(options, dir, runs[0].procs); code != 0) return code;
  if (const int code = make_runs(options, dir / kValidationFolder, runs[1].procs); code != 0)
    return code;
  const Model after = fit_runs(dir, load_experiment(dir, {.same_program = options.same_program}),
                               fit_options, options.same_program);
  write_model(after, dir / "model.json");
  const Experiment unseen =
      read_experiment(dir / kValidationFolder, {.same_program = options.same_program});
  for (const auto& [model, when] : {std::pair(&before, "Before"), std::pair(&after, "After")}) {
    std::printf("\n%s:\n", when);
    print(make_validation_report(*model, validate(*model, unseen)));
  }
  return 0;
}

}  // namespace apmt
