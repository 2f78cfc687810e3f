// apmt run: makes all runs of a campaign with the user's own launcher and, if requested, a
// prediction.

#include <cstdio>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/batch/job_scripts.h"
#include "campaign/campaign.h"
#include "cli/arguments.h"
#include "cli/campaign_progress.h"
#include "cli/doubtful_runs.h"
#include "cli/emit.h"
#include "cli/experiment_path.h"
#include "cli/fit_runs.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/on_cluster.h"
#include "cli/recording_options.h"
#include "cli/scenarios.h"
#include "cli/service_access.h"
#include "cli/size_lists.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fitter/runs/work.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kRunFooter =
    "{p} in the command stands for the process count, {p/2} for half of it, {px} and {py} (with\n"
    "{pz} a third) for the sides of the squarest process grid, {n} for the size n of --set. The\n"
    "repetitions of the points alternate; what a run prints is kept with it (output.txt). After\n"
    "an interruption the same command continues. Runs are stored in apmt-<program>/, as by apmt\n"
    "record.\n"
    "\n"
    "Examples:\n"
    "  apmt run --procs 2,4,8 -- mpirun -np {p} ./app input.nml\n"
    "  apmt run --procs 2,4,8 --predict 64,1024 -- mpirun -np {p} ./app\n"
    "  apmt run --procs 1,2,4 --set n=1000,2000 --reps 5 -- mpirun -np {p} ./app {n}\n"
    "  apmt run --procs 2,8,32 --scaling weak --set n=1000 --work 'n*n' -- srun -n {p} ./app {n}\n"
    "  apmt run --procs 4,8,16 -- mpirun -np {p} ./app -P {px} {py} {pz}\n"
    "  apmt run --procs 4,16,64 -- mpirun -np {p} bin/cg.B.{p}        (an executable for each)\n"
    "  apmt run --procs 64,256 --emit slurm --directive=--time=30:00 -- srun -n {p} ./app\n"
    "  apmt run --procs 64,256 --emit slurm --array -- srun -n {p} ./app       (a job for each "
    "run)\n"
    "  apmt run --virtual ethernet-10g --procs 2,4,8 -- ./app {n}      (built with smpicc)\n"
    "  apmt run --procs 2,4 --spread 0.01 --max-reps 20 -- mpirun -np {p} ./app";

struct RunArguments {
  CampaignOptions campaign;
  std::vector<int> procs;
  std::vector<std::string> sizes;
  std::string scaling = "strong";
  std::string work;
  std::vector<int> predict;
  std::string cluster;
  RecordingOptions recording;
  bool dry_run = false;
  EmitOptions emit;
  ServerOptions server;
};

void print_plan(const CampaignOptions& campaign) {
  const std::vector<PlannedRun> runs = plan_campaign(campaign);
  std::size_t done = 0;
  for (const PlannedRun& run : runs) {
    std::printf("%s%s\n", run.is_done ? "# done: " : "", shell_words(run.command).c_str());
    done += run.is_done ? 1 : 0;
  }
  logging::info("{}, {} of them done, into {}", counted(runs.size(), "run"), done,
                campaign_experiment(campaign).string());
}

int fail(const CampaignResult& result) {
  if (result.exit_code != 0)
    logging::error("run {} of {} ended with exit code {}: {}", result.runs_done + 1,
                   result.runs_planned, result.exit_code, shell_words(result.failed_command));
  if (!result.last_output.empty()) logging::error("the end of its output:");
  for (const std::string& line : result.last_output) std::fprintf(stderr, "  | %s\n", line.c_str());
  logging::error("the whole output is in {}; {} kept", result.output.string(),
                 counted(result.runs_done, "finished run is", "finished runs are"));
  return static_cast<int>(ExitCode::kFailed);
}

void tell_runs(const CampaignResult& result, const CampaignOptions& campaign) {
  const std::string runs =
      counted(result.runs_done, "run") + " in " + campaign.launch.experiment.string();
  if (result.runs_made > 0)
    logging::info("{}", runs);
  else
    logging::info(
        "{}: all exist, so nothing was run; --force makes them again, more --reps "
        "adds to them{}",
        runs, campaign.keep_old ? "; --keep-old holds for this call only" : "");
}

