// apmt refine --frequency: measures CPI_core (cycles per instruction without waiting for memory)
// and the blocking factor (the share of the access time in which the core waits for memory).

#include <cstdio>
#include <iostream>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "base/search_path.h"
#include "cli/campaign_progress.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/refine.h"
#include "cli/refine_runs.h"
#include "cli/terminal.h"
#include "fitter/fit/fit.h"
#include "fitter/model/fit_options.h"
#include "machine/frequency.h"
#include "refine/cpi_refinement.h"
#include "refine/frequency_campaign.h"
#include "reports/refinement.h"
#include "reports/render.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// Prints the measured frequency of the last runs. Warns if earlier runs had the same frequency:
/// then the user has not changed it.
void tell_measured(const std::vector<double>& measured_hz) {
  const double last = measured_hz.back();
  if (last == 0) {
    logging::warn("cycles were not counted, so the frequency of these runs is unknown");
    return;
  }
  for (std::size_t i = 0; i + 1 < measured_hz.size(); ++i)
    if (measured_hz[i] > 0 && is_same_frequency(measured_hz[i], last)) {
      logging::warn("{} was measured, as in number {}: the frequency has not changed",
                    frequency_folder(last), i + 1);
      return;
    }
  logging::info("{} was measured", frequency_folder(last));
}

bool ask_user(const std::vector<double>& measured_hz) {
  if (!measured_hz.empty()) tell_measured(measured_hz);
  std::fprintf(stderr,
               "Set the core frequency number %zu on all nodes, then press Enter (two or more that "
               "differ; \"done\" ends it): ",
               measured_hz.size() + 1);
  std::string line;
  return std::getline(std::cin, line) && line != "done";
}

FrequencyCampaign campaign_of(const RefineOptions& options, const Experiment& experiment,
                              const fs::path& dir) {
  FrequencyCampaign f;
  f.search_path = program_search_path();
  f.root = options.system_root;
  for (const double ghz : options.frequencies_ghz) f.frequencies_hz.push_back(ghz * 1e9);
  if (options.manual) f.by_hand = ask_user;
  const int procs = options.procs.empty() ? experiment.points.back().procs : options.procs.front();
  f.campaign = refinement_campaign(options, dir / kFrequencyFolder, procs);
  if (f.campaign.points.size() != 1)
    throw InputError("--set", "give one size: the runs may differ only in frequency");
  f.campaign.check();
  return f;
}

int run_them(const FrequencyCampaign& f, bool dry_run) {
  logging::info("core frequency: {}", frequency_way(f));
  if (dry_run) {
    if (!f.by_hand)
      for (const double hz : chosen_frequencies(f))
        std::printf("%s\n", frequency_folder(hz).c_str());
    return 0;
  }
  CampaignProgress progress;
  const FrequencyCampaignResult result = run_frequencies(f, progress.watcher());
  progress.clear();
  if (!result.recovered.empty()) logging::warn("{}", result.recovered);
  for (const std::string& sentence : result.not_restored)
    logging::error("NOT RESTORED: {}", sentence);
  for (const std::string& sentence : result.left_by_hand)
    logging::warn("left as you set it: {}", sentence);
  const int code = tell_end(result.last);
  if (code != 0) return code;
  return result.not_restored.empty() ? 0 : static_cast<int>(ExitCode::kFailed);
}

