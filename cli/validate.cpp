// apmt validate: compares predictions with runs to which the model was not fitted.

#include "fitter/prediction/validate.h"

#include <cmath>
#include <cstdio>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "campaign/store/run_directory.h"
#include "cli/arguments.h"
#include "cli/compared_runs.h"
#include "cli/experiment_path.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "reports/render.h"
#include "reports/sides.h"
#include "reports/validation.h"

namespace apmt {
namespace {

constexpr const char* kValidateFooter =
    "Prints the error and the interval of the total, of its parts and of each kernel, and the\n"
    "errors of the reference models. With --max-error the exit code is 4 when the error at any\n"
    "point is larger, except for runs that the model was fitted to.\n"
    "\n"
    "Examples:\n"
    "  apmt validate large/apmt-halo2d --model apmt-halo2d\n"
    "  apmt validate apmt-lu.D.256.p256.r1 apmt-lu.D.512.p512.r1 --model lu.json --same-program\n"
    "  apmt validate large/apmt-halo2d --model apmt-halo2d --max-error 0.15 --json";

struct ValidateArguments {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path model;
  double confidence_percent = 80;
  std::optional<double> max_error;
  bool same_program = false;
  bool json = false;
};

Experiment load_runs(const ValidateArguments& options, const Model& model) {
  std::vector<RunProfile> runs;
  for (const std::filesystem::path& path : options.runs) {
    Experiment part = load_experiment(experiment_dir(path), {.same_program = options.same_program});
    for (RunProfile& run : part.runs) {
      if (options.same_program) give_name(model.program, &run);
      runs.push_back(std::move(run));
    }
  }
  return make_experiment(std::move(runs), {.same_program = options.same_program});
}

/// How the runs differ from those of the model; empty if only a model file is given.
std::vector<std::string> cautions_of(const Experiment& runs, const ValidateArguments& options) {
  if (kind_of(options.model) == PathKind::kModel) return {};
  const std::filesystem::path dir = experiment_dir(options.model);
  const Experiment fitted = read_experiment(dir, {.same_program = true});
  std::set<std::string> clusters;
  for (const std::filesystem::path& path : options.runs) clusters.merge(virtual_clusters(path));
  return cautions_of_validation({fitted, virtual_clusters(dir)}, {runs, std::move(clusters)});
}

int run_validate(const ValidateArguments& options) {
  const Model model = load_model(options.model, {.same_program = options.same_program});
  const Experiment runs = load_runs(options, model);
  const std::vector<Validation> validations =
      validate(model, runs, options.confidence_percent / 100);
  const std::vector<std::string> cautions = cautions_of(runs, options);
  if (options.json)
    std::fputs(format_json(to_json(validations, cautions)).c_str(), stdout);
  else
    std::fputs(
        render_text(make_validation_report(model, validations, cautions), text_columns()).c_str(),
        stdout);
  if (options.max_error)
    for (const Validation& v : validations)
      if (!v.same_runs && (!v.whole || std::abs(v.whole->error()) > *options.max_error))
        return static_cast<int>(ExitCode::kThresholdNotMet);
  return 0;
}

}  // namespace

void add_validate(CommandLine& program) {
  Verb verb = program.add_verb("validate", "Compare a model with runs it has not seen");
  verb.footer(kValidateFooter);
  auto options = std::make_shared<ValidateArguments>();
  verb.add_option("runs", options->runs, "Experiment or run directories").required();
  verb.add_option("--model", options->model,
                  "Model file or experiment directory [the newest experiment here]");
  verb.add_option("--confidence", options->confidence_percent,
                  "Nominal coverage of the interval in percent")
      .check(number(1.0, 99.0))
      .shows_default();
  verb.add_option("--max-error", options->max_error,
                  "Largest relative error allowed for the total, e.g. 0.15")
      .check(positive_number());
  verb.add_flag("--same-program", options->same_program,
                "Treat different builds and names as the same program");
  verb.add_flag("--json", options->json, "Print a list of points as JSON");
  verb.action([options] { return run_validate(*options); });
}

}  // namespace apmt