int fit_and_predict(const RunArguments& options, const std::filesystem::path& dir) {
  ExperimentOptions experiment;
  experiment.same_program = has_program_per_point(options.campaign);
  FitOptions fit_options = kept_fit_options(dir);
  fit_options.work = options.work;
  const Model model =
      fit_runs(dir, load_experiment(dir, experiment), fit_options, experiment.same_program);
  write_model(model, dir / "model.json");
  ScenarioOptions scenarios;
  scenarios.procs = options.predict;
  std::fputs(render_prediction_text(model, predict_all(model, scenarios), text_columns()).c_str(),
             stdout);
  return 0;
}

/// The options of --emit, together with the options that the jobs pass on unchanged to apmt run and
/// apmt fit.
EmitOptions with_what_jobs_repeat(const RunArguments& options) {
  EmitOptions emit = options.emit;
  std::vector<std::string>& run = emit.job.run_options;
  const std::vector<std::string> recording = options.recording.words();
  run.insert(run.end(), recording.begin(), recording.end());
  if (options.campaign.any_command) run.push_back("--any-command");
  if (options.campaign.keep_old) run.push_back("--keep-old");
  emit.job.predict = options.predict;
  if (!options.work.empty()) emit.job.fit_options = {"--work", options.work};
  if (has_program_per_point(options.campaign)) emit.job.fit_options.push_back("--same-program");
  return emit;
}

int run_campaign(RunArguments options) {
  CampaignOptions& campaign = options.campaign;
  campaign.launch.library_dir = library_dir();
  options.recording.apply_to(&campaign.launch);
  campaign.points = campaign_points(options.procs, parse_size_lists(options.sizes));
  if (!options.work.empty())
    (void)WorkExpression(options.work).value(campaign.points.front().params());
  if (options.scaling == "weak") {
    if (options.sizes.empty())
      logging::info(
          "no sizes are given with --set, so the command must state the problem of one process: "
          "the work grows like the number of processes");
    scale_weakly(options.work, &campaign.points);
    if (options.work.empty())
      if (const std::string sentence = assumed_work(campaign.points); !sentence.empty())
        logging::warn("{}", sentence);
  }
  campaign.launch.experiment = campaign_experiment(campaign);
  if (!options.cluster.empty() && !options.emit.system.empty())
    throw InputError("--emit",
                     "a simulated cluster runs in one process on one machine and needs no jobs",
                     "leave out --emit; a long simulation can run inside a job of your own");
  if (!options.cluster.empty()) run_on_cluster(options.cluster, &campaign);
  campaign.check();
  if (!options.emit.system.empty()) {
    if (campaign.launch.force)
      throw InputError("--force", "jobs continue where an earlier one was cut off",
                       "give the campaign another --dir, or remove the runs to be made again");
    if (!options.server.url.empty())
      throw InputError("--push", "with --emit, there are no runs yet to send",
                       "when the jobs have ended, call apmt push");
    emit(campaign, with_what_jobs_repeat(options), options.dry_run);
    return 0;
  }
  options.emit.check();
  if (options.dry_run) {
    print_plan(campaign);
    return 0;
  }
  if (!options.server.url.empty()) check_can_push(options.server);
  if (!options.work.empty()) keep_work(campaign.launch.experiment, options.work);
  CampaignProgress progress;
  const CampaignResult result = run_campaign(campaign, progress.watcher());
  progress.clear();
  const bool has_failed = result.end == CampaignResult::End::kFailed;
  for (const std::string& problem : result.problems)
    has_failed ? logging::error("{}", problem) : logging::warn("{}", problem);
  switch (result.end) {
    case CampaignResult::End::kFailed:
      return fail(result);
    case CampaignResult::End::kInterrupted:
      logging::warn("interrupted; {} finished and kept; the same command {}",
                    counted_of(result.runs_done, result.runs_planned, "run", "is", "are"),
                    campaign.launch.force ? "makes all of them again (--force)" : "continues");
      return 128 + result.signal;
    case CampaignResult::End::kComplete:
      break;
  }
  for (const auto& [point, error] : result.unsettled)
    logging::warn("{}: after --max-reps runs the time is known only within {:.1f} %", point.words(),
                  100 * error);
  tell_runs(result, campaign);
  if (!options.server.url.empty()) push_runs(options.server, campaign.launch.experiment, {});
  if (!options.predict.empty()) return fit_and_predict(options, campaign.launch.experiment);
  if (result.runs_made > 0) warn_of_doubtful_runs(campaign);
  const std::string experiment = shell_words({campaign.launch.experiment.string()});
  logging::info("next: apmt predict {} --procs N, or apmt report {}", experiment, experiment);
  return 0;
}

}  // namespace

