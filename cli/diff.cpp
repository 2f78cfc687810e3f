// apmt diff: two experiments or models of one program, and what got slower between them.

#include <cstdio>

#include "base/input_error.h"
#include "campaign/run_directory.h"
#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/verbs.h"
#include "fitter/measured_model.h"
#include "reports/difference.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kFooter =
    "Compares the measured times (elapsed, kernels, communication) at every process count and\n"
    "size that both have. A change is significant when it is larger than --threshold and chance\n"
    "would show it in less than 5 % of cases, over all comparisons (Welch's test on logarithms,\n"
    "Holm's correction). This needs repetitions: apmt run --reps 5. With --fail the exit code is\n"
    "4 when the elapsed time grew significantly.\n"
    "\n"
    "Examples:\n"
    "  apmt diff before/apmt-halo2d after/apmt-halo2d\n"
    "  apmt diff old.json new.json --threshold 0.05 --fail";

struct Options {
  std::filesystem::path before;
  std::filesystem::path after;
  DifferenceOptions difference;
  bool fail = false;
  bool json = false;
};

/// Where runs of one process count are all there is, what was measured can still be compared.
Model load(const std::filesystem::path& path) {
  if (kind_of(path) == PathKind::kModel) return read_model(path);
  const std::filesystem::path dir = experiment_dir(path);
  const Experiment experiment = load_experiment(dir, {});
  if (experiment.process_counts().size() > 1) return load_model(dir);
  FitOptions options;
  options.work = kept_work(dir);
  return measured_model(experiment, options);
}

int run(const Options& options) {
  const Model before = load(options.before);
  const Model after = load(options.after);
  const std::vector<Change> changes = compare(before, after, options.difference);
  if (options.json)
    std::fputs(format_json(to_json(changes)).c_str(), stdout);
  else
    std::fputs(render_text(make_difference_report(before, after, changes)).c_str(), stdout);
  if (options.fail)
    for (const Change& change : changes)
      if (change.what == "elapsed" && change.is_significant && change.difference_s > 0)
        return static_cast<int>(ExitCode::kThresholdNotMet);
  return 0;
}

}  // namespace

void add_diff(CommandLine& program) {
  Verb verb = program.add_verb("diff", "Show what changed between two experiments or models");
  verb.footer(kFooter);
  auto options = std::make_shared<Options>();
  verb.add_option("before", options->before, "Experiment or model").required();
  verb.add_option("after", options->after, "Experiment or model").required();
  verb.add_option("--threshold", options->difference.threshold,
                  "Smallest change that counts, as a share of the elapsed time")
      .check(number(0.0, 1.0))
      .shows_default();
  verb.add_flag("--fail", options->fail, "End with 4 when the elapsed time grew significantly");
  verb.add_flag("--json", options->json, "Print all comparisons as JSON");
  verb.action([options] { return run(*options); });
}

}  // namespace apmt
