// apmt refine: makes further measurements where they improve a model most.

#include "cli/refine.h"

#include <cstdio>

#include "base/input_error.h"
#include "campaign/batch/job_scripts.h"
#include "campaign/store/run_directory.h"
#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

constexpr const char* kRefineFooter =
    "--frequency separates computation from waiting for memory: it finds CPI_core and the\n"
    "blocking factor of each kernel from runs at two or more core frequencies (set by apmt, by\n"
    "srun or by you), or from runs whose memory accesses per instruction differ. It updates the\n"
    "model, which keeps the previous values.\n"
    "--plan ranks the next runs by how much they would narrow the interval at --at.\n"
    "--communication proposes two further process counts; the runs of one refit the model, those\n"
    "of the other validate it.\n"
    "--target-error finds the part that causes the back-test error, makes the most informative\n"
    "run for it, refits, and stops at the target, at the budget, or when no run would help.\n"
    "After an interruption the same command continues. Exit code 4 when the target is not\n"
    "reached.\n"
    "\n"
    "Examples:\n"
    "  apmt refine --plan --at 1024\n"
    "  apmt refine --target-error 10% --budget 200core-hours --at 1024 -- srun -n {p} ./app\n"
    "  apmt refine --target-error 10% --budget 200 --dry-run -- srun -n {p} ./app\n"
    "  apmt refine --communication -- mpirun -np {p} ./app\n"
    "  apmt refine --frequency --machine machine.yaml -- mpirun -np {p} ./app\n"
    "  apmt refine --frequency --frequencies 1.2,2.4 --procs 64 -- srun -n {p} ./app\n"
    "  apmt refine --frequency --runs slow/apmt-app fast/apmt-app\n"
    "  apmt refine --restore                   after a crash, when the machine was left changed";

/// Finds the experiment. It is the directory of -d, or the one given in place of a command, or the
/// one that `apmt run` makes for the command, named after the program. With neither -d nor a
/// command, it is the newest experiment in the working directory that is not among --runs. If the
/// program's name contains the process count (./cg.A.{p}), sets same_program, because the runs are
/// of one program under several names.
void settle_experiment(RefineOptions* options) {
  if (!options->command.empty() && kind_of(options->command.front()) == PathKind::kExperiment) {
    if (!options->dir.empty())
      throw InputError(options->command.front(), "is a second experiment, besides that of --dir",
                       "name one of them");
    options->dir = options->command.front();
    options->command.erase(options->command.begin());
    if (!options->command.empty() && options->command.front().starts_with('-') &&
        options->command.front() != "--")
      throw InputError(options->command.front(),
                       "stands after the experiment, where a command is expected",
                       "options come first: apmt refine " + options->command.front() + " ... " +
                           options->dir.string());
  }
  for (const std::string& word : options->command) {
    const std::string name = std::filesystem::path(word).filename().string();
    const std::string plain = CommandTemplate::without_places(name);
    const std::filesystem::path dir = "apmt-" + plain;
    if (kind_of(dir) != PathKind::kExperiment) continue;
    if (options->dir.empty()) options->dir = dir;
    options->same_program = options->same_program || plain != name;
  }
  if (!options->dir.empty())
    options->dir = experiment_dir(options->dir);
  else if (options->command.empty())
    options->dir = newest_experiment_here(options->runs);
  else
    throw InputError("", "no experiment of this command here",
                     "-d names another; or first: apmt run --procs 2,4,8 -- <the same command>",
                     ExitCode::kNotEnoughData);
}

int run_refine(RefineOptions options, const std::string& target, const std::string& budget) {
  if (!target.empty()) {
    options.target_error = number_with("--target-error", target, "%");
    if (*options.target_error >= 1 && !target.ends_with('%'))
      throw InputError("--target-error", "'" + target + "' would be 100 % or more",
                       "a share such as 0.05, or a percentage such as 5%");
  }
  if (!budget.empty()) options.budget_core_hours = number_with("--budget", budget, "core-hours");
  const int asked = (options.frequency || options.restore) + options.plan + options.communication +
                    options.target_error.has_value();
  if (asked != 1)
    throw InputError("", asked == 0 ? "nothing to refine" : "only one refinement at a time",
                     "--plan, --target-error, --frequency or --communication; apmt refine --help");
  if (options.restore && options.dry_run)
    throw InputError("--dry-run", "--restore sets the machine's frequencies back, and has no plan",
                     "leave out --dry-run");
  if (options.json && (options.restore || options.communication))
    throw InputError("--json", "this refinement prints no JSON",
                     "leave out --json; --plan, --target-error and --frequency print it");
  if (options.restore) return restore_frequency(options);
  settle_experiment(&options);
  if (options.frequency) return refine_by_frequency(options);
  if (options.plan) return refine_plan(options);
  if (options.communication) return refine_communication(options);
  if (budget.empty())
    throw InputError("--budget", "the core-hours that may be spent are missing",
                     "--budget 200core-hours");
  if (options.command.empty() && !options.dry_run)
    throw InputError("", "no command to make runs with", "-- srun -n {p} ./app, or --dry-run");
  return refine_loop(options);
}

}  // namespace

