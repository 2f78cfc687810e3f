// apmt info: shows what a path contains: a recording (also of a rank that still runs), a run, an
// experiment or a model.

#include <cstdio>

#include "base/input_error.h"
#include "campaign/store/collect.h"
#include "campaign/store/run_directory.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "cli/scenarios.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "reports/call_stacks.h"
#include "reports/profile_export.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kInfoFooter =
    "Examples:\n"
    "  apmt info                                 the newest experiment here\n"
    "  apmt info apmt-halo2d/apmt-halo2d.p4.r1   one run\n"
    "  apmt info rank-00000.apmt                 one rank, finished or not\n"
    "  apmt info --speedscope apmt-halo2d/apmt-halo2d.p4.r1 > halo2d.speedscope.json";

struct InfoArguments {
  std::filesystem::path path;
  bool json = false;
  bool collapsed = false;
  bool speedscope = false;
  bool hatchet = false;
  ExperimentOptions experiment;

  bool of_one_run() const { return collapsed || speedscope || hatchet; }
};

void print_profile(const RunProfile& profile, const InfoArguments& options) {
  const std::string text = options.json         ? format_json(to_json(profile))
                           : options.collapsed  ? render_collapsed(profile)
                           : options.speedscope ? render_speedscope(profile)
                           : options.hatchet    ? render_hatchet(profile)
                                                : render_profile_text(profile, text_columns());
  std::fputs(text.c_str(), stdout);
  if (options.of_one_run() && leaves_out_mpi(profile))
    logging::warn("the time in MPI is left out: with more ranks than cores, it is mostly waiting");
}

int run_info(const InfoArguments& options) {
  const std::filesystem::path path = options.path.empty() ? experiment_dir({}) : options.path;
  Progress progress("reading ranks");
  const PathKind kind = kind_of(path);
  if (options.of_one_run() && (kind == PathKind::kExperiment || kind == PathKind::kModel))
    throw InputError(path.string(), "is not one run", "give the folder of a run in it");
  switch (kind) {
    case PathKind::kNothing:
      throw InputError(path.string(), "no such file or directory");
    case PathKind::kRecording:
      print_profile(fold_recording(path), options);
      return 0;
    case PathKind::kRunning:
      print_profile(fold_directory(path, [&](std::size_t done,
                                             std::size_t total) { progress.at(done, total); }),
                    options);
      return 0;
    case PathKind::kRun:
      print_profile(
          read_run_profile(std::filesystem::is_directory(path) ? path / "profile.json" : path),
          options);
      return 0;
    case PathKind::kExperiment: {
      const Experiment experiment = load_experiment(path, options.experiment);
      if (options.json) {
        Json runs = Json::array();
        for (const RunProfile& profile : experiment.runs) runs.push_back(to_json(profile));
        std::fputs(format_json(runs).c_str(), stdout);
      } else {
        std::fputs(render_experiment_text(experiment, text_columns()).c_str(), stdout);
      }
      return 0;
    }
    case PathKind::kModel: {
      const Model model = read_model(path);
      std::fputs((options.json ? format_json(to_json(model))
                               : render_text(make_fit_report(model, predictions_for_laws(model)),
                                             text_columns()))
                     .c_str(),
                 stdout);
      return 0;
    }
    case PathKind::kOther:
      break;
  }
  throw InputError(path.string(),
                   "is none of: recording (*.apmt), run, experiment, model (*.json)");
}

}  // namespace

void add_info(CommandLine& program) {
  Verb verb = program.add_verb("info", "Show what a recording, run, experiment or model contains");
  verb.footer(kInfoFooter);
  auto options = std::make_shared<InfoArguments>();
  verb.add_option("path", options->path, "What to look at [the newest experiment here]");
  verb.add_flag("--json", options->json, "Print JSON");
  Argument collapsed = verb.add_flag("--collapsed", options->collapsed,
                                     "Print a run as collapsed stacks, for flame graphs");
  Argument speedscope =
      verb.add_flag("--speedscope", options->speedscope, "Print a run in speedscope's format")
          .excludes(collapsed);
  verb.add_flag("--hatchet", options->hatchet,
                "Print a run in the JSON format of Hatchet and Thicket")
      .excludes(collapsed)
      .excludes(speedscope);
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_info(*options); });
}

}  // namespace apmt