void add_run(CommandLine& program) {
  Verb verb = program.add_verb("run", "Record a program at several process counts, repeatedly");
  verb.footer(kRunFooter);
  verb.ends_with_command();
  auto options = std::make_shared<RunArguments>();
  CampaignOptions& campaign = options->campaign;
  verb.add_option("--procs", options->procs, "Process counts, e.g. 2,4,8")
      .comma_separated()
      .check(whole_number(1, 1 << 24))
      .required();
  verb.add_option("--reps", campaign.reps, "Runs at each point")
      .check(whole_number(1, 1000))
      .shows_default();
  verb.add_option("--repetition", campaign.only_repetition,
                  "Make only this one of the --reps runs at each point, as one element of a job "
                  "array does")
      .check(whole_number(1, 1000));
  verb.add_option("--set", options->sizes, "Problem sizes, e.g. n=1000,2000; all combinations")
      .one_word();
  verb.add_option("--scaling", options->scaling,
                  "strong: sizes as given; weak: as given at the fewest processes, then growing; "
                  "without --set, the command states the problem of one process")
      .check(one_of({"strong", "weak"}))
      .shows_default();
  verb.add_option("--work", options->work,
                  "Work as an expression of the sizes: what weak scaling keeps per process "
                  "[their product], and what a model scales with");
  verb.add_option("--spread", campaign.spread,
                  "Repeat beyond --reps until the time of a point is known to this relative "
                  "standard error, e.g. 0.02")
      .check(number(0.0, 1.0));
  verb.add_option("--max-reps", campaign.max_reps, "Most runs that --spread may make at a point")
      .check(whole_number(1, 1000))
      .shows_default();
  verb.add_option("--predict", options->predict, "Then fit, and predict these process counts")
      .comma_separated()
      .check(whole_number(1, 1 << 24));
  verb.add_option(
      "--virtual", options->cluster,
      "Run on a simulated cluster (SimGrid): a file (a cluster's, or a machine profile), or a name "
      "such as ethernet-10g, archer2@16 for 16 ranks a node; the command is the program alone, "
      "built with smpicc, smpicxx or smpiff");
  verb.add_option("--push", options->server.url,
                  "Then send all runs of the directory to this server of apmt serve (its URL), as "
                  "apmt push does");
  add_token_option(verb, &options->server);
  add_emit_options(verb, &options->emit);
  verb.add_flag("--dry-run", options->dry_run,
                "Print the commands or job scripts, start and write nothing");
  verb.add_flag("--any-command", campaign.any_command,
                "Runs in the directory count even when another command made them");
  verb.add_flag("--keep-old", campaign.keep_old,
                "Runs in the directory count even when the program was rebuilt since");
  verb.add_flag("--force", campaign.launch.force,
                "Make every run again; new runs replace those at the same point");
  verb.add_option("-d,--dir", campaign.launch.experiment, "Experiment directory [apmt-<program>]")
      .from_environment("APMT_DIR");
  add_recording_options(verb, &options->recording);
  verb.add_option("command", campaign.launch.command, "The command, launcher included").required();
  verb.action([options] { return run_campaign(*options); });
}

}  // namespace apmt
