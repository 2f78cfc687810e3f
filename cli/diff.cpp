// apmt diff: compares two experiments or models of one program, and shows what became slower.

#include <cstdio>
#include <optional>

#include "base/input_error.h"
#include "campaign/store/run_directory.h"
#include "cli/arguments.h"
#include "cli/compared_runs.h"
#include "cli/experiment_path.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fitter/fit/measured_model.h"
#include "fitter/model/fit_options.h"
#include "reports/difference.h"
#include "reports/render.h"
#include "reports/sides.h"

namespace apmt {
namespace {

constexpr const char* kDiffFooter =
    "Compares the measured times (elapsed, kernels, communication) at every process count and\n"
    "size that both have. A change is significant when it is larger than --threshold and chance\n"
    "would show it in less than 5 % of cases, over all comparisons (Welch's test on logarithms,\n"
    "Holm's correction). This needs repetitions: apmt run --reps 5. With --fail the exit code is\n"
    "4 when the elapsed time grew significantly.\n"
    "\n"
    "Examples:\n"
    "  apmt diff before/apmt-halo2d after/apmt-halo2d\n"
    "  apmt diff old.json new.json --threshold 0.05 --fail";

struct DiffArguments {
  std::filesystem::path before;
  std::filesystem::path after;
  DifferenceOptions difference;
  ExperimentOptions experiment;
  bool fail = false;
  bool json = false;
};

struct Side {
  Model model;
  std::optional<Experiment> experiment;  // absent if there is only a model
  std::set<std::string> clusters = {};   // as ComparedRuns::clusters
};

/// Loads one of the two things to compare. Runs with only one process count cannot be fitted, but
/// their measured times can be compared.
Side load(const std::filesystem::path& path, const ExperimentOptions& runs) {
  if (kind_of(path) == PathKind::kModel) return {read_model(path), std::nullopt};
  const std::filesystem::path dir = experiment_dir(path);
  Experiment experiment = load_experiment(dir, runs);
  if (experiment.process_counts().size() > 1)
    return {load_model(dir, runs), std::move(experiment), virtual_clusters(dir)};
  FitOptions options;
  options.work = kept_work(dir);
  Model model = measured_model(experiment, options);
  return {std::move(model), std::move(experiment), virtual_clusters(dir)};
}

std::vector<std::string> cautions_of(const Side& before, const Side& after) {
  if (!before.experiment || !after.experiment) return {};
  return cautions({*before.experiment, before.clusters}, {*after.experiment, after.clusters});
}

int run_diff(const DiffArguments& options) {
  const Side before = load(options.before, options.experiment);
  const Side after = load(options.after, options.experiment);
  const std::vector<Change> changes = compare(before.model, after.model, options.difference);
  const std::vector<std::string> cautions = cautions_of(before, after);
  if (options.json) {
    std::fputs(format_json(to_json(changes, cautions)).c_str(), stdout);
  } else {
    Report report = make_difference_report(before.model, after.model, changes);
    report.warnings.insert(report.warnings.end(), cautions.begin(), cautions.end());
    std::fputs(render_text(report, text_columns()).c_str(), stdout);
  }
  if (options.fail)
    for (const Change& change : changes)
      if (change.what == "elapsed" && change.is_significant && change.difference_s > 0)
        return static_cast<int>(ExitCode::kThresholdNotMet);
  return 0;
}

}  // namespace

void add_diff(CommandLine& program) {
  Verb verb = program.add_verb("diff", "Show what changed between two experiments or models");
  verb.footer(kDiffFooter);
  auto options = std::make_shared<DiffArguments>();
  verb.add_option("before", options->before, "Experiment or model").required();
  verb.add_option("after", options->after, "Experiment or model").required();
  verb.add_option("--threshold", options->difference.threshold,
                  "Smallest change that counts, as a share of the elapsed time")
      .check(number(0.0, 1.0))
      .shows_default();
  verb.add_flag("--fail", options->fail, "End with 4 when the elapsed time grew significantly");
  add_experiment_options(verb, &options->experiment);
  verb.add_flag("--json", options->json, "Print all comparisons as JSON");
  verb.action([options] { return run_diff(*options); });
}

}  // namespace apmt
