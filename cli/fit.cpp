// apmt fit: fits a model to runs, writes model.json and prints the model.

#include "fitter/fit/fit.h"

#include <cstdio>

#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/fit_runs.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/scenarios.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fitter/model/fit_options.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kFitFooter =
    "Examples:\n"
    "  apmt fit\n"
    "  apmt fit apmt-halo2d -o halo.json\n"
    "  apmt fit study --work 'nx*ny*nz' --threshold 0.02\n"
    "  apmt fit study --machine node.yaml               costs of memory as apmt calibrate "
    "measured\n"
    "  apmt fit study --method paper -o paper.json      then apmt validate --model paper.json";

struct FitArguments {
  std::filesystem::path dir;
  std::filesystem::path output;
  std::string machine;
  FitOptions fit;
  ExperimentOptions experiment;
  bool json = false;
};

int run_fit(FitArguments options) {
  const std::filesystem::path dir = experiment_dir(options.dir);
  if (!options.machine.empty()) {
    const std::filesystem::path profile = machine_profile(options.machine);
    FitOptions ignored;
    use_machine(profile, &ignored);  // throws if the profile is invalid, before it is stored
    keep_machine(dir, profile);
  }
  const FitOptions kept = kept_fit_options(dir);
  options.fit.configs = kept.configs;
  options.fit.memory = kept.memory;
  options.fit.network = kept.network;
  if (options.fit.work.empty()) options.fit.work = kept.work;
  check_options(options.fit);
  const Model model = fit_runs(dir, load_experiment(dir, options.experiment), options.fit,
                               options.experiment.same_program);
  const std::filesystem::path output = options.output.empty() ? dir / "model.json" : options.output;
  write_model(model, output);
  if (options.json)
    std::fputs(format_json(to_json(model)).c_str(), stdout);
  else
    std::fputs(
        render_text(make_fit_report(model, predictions_for_laws(model)), text_columns()).c_str(),
        stdout);
  logging::info("model written to {}", output.lexically_normal().string());
  return 0;
}

}  // namespace

void add_fit(CommandLine& program) {
  Verb verb = program.add_verb("fit", "Fit a model to the runs of an experiment");
  verb.footer(kFitFooter);
  auto options = std::make_shared<FitArguments>();
  verb.add_option("dir", options->dir, "Experiment directory [the newest here]");
  verb.add_option("-o,--output", options->output,
                  "Model file to write [model.json in the experiment]");
  verb.add_option(
          "--threshold", options->fit.threshold,
          "Share of compute time, or of the run in its MPI calls, that makes a function a kernel")
      .check(number(0.0001, 1.0))
      .shows_default();
  verb.add_option("--work", options->fit.work, "Work as an expression of the sizes, e.g. nx*ny*nz");
  verb.add_option(
      "--machine", options->machine,
      "Profile of the machine of the runs (apmt calibrate), a file or a name: gives the costs of "
      "memory accesses; kept in the experiment [assumed costs]");
  verb.add_option("--method", options->fit.method,
                  "apmt: its own laws with intervals; paper: the forms of the APMT paper")
      .check(one_of({kOwnMethod, kPaperMethod}))
      .shows_default();
  add_experiment_options(verb, &options->experiment);
  verb.add_flag("--json", options->json, "Print the model as JSON");
  verb.action([options] { return run_fit(*options); });
}

}  // namespace apmt
