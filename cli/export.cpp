// apmt export: writes measurements in the formats of other tools, and models as formulas.

#include "foreign/export.h"

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/words.h"
#include "campaign/store/run_directory.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"
#include "reports/call_stacks.h"
#include "reports/formula_text.h"
#include "reports/profile_export.h"

namespace apmt {
namespace {

constexpr const char* kExportFooter =
    "Measurements are means over ranks, one value per repetition. Times are exclusive: functions\n"
    "outside MPI and MPI operations add up to the CPU time of the main part. apmt import reads\n"
    "both formats back.\n"
    "Formulas describe the fitted model, with sizes as in the campaign, from 2 processes to 64\n"
    "times the most profiled; each states its deviation from apmt predict.\n"
    "\n"
    "Examples:\n"
    "  apmt export > halo2d.jsonl                    the newest experiment, for Extra-P\n"
    "  apmt export apmt-halo2d --format extrap > halo2d.txt\n"
    "  apmt export apmt-halo2d --total               elapsed times only\n"
    "  apmt export apmt-halo2d --format hatchet --to for-thicket\n"
    "  apmt export apmt-halo2d --format python > halo2d.py; python3 halo2d.py 64 128";

struct ExportArguments {
  std::filesystem::path dir;
  std::string format = "jsonl";
  bool total = false;
  std::filesystem::path folder;
  ExperimentOptions experiment;
};

void tell_left_out_mpi(std::size_t runs) {
  if (runs > 0)
    logging::warn(
        "the time in MPI of {} is left out: with more ranks than cores, it is mostly waiting",
        counted(runs, "run"));
}

/// Writes one file for each run, because Thicket reads and combines such files.
int export_hatchet(const ExportArguments& options) {
  if (options.folder.empty())
    throw InputError(
        "", "--format hatchet writes a file for each run",
        "say where: --to FOLDER (one run on standard output: apmt info RUN --hatchet)");
  const Experiment experiment = load_experiment(experiment_dir(options.dir), options.experiment);
  std::filesystem::create_directories(options.folder);
  for (const RunProfile& run : experiment.runs)
    write_file_atomically(options.folder / (run_name(run) + ".json"), render_hatchet(run));
  logging::info("{} written into {}", counted(experiment.runs.size(), "file"),
                options.folder.string());
  tell_left_out_mpi(static_cast<std::size_t>(
      std::count_if(experiment.runs.begin(), experiment.runs.end(), leaves_out_mpi)));
  return 0;
}

/// The number of runs with MPI calls for which values_of() gives no times in MPI. If one run of a
/// point had more ranks than cores, all runs of that point get none.
std::size_t runs_without_mpi_time(const Experiment& experiment) {
  std::size_t count = 0;
  for (const ExperimentPoint& point : experiment.points)
    for (const std::size_t run : point.runs)
      if (point.oversubscribed && !experiment.runs[run].mpi.empty()) ++count;
  return count;
}

bool is_of_models(const std::string& format) {
  return format == "python" || format == "latex" || format == "extrap-text";
}

int export_model(const ExportArguments& options) {
  const Model model = load_model(options.dir, options.experiment);
  const ModelFormulas formulas = formulas_of(model);
  const std::string text = options.format == "python"  ? formulas_as_python(formulas)
                           : options.format == "latex" ? formulas_as_latex(formulas)
                                                       : formulas_as_extrap_text(formulas);
  std::fputs(text.c_str(), stdout);
  return 0;
}

int run_export(const ExportArguments& options) {
  if (options.format == "hatchet") return export_hatchet(options);
  if (!options.folder.empty())
    throw InputError("--to", "applies to --format hatchet; other formats go to standard output");
  if (is_of_models(options.format)) {
    if (options.total)
      throw InputError("",
                       "--total applies to measurements; a model's formulas add up to the total");
    return export_model(options);
  }
  const Experiment experiment = load_experiment(experiment_dir(options.dir), options.experiment);
  std::vector<std::string> unknown;
  const std::vector<ForeignValues> values =
      values_of(experiment, options.total ? ExportOf::kTotal : ExportOf::kParts, &unknown);
  if (values.empty())
    throw InputError("", "no function and no MPI call was recorded in these runs",
                     "--total exports the elapsed time", ExitCode::kNotEnoughData);
  std::vector<std::string> left_out;
  const std::string text =
      options.format == "jsonl" ? to_extrap_json_lines(values) : to_extrap_text(values, &left_out);
  std::fputs(text.c_str(), stdout);
  if (!options.total) tell_left_out_mpi(runs_without_mpi_time(experiment));
  if (!unknown.empty())
    logging::warn("{} left out, because some repetitions lack them, e.g. {}",
                  counted(unknown.size(), "series is", "series are"), unknown.front());
  if (!left_out.empty())
    logging::warn(
        "{} of the series lack a value at some point and are left out, e.g. {}; --format jsonl "
        "includes them",
        left_out.size(), left_out.front());
  return 0;
}

}  // namespace

void add_export(CommandLine& program) {
  Verb verb = program.add_verb(kExport.name, kExport.help);
  verb.footer(kExportFooter);
  auto options = std::make_shared<ExportArguments>();
  verb.add_option("dir", options->dir, "Experiment directory [the newest here]");
  verb.add_option(
          "--format", options->format,
          "Measurements: jsonl (Extra-P's JSON Lines), extrap (its text format); the model as "
          "formulas: python, latex, extrap-text; hatchet: a file for each run, for Hatchet and "
          "Thicket")
      .check(one_of({"jsonl", "extrap", "hatchet", "python", "latex", "extrap-text"}))
      .shows_default();
  verb.add_option("--to", options->folder, "Folder for the files of --format hatchet");
  verb.add_flag("--total", options->total, "Only the elapsed time of the program");
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_export(*options); });
}

}  // namespace apmt
