// apmt report: prints the full report as text or JSON, or writes it as one self-contained HTML page
// or as CSV.

#include "reports/report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "campaign/batch/job_scripts.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/scenarios.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fitter/prediction/evaluation_table.h"
#include "refine/ahead.h"
#include "reports/kernel_pictures.h"
#include "reports/process_counts.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kReportFooter =
    "Examples:\n"
    "  apmt report\n"
    "  apmt report apmt-halo2d --procs 64,256 --html halo.html\n"
    "  apmt report --analysis analysis.json --profiled-on machine.yaml --html halo.html\n"
    "  apmt report model.json --csv - > table.csv\n"
    "  apmt report --json > report.json";

struct ReportArguments {
  std::filesystem::path path;
  std::filesystem::path analysis;
  ScenarioOptions scenarios;
  std::string html;
  std::string csv;
  bool json = false;
  ExperimentOptions experiment;
};

/// Writes to the file `target`, or to standard output if it is "-".
void deliver(const std::string& content, const std::string& target) {
  if (target == "-") {
    std::fputs(content.c_str(), stdout);
    return;
  }
  write_file_atomically(target, content);
  logging::info("report written to {}",
                std::filesystem::absolute(target).lexically_normal().string());
}

/// The runs of the model; absent if `path` is a model file. same_program suppresses the warning
/// about different builds, because the model contains it already.
std::optional<Experiment> runs_behind(const std::filesystem::path& path) {
  if (!path.empty() && std::filesystem::is_regular_file(path)) return std::nullopt;
  return load_experiment(experiment_dir(path), {.same_program = true});
}

/// The analysis that was given, or else that in the experiment; empty: none.
std::filesystem::path analysis_file(const ReportArguments& options) {
  if (!options.analysis.empty()) return options.analysis;
  if (!options.path.empty() && std::filesystem::is_regular_file(options.path)) return {};
  const std::filesystem::path file = experiment_dir(options.path) / "analysis.json";
  return std::filesystem::exists(file) ? file : std::filesystem::path();
}

int run_report(const ReportArguments& options) {
  const Model model = load_model(options.path, options.experiment);
  const std::optional<Experiment> experiment = runs_behind(options.path);
  const std::vector<Prediction> predictions = predict_all(model, options.scenarios);
  std::vector<int> asked;
  for (const Prediction& prediction : predictions) asked.push_back(prediction.procs);
  ScenarioOptions between = options.scenarios;
  between.procs = curve_procs(model, asked);
  std::optional<MachineProfile> machine;
  if (!options.scenarios.profiled_on.empty())
    machine = read_machine_profile(machine_profile(options.scenarios.profiled_on));
  const std::vector<Scenario> scenarios = scenarios_of(model, options.scenarios);
  const Scenario& farthest =
      *std::max_element(scenarios.begin(), scenarios.end(),
                        [](const auto& a, const auto& b) { return a.procs < b.procs; });
  const Predictor predictor(model);
  Ahead ahead = look_beyond(predictor, model, farthest);
  ahead.changes = halved_costs(model, predictor, farthest);
  Report report = make_report(model, predictions, experiment ? &*experiment : nullptr,
                              predict_all(model, between), machine ? &*machine : nullptr, &ahead);
  if (const std::filesystem::path file = analysis_file(options); !file.empty())
    add_analysed_kernels(kernels::read_analysis(file),
                         kernels::read_analysis(configs_dir() / "kernels" / "reference.json"),
                         machine ? &*machine : nullptr, &report);
  if (!options.html.empty()) {
    // The sliders of the page start from the profiled machine. So the page has none if the report
    // itself is about a what-if (another machine).
    if (!farthest.what_if.any()) {
      report.evaluation = evaluation_table(model, farthest, profiled_on(options.scenarios));
      const std::filesystem::path path =
          options.path.empty() ? experiment_dir(options.path) : options.path;
      (*report.evaluation)["model"] = shell_words({path.string()});
    }
  }
  if (!options.html.empty()) deliver(render_html(report), options.html);
  if (!options.csv.empty()) deliver(render_csv(report), options.csv);
  if (options.json) deliver(format_json(to_json(report)), "-");
  if (options.html.empty() && options.csv.empty() && !options.json)
    deliver(render_text(report, text_columns(), ::isatty(STDOUT_FILENO) == 1), "-");
  return 0;
}

}  // namespace

void add_report(CommandLine& program) {
  Verb verb =
      program.add_verb("report", "Show model and predictions, in the terminal or as a page");
  verb.footer(kReportFooter);
  auto options = std::make_shared<ReportArguments>();
  verb.add_option("path", options->path,
                  "Model file or experiment directory [the newest experiment here]");
  verb.add_option("--analysis", options->analysis,
                  "Analysis of apmt analyze, whose kernels are added [analysis.json of the "
                  "experiment]")
      .check(existing_file());
  add_scenario_options(verb, &options->scenarios);
  verb.add_option("--html", options->html, "Write one self-contained page to this file");
  verb.add_option("--csv", options->csv, "Write the tables as CSV to this file");
  verb.add_flag("--json", options->json,
                "Print the whole report as JSON, each figure with its source");
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_report(*options); });
}

}  // namespace apmt
