// apmt history: shows the times of a program by version, and at which version they changed.

#include "history/history.h"

#include <cstdio>

#include "base/atomic_file.h"
#include "base/checked_json.h"
#include "base/input_error.h"
#include "base/words.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "reports/history.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kHistoryFooter =
    "A run's version is the variable APMT_VERSION at recording (or GITHUB_SHA,\n"
    "CI_COMMIT_SHA). Without it, the folder of the experiment names the version (2.1 for\n"
    "history/2.1/apmt-app); within a single experiment, the build id of the executable does.\n"
    "Versions are ordered by their first runs; imported runs, which have no start time, by the\n"
    "order of the arguments. If nothing changed, the whole report (all process\n"
    "counts, kernels and parts together) shows a change in at most 4.5 % of cases. At least seven\n"
    "versions are needed. With --fail the exit code is 4 when the newest level of an elapsed "
    "time,\n"
    "a kernel or a part is slower than the one before, by at least --threshold. A kernel or part\n"
    "does not count if the elapsed time became shorter at about the same version.\n"
    "\n"
    "Examples:\n"
    "  apmt run --procs 8 -d history/$(git rev-parse --short HEAD)/apmt-app -- mpirun -np {p} "
    "./app\n"
    "  apmt history history/*/apmt-app --html history.html --fail\n"
    "  apmt history apmt-app                   (versions recorded into one experiment)";

struct HistoryArguments {
  std::vector<std::filesystem::path> paths;
  HistoryOptions history;
  std::string html;
  bool json = false;
  bool fail = false;
};

/// The name of an experiment among several: its folder's or, if that begins with "apmt-", the
/// parent folder's ("2024-05-01" for nightly/2024-05-01/apmt-app).
std::string name_of(const std::filesystem::path& path, bool is_only_one) {
  if (is_only_one) return {};
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  const std::filesystem::path folder = whole.filename().empty() ? whole.parent_path() : whole;
  const std::string own = folder.filename().string();
  return own.starts_with("apmt-") ? folder.parent_path().filename().string() : own;
}

/// Reads the runs of all experiments. Adds their warnings to `warnings`, each reason once.
std::vector<NamedRun> read_runs(const std::vector<std::filesystem::path>& paths,
                                std::vector<std::string>* warnings) {
  std::vector<NamedRun> runs;
  std::vector<std::vector<std::string>> of_experiments;
  for (const std::filesystem::path& path : paths) {
    // A history compares different builds on purpose, so same_program suppresses the warning about
    // them.
    Experiment experiment = load_experiment(experiment_dir(path), {.same_program = true});
    for (RunProfile& run : experiment.runs)
      runs.push_back({std::move(run), name_of(path, paths.size() == 1)});
    of_experiments.push_back(std::move(experiment.warnings));
  }
  for (std::string& warning : each_reason_once(of_experiments))
    warnings->push_back(std::move(warning));
  return runs;
}

/// Names what got slower, the reason for exit code 4.
void say_slower(const History& history, const std::vector<const HistorySeries*>& slower) {
  for (const HistorySeries* series : slower) {
    const ChangePoint& change = series->changes.back();
    logging::error("slower: {}, {}, by {} since version {}",
                   series->is_elapsed() ? "elapsed time" : series->what,
                   counted(series->procs, "process", "processes"), percent(change.change()),
                   history.versions[change.at].name);
  }
}

int run_history(const HistoryArguments& options) {
  std::vector<std::string> warnings;
  std::vector<NamedRun> runs = read_runs(options.paths, &warnings);
  History history = make_history(versions_of(std::move(runs)), options.history);
  history.warnings.insert(history.warnings.end(), warnings.begin(), warnings.end());
  const Report report = make_history_report(history);
  if (!options.html.empty()) {
    write_file_atomically(options.html, render_html(report));
    logging::info("report written to {}", std::filesystem::absolute(options.html).string());
  }
  if (options.json) std::fputs(format_json(to_json(report)).c_str(), stdout);
  if (!options.json && options.html.empty())
    std::fputs(render_text(report, text_columns()).c_str(), stdout);
  if (!options.fail) return 0;
  const std::vector<const HistorySeries*> slower = slower_now(history);
  say_slower(history, slower);
  return slower.empty() ? 0 : static_cast<int>(ExitCode::kThresholdNotMet);
}

}  // namespace

void add_history(CommandLine& program) {
  Verb verb = program.add_verb("history", "Show at which version of a program its times changed");
  verb.footer(kHistoryFooter);
  auto options = std::make_shared<HistoryArguments>();
  verb.add_option(
          "experiment", options->paths,
          "Experiments with runs of the versions, in any order (imported ones: oldest first)")
      .required();
  verb.add_option("--threshold", options->history.change.least_change,
                  "Smallest change that is reported, as a share of the level before")
      .check(number(0.0, 1.0))
      .shows_default();
  verb.add_option("--kernels-above", options->history.least_share,
                  "Leave out kernels and parts with a smaller share of the elapsed time")
      .check(number(0.0, 1.0))
      .shows_default();
  verb.add_option("--html", options->html, "Write one self-contained page to this file");
  verb.add_flag("--fail", options->fail,
                "End with 4 when the program, a kernel or a part is slower than it was before");
  verb.add_flag("--json", options->json, "Print the report as JSON");
  verb.action([options] { return run_history(*options); });
}

}  // namespace apmt
