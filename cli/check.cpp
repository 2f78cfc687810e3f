// apmt check: compares predictions with thresholds, for scripts that depend on the exit code.

#include <cstdio>

#include "base/input_error.h"
#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/scenarios.h"
#include "cli/verbs.h"
#include "reports/sentences.h"
#include "reports/threshold.h"

namespace apmt {
namespace {

constexpr const char* kCheckFooter =
    "The exit code is 0 when every threshold is met at every process count, and 4 otherwise; the\n"
    "output states which is missed. A threshold is compared with the estimate, or with --sure\n"
    "with the worse end of its interval. At a profiled count, the measured time must meet\n"
    "--max-time, too.\n"
    "\n"
    "Examples:\n"
    "  apmt check --at 1024 --max-time 60\n"
    "  apmt check model.json --at 64,1024 --min-efficiency 0.6 --sure";

struct CheckArguments {
  std::filesystem::path path;
  ScenarioOptions scenarios;
  Thresholds thresholds;
  bool json = false;
  ExperimentOptions experiment;
};

int run_check(const CheckArguments& options) {
  if (!options.thresholds.max_time_s && !options.thresholds.min_efficiency)
    throw InputError("", "nothing to check", "give --max-time SECONDS or --min-efficiency SHARE");
  const Model model = load_model(options.path, options.experiment);
  const std::vector<Prediction> predictions = predict_all(model, options.scenarios);
  const std::vector<Verdict> verdicts = check_thresholds(predictions, options.thresholds);
  const std::vector<std::string> warnings = all_warnings(model, predictions);
  for (const std::string& warning : warnings) logging::warn("{}", warning);
  if (options.json) {
    std::fputs(format_json(to_json(verdicts, warnings)).c_str(), stdout);
  } else {
    for (const Verdict& verdict : verdicts) std::printf("%s\n", verdict.sentence.c_str());
  }
  for (const Verdict& verdict : verdicts)
    if (!verdict.is_met) return static_cast<int>(ExitCode::kThresholdNotMet);
  return 0;
}

}  // namespace

void add_check(CommandLine& program) {
  Verb verb = program.add_verb("check", "Compare predictions with thresholds");
  verb.footer(kCheckFooter);
  auto options = std::make_shared<CheckArguments>();
  verb.add_option("path", options->path,
                  "Model file or experiment directory [the newest experiment here]");
  add_scenario_options(verb, &options->scenarios, "--at").required();
  verb.add_option("--max-time", options->thresholds.max_time_s, "Longest time allowed, in seconds")
      .check(positive_number());
  verb.add_option("--min-efficiency", options->thresholds.min_efficiency,
                  "Lowest parallel efficiency allowed, relative to the fewest processes "
                  "profiled, e.g. 0.6")
      .check(number(0.0, 10.0));
  verb.add_flag("--sure", options->thresholds.sure, "Compare with the worse end of the interval");
  verb.add_flag("--json", options->json, "Print a list of verdicts as JSON");
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_check(*options); });
}

}  // namespace apmt