Json to_json(const Model& model, const RefinementSummary& summary) {
  Json kernels = Json::array();
  for (const RefinedKernel& k : summary.kernels) {
    const CpiLine& line = k.line;
    kernels.push_back({{"index", k.index},
                       {"name", model.kernels[k.index].name},
                       {"verdict", line.verdict},
                       {"why", line.why},
                       {"from", line.from},
                       {"cpi_before", json_or_null(line.cpi_before)},
                       {"bf_before", json_or_null(line.bf_before)},
                       {"cpi_core", line.is_usable() ? Json(line.cpi_core) : Json()},
                       {"cpi_core_se", line.is_usable() ? Json(line.cpi_core_se) : Json()},
                       {"blocked_s", line.is_usable() ? Json(line.blocked_s) : Json()},
                       {"bf_mem", line.is_usable() ? json_or_null(line.bf_mem) : Json()},
                       {"bf_mem_se", line.is_usable() ? json_or_null(line.bf_mem_se) : Json()},
                       {"r_squared", line.is_usable() ? Json(line.r_squared) : Json()},
                       {"new_law", k.has_new_law}});
  }
  return {{"runs", summary.runs},
          {"lowest_hz", summary.lowest_hz},
          {"highest_hz", summary.highest_hz},
          {"backtest_error_before", json_or_null(summary.backtest_error_before)},
          {"backtest_error_after", json_or_null(summary.backtest_error_after)},
          {"kernels", std::move(kernels)}};
}

}  // namespace

int frequency_runs_to_make(const RefineOptions& options, const Experiment& experiment,
                           const fs::path& dir) {
  // Without a machine profile no runs are made: the latencies of memory are unknown, so that a
  // refined kernel could not be predicted at other process counts.
  if (options.machine.empty() || options.command.empty() || !options.cluster.empty()) return 0;
  try {
    const FrequencyCampaign f = campaign_of(options, experiment, dir);
    frequency_way(f);
    return options.reps * static_cast<int>(chosen_frequencies(f).size());
  } catch (const InputError&) {
    return 0;
  }
}

int make_frequency_runs(const RefineOptions& options, const Experiment& experiment,
                        const fs::path& dir) {
  return run_them(campaign_of(options, experiment, dir), false);
}

int restore_frequency(const RefineOptions& options) {
  const FrequencyControl control(options.system_root, program_search_path());
  logging::info("{}",
                control.recovered().empty() ? "nothing was left changed" : control.recovered());
  return 0;
}

int refine_by_frequency(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const ExperimentOptions same{.same_program = options.same_program};
  const Experiment experiment = load_experiment(dir, same, options.unmerged());
  if (!options.command.empty() || options.manual) {
    const int code = run_them(campaign_of(options, experiment, dir), options.dry_run);
    if (code != 0 || options.dry_run) return code;
  }
  std::vector<fs::path> dirs = options.runs;
  dirs.push_back(dir);
  std::vector<FrequencyRun> runs = read_frequency_runs(dirs);
  for (FrequencyRun& run : runs) {
    if (options.same_program) give_name(experiment.program, &run.profile);
    if (run.profile.program != experiment.program)
      throw InputError(
          "--runs",
          "these are of " + run.profile.program + ", the model is of " + experiment.program,
          "if it is one program under two names, add --same-program");
  }
  const FitOptions fit_options = fit_options_of(dir, options);
  Model model = fit(experiment, fit_options);
  const RefinementSummary summary =
      refine_cpi(experiment, runs, fit_options.memory, fit_options, &model);
  if (options.json)
    std::fputs(format_json(to_json(model, summary)).c_str(), stdout);
  else
    std::fputs(render_text(make_refinement_report(model, summary), text_columns()).c_str(), stdout);
  if (summary.refined() == 0) {
    if (options.command.empty() && !options.manual && options.runs.empty())
      throw InputError("", "these runs do not separate CPI_core from waiting for memory",
                       "make some at other core frequencies: apmt refine --frequency -- <the same "
                       "command>, --manual, or --runs DIR...",
                       ExitCode::kNotEnoughData);
    return static_cast<int>(ExitCode::kNotEnoughData);
  }
  if (options.dry_run) return 0;
  if (!options.machine.empty()) keep_machine(dir, machine_profile(options.machine));
  write_model(model, dir / "model.json");
  logging::info("model written to {}", (dir / "model.json").lexically_normal().string());
  return 0;
}

}  // namespace apmt
