// apmt history: shows the times of a program by version, and at which version they changed.

#include "fitter/history.h"

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/checked_json.h"
#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/verbs.h"
#include "reports/history.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kHistoryFooter =
    "A run's version is the variable APMT_VERSION at recording (or GITHUB_SHA,\n"
    "CI_COMMIT_SHA). Without it, the folder of the experiment names the version (2.1 for\n"
    "history/2.1/apmt-app); within a single experiment, the build id of the executable does.\n"
    "Versions are ordered by their first runs. A change is reported when chance would show one so\n"
    "clear in less than 5 % of cases; this limit holds for the elapsed time at each process "
    "count,\n"
    "and for all kernels and parts together. At least six versions are needed. With --fail the "
    "exit\n"
    "code is 4 when the newest level of an elapsed time is slower than the one before.\n"
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

/// The folder name that identifies an experiment among several: "2024-05-01" for
/// nightly/2024-05-01/apmt-app.
std::string name_of(const std::filesystem::path& path, bool is_only_one) {
  if (is_only_one) return {};
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  const std::filesystem::path folder = whole.filename().empty() ? whole.parent_path() : whole;
  const std::string own = folder.filename().string();
  return own.starts_with("apmt-") ? folder.parent_path().filename().string() : own;
}

/// Reads the runs of all experiments. Adds their warnings to `warnings`, without duplicates.
std::vector<NamedRun> read_runs(const std::vector<std::filesystem::path>& paths,
                                std::vector<std::string>* warnings) {
  std::vector<NamedRun> runs;
  for (const std::filesystem::path& path : paths) {
    // A history compares different builds on purpose, so same_program suppresses the warning about
    // them.
    Experiment experiment = load_experiment(experiment_dir(path), {.same_program = true});
    for (RunProfile& run : experiment.runs)
      runs.push_back({std::move(run), name_of(path, paths.size() == 1)});
    for (std::string& warning : experiment.warnings)
      if (std::find(warnings->begin(), warnings->end(), warning) == warnings->end())
        warnings->push_back(std::move(warning));
  }
  return runs;
}

bool is_slower_now(const History& history) {
  for (const HistorySeries& series : history.series)
    if (series.is_elapsed() && !series.changes.empty() && series.changes.back().change() > 0)
      return true;
  return false;
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
  if (!options.json && options.html.empty()) std::fputs(render_text(report).c_str(), stdout);
  return options.fail && is_slower_now(history) ? static_cast<int>(ExitCode::kThresholdNotMet) : 0;
}

}  // namespace

void add_history(CommandLine& program) {
  Verb verb = program.add_verb("history", "Show at which version of a program its times changed");
  verb.footer(kHistoryFooter);
  auto options = std::make_shared<HistoryArguments>();
  verb.add_option("experiment", options->paths,
                  "Experiments with runs of the versions, in any order")
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
                "End with 4 when the program is slower than it was before");
  verb.add_flag("--json", options->json, "Print the report as JSON");
  verb.action([options] { return run_history(*options); });
}

}  // namespace apmt