FitOptions fit_options_of(const std::filesystem::path& dir, const RefineOptions& options) {
  FitOptions fit = kept_fit_options(dir);
  if (!options.machine.empty()) use_machine(machine_profile(options.machine), &fit);
  if (std::filesystem::exists(dir / "model.json")) {
    const Model before = read_model(dir / "model.json");
    fit.work = before.work;
    fit.threshold = before.threshold;
  }
  if (!options.work.empty()) fit.work = options.work;
  return fit;
}

int tell_end(const CampaignResult& result) {
  switch (result.end) {
    case CampaignResult::End::kComplete:
      return 0;
    case CampaignResult::End::kInterrupted:
      logging::warn("interrupted; finished runs are kept, and the same command continues");
      return 128 + result.signal;
    case CampaignResult::End::kFailed:
      break;
  }
  for (const std::string& problem : result.problems) logging::error("{}", problem);
  if (result.exit_code != 0)
    logging::error("ended with exit code {}: {}", result.exit_code,
                   shell_words(result.failed_command));
  for (const std::string& line : result.last_output) std::fprintf(stderr, "  | %s\n", line.c_str());
  logging::error("its output is in {}", result.output.string());
  return static_cast<int>(ExitCode::kFailed);
}

void add_refine(CommandLine& program) {
  Verb verb = program.add_verb("refine", "Make further runs where the model is too uncertain");
  verb.footer(kRefineFooter);
  verb.ends_with_command();
  auto options = std::make_shared<RefineOptions>();
  verb.add_option("-d,--dir", options->dir,
                  "Experiment directory [that of the command, else the newest here]");
  verb.add_flag("--frequency", options->frequency,
                "Find CPI_core and the memory blocking factor of each kernel");
  verb.add_flag("--plan", options->plan,
                "Rank the next runs by how much they would narrow the interval; changes nothing");
  verb.add_flag("--communication", options->communication,
                "Two further process counts: one to refit, one to validate");
  auto target = std::make_shared<std::string>();
  auto budget = std::make_shared<std::string>();
  verb.add_option("--target-error", *target,
                  "Measure and refit until the error is below this, e.g. 10%");
  verb.add_option("--budget", *budget, "What the runs may cost, e.g. 200core-hours");
  verb.add_option("--at", options->at, "Process count to predict [4 times the largest profiled]")
      .check(whole_number(1, 1 << 24));
  verb.add_option("--most-procs", options->most_procs,
                  "Most processes that a run may have [half of --at]")
      .check(whole_number(1, 1 << 24));
  verb.add_option("--virtual", options->cluster, "Run on a simulated cluster, as apmt run does");
  verb.add_option("--runs", options->runs, "Directories with runs at other core frequencies");
  verb.add_option("--machine", options->machine,
                  "Machine profile of apmt calibrate: latencies of memory");
  verb.add_option("--frequencies", options->frequencies_ghz, "Core frequencies in GHz")
      .comma_separated()
      .check(number(0.05, 20.0));
  verb.add_flag("--manual", options->manual, "You change the frequency between the runs");
  verb.add_flag("--restore", options->restore,
                "Only restore the frequencies that a killed call left changed");
  verb.add_option(
          "--system-root", options->system_root,
          "Root of the system's files, e.g. /host in a container that may set frequencies [/]")
      .check(existing_folder());
  verb.add_option("--procs", options->procs,
                  "Process count of --frequency runs [the largest profiled]; candidates otherwise")
      .comma_separated()
      .check(whole_number(1, 1 << 24));
  verb.add_option("--set", options->sizes, "Problem sizes, as for apmt run").one_word();
  verb.add_option("--reps", options->reps, "Runs at each point")
      .check(whole_number(1, 1000))
      .shows_default();
  verb.add_option("--work", options->work, "Work as an expression of the sizes");
  verb.add_flag("--same-program", options->same_program,
                "Treat different builds and names as the same program");
  verb.add_flag("--dry-run", options->dry_run, "Print what would be run, start and write nothing");
  verb.add_flag("--json", options->json,
                "Print the result as JSON (not of --communication, --restore)");
  verb.add_option("command", options->command, "The command, launcher included, with {p}");
  verb.action([=] { return run_refine(*options, *target, *budget); });
}

}  // namespace apmt
