// apmt refine --plan, --communication and --target-error: which run to make next, and making it.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include "base/atomic_file.h"
#include "base/checked_json.h"
#include "base/input_error.h"
#include "campaign/job_scripts.h"
#include "campaign/virtual_cluster.h"
#include "cli/campaign_progress.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/refine.h"
#include "cli/size_lists.h"
#include "fitter/validate.h"
#include "refine/closed_loop.h"
#include "reports/numbers.h"
#include "reports/render.h"
#include "reports/validation.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "refine.json";
constexpr const char* kStateFormat = "apmt-refine";
constexpr const char* kValidationFolder = "validation";  // runs that no model may see

std::string hours(double x) { return format_significant(x) + " core-hours"; }

int wanted_procs(const RefineOptions& options, const Model& model) {
  constexpr int kFactor = 4;
  return options.at > 0 ? options.at : kFactor * model.max_procs();
}

std::string with_procs(std::string word, int procs) {
  const std::string place = "{p}";
  for (std::size_t at = 0; (at = word.find(place, at)) != std::string::npos;)
    word.replace(at, place.size(), std::to_string(procs));
  return word;
}

/// Where each process count has a file of its own (./cg.A.{p}), some counts may have none.
bool has_files(const std::vector<std::string>& words, int profiled, int procs) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return !fs::is_regular_file(with_procs(word, profiled)) ||
           fs::is_regular_file(with_procs(word, procs));
  });
}

NextRunOptions next_options(const RefineOptions& options, const Model& model) {
  NextRunOptions next;
  next.at = wanted_procs(options, model);
  next.most_procs = options.most_procs;
  next.reps = options.reps;
  next.candidates = options.procs;
  next.can_run = [words = options.command, largest = model.max_procs()](int procs) {
    return has_files(words, largest, procs);
  };
  return next;
}

CampaignOptions campaign_of(const RefineOptions& options, const fs::path& dir, int procs) {
  CampaignOptions campaign;
  campaign.reps = options.reps;
  campaign.launch.command = options.command;
  campaign.launch.library_dir = library_dir();
  campaign.launch.events = choose_events("auto", configs_dir());
  campaign.launch.experiment = dir;
  campaign.points = campaign_points({procs}, parse_size_lists(options.sizes));
  if (!options.cluster.empty()) {
    const VirtualCluster cluster = read_virtual_cluster(options.cluster, configs_dir());
    const fs::path folder = fs::absolute(dir) / "virtual";
    campaign.launcher = [=](int p, std::vector<std::string> command) {
      return virtual_launch(cluster, p, folder, command);
    };
  }
  campaign.check();
  return campaign;
}

int make_runs(const RefineOptions& options, const fs::path& dir, int procs) {
  CampaignProgress progress;
  const CampaignResult result = run_campaign(campaign_of(options, dir, procs), progress.watcher());
  progress.clear();
  return tell_end(result);
}

ReportTable table_of(const std::vector<NextRun>& runs) {
  ReportTable table{.id = "next-runs"};
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"new", "run", Quantity::kText},
                   {"time", "time of a run", Quantity::kSeconds, Source::kFitted},
                   {"core_hours", "core-hours", Quantity::kNumber, Source::kDerived},
                   {"width", "interval would be", Quantity::kShare, Source::kDerived},
                   {"gain", "narrower by", Quantity::kShare, Source::kDerived},
                   {"per_core_hour", "per core-hour", Quantity::kNumber, Source::kDerived}};
  for (const NextRun& run : runs) {
    ReportRow row;
    const auto rounded = [](double value) {
      return ReportCell{.text = format_significant(value), .value = value};
    };
    row.cells = {{.text = {}, .value = run.procs},
                 {.text = run.is_new ? "new" : "again", .value = {}},
                 {.text = {}, .value = run.time_s},
                 rounded(run.core_hours),
                 {.text = {}, .value = run.width_after},
                 {.text = run.gain() > 0 ? "" : "not at all", .value = run.gain()},
                 rounded(std::max(0.0, 100 * run.gain_per_core_hour()))};
    row.emphasised = &run == &runs.front();
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json to_json(const NextRun& run) {
  return {{"procs", run.procs},
          {"new", run.is_new},
          {"time_s", run.time_s},
          {"core_hours", run.core_hours},
          {"width_before", run.width_before},
          {"width_after", run.width_after},
          {"gain", run.gain()}};
}

void print(const Report& report) { std::fputs(render_text(report).c_str(), stdout); }

/// What a loop keeps between calls: which runs were there before it began (they are not on its
/// budget), what the model is wanted for, and the step that it is at: of three repetitions one may
/// be there already, which does not make the point a measured one.
struct LoopNote {
  struct Step {
    int procs = 0;
    int reps = 0;  // there are to be at the point in the end
    bool at_frequencies = false;
  };
  std::set<std::string> before;
  int at = 0;
  std::optional<Step> step;
};

std::optional<LoopNote> read_note(const fs::path& dir) {
  const fs::path file = dir / kStateFile;
  if (!fs::exists(file)) return std::nullopt;
  const Json document = read_json_file(file, kStateFormat, 1);
  const JsonAt json(document, file.string());
  constexpr int kMost = 1 << 24;
  LoopNote note;
  note.at = static_cast<int>(json.at("at").integer_in(1, kMost));
  json.at("before").for_each([&](const JsonAt& name) { note.before.insert(name.string()); });
  if (const auto step = json.find("step"))
    note.step = {static_cast<int>(step->at("procs").integer_in(1, kMost)),
                 static_cast<int>(step->at("reps").integer_in(1, kMost)),
                 step->at("at_frequencies").boolean()};
  return note;
}

void write_note(const fs::path& dir, const LoopNote& note) {
  Json json = {{"format", kStateFormat},
               {"format_version", "1.1"},
               {"at", note.at},
               {"before", note.before}};
  if (note.step)
    json["step"] = {{"procs", note.step->procs},
                    {"reps", note.step->reps},
                    {"at_frequencies", note.step->at_frequencies}};
  write_file_atomically(dir / kStateFile, format_json(json));
}

/// The runs of an experiment, those at other core frequencies included, by their place in it.
std::set<std::string> runs_of(const fs::path& dir) {
  std::set<std::string> runs;
  const auto collect = [&](const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "profile.json"))
        runs.insert(entry.path().lexically_relative(dir).string());
  };
  collect(dir);
  if (has_frequency_runs(dir))
    for (const fs::directory_entry& entry : fs::directory_iterator(dir / kFrequencyFolder))
      if (entry.is_directory()) collect(entry.path());
  return runs;
}

LoopNote begin_note(const fs::path& dir, int at) {
  const LoopNote note{runs_of(dir), at, {}};
  write_note(dir, note);
  return note;
}

double spent_since(const fs::path& dir, const std::set<std::string>& before) {
  double sum = 0;
  for (const std::string& name : runs_of(dir)) {
    if (before.contains(name)) continue;
    const RunProfile run = read_run_profile(dir / name / "profile.json");
    sum += run.config.procs * run.times.wall_s.max() / 3600;
  }
  return sum;
}

void print_job_script(const RefineOptions& options, const fs::path& dir, int procs) {
  if (options.command.empty()) return;
  CampaignOptions campaign = campaign_of(options, fs::absolute(dir).lexically_normal(), procs);
  if (campaign.launcher) return;  // a simulated cluster has no queue
  JobOptions job;
  job.apmt = fs::read_symlink("/proc/self/exe");
  job.directory = fs::current_path();
  std::printf("\n%s", job_scripts(campaign, job).front().content.c_str());
}

void tell_step(const LoopStep& step) {
  if (step.measured_s > 0)
    spdlog::info("{} processes: {} were predicted, {} measured ({})", step.run.procs,
                 format_seconds(step.predicted_s), format_seconds(step.measured_s),
                 format_change(step.predicted_s / step.measured_s - 1));
}

Json to_json(const LoopState& state) {
  Json culprits = Json::array();
  for (const Culprit& c : state.culprits)
    culprits.push_back(
        {{"part", c.part}, {"words", c.words}, {"error_s", c.error_s}, {"share", c.share}});
  return {{"backtest_error", state.backtest_error},
          {"expected_error", state.expected_error},
          {"culprits", std::move(culprits)}};
}

const char* word(LoopResult::End end) {
  switch (end) {
    case LoopResult::End::kTarget:
      return "target";
    case LoopResult::End::kBudget:
      return "budget";
    case LoopResult::End::kPlanned:
      return "planned";
    case LoopResult::End::kStopped:
      return "stopped";
    case LoopResult::End::kNoHelp:
      break;
  }
  return "no help";
}

Report report_of(const LoopResult& result, int at, double target) {
  Report report;
  report.title = "Refinement of " + result.after.model.program;
  report.headline = std::string(1, static_cast<char>(std::toupper(result.why.front()))) +
                    result.why.substr(1) + ".";
  const auto stand = [&](const char* when, const LoopState& s) {
    std::string text =
        std::string(when) + ": back-test " +
        (s.model.backtest.possible ? format_share(s.backtest_error) : "not possible") +
        " off, expected at " + std::to_string(at) + " processes " + format_share(s.expected_error) +
        " (target " + format_share(target) + ")";
    if (!s.culprits.empty())
      text += "; most of it: " + s.culprits.front().words + " (" +
              format_share(s.culprits.front().share) + ")";
    return text + ".";
  };
  report.reasons.push_back(stand("Before", result.before));
  const bool made = !result.steps.empty() && result.steps.back().measured_s > 0;
  if (made) report.reasons.push_back(stand("Now", result.after));
  if (result.spent_core_hours > 0)
    report.reasons.push_back(hours(result.spent_core_hours) + " were spent.");
  if (result.steps.empty()) return report;
  ReportTable table{.id = "steps"};
  table.columns = {{"procs", "processes", Quantity::kProcs},
                   {"because", "because", Quantity::kText},
                   {"core_hours", "core-hours", Quantity::kNumber, Source::kDerived},
                   {"predicted", "predicted", Quantity::kSeconds, Source::kFitted},
                   {"measured", "measured", Quantity::kSeconds, Source::kMeasured}};
  for (const LoopStep& step : result.steps) {
    ReportRow row;
    row.cells = {{.text = {}, .value = step.run.procs},
                 {.text = step.because, .value = {}},
                 {.text = format_significant(step.run.core_hours), .value = step.run.core_hours},
                 {.text = {}, .value = step.predicted_s},
                 {}};
    if (step.measured_s > 0) row.cells.back().value = step.measured_s;
    table.rows.push_back(std::move(row));
  }
  ReportSection section{.id = "steps", .title = made ? "Runs that were made" : "The next run"};
  section.tables.push_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace

int refine_plan(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const Model model = load_model(dir, {.same_program = options.same_program});
  const NextRunOptions next = next_options(options, model);
  const std::vector<NextRun> runs = rank_next_runs(model, next);
  if (options.json) {
    Json list = Json::array();
    for (const NextRun& run : runs) list.push_back(to_json(run));
    std::fputs(format_json({{"at", next.at}, {"runs", list}}).c_str(), stdout);
    return 0;
  }
  Report report;
  report.title = "Next runs of " + model.program;
  const bool helps = !runs.empty() && runs.front().gain() > 0;
  report.headline = helps ? "Most for its cost: " + std::to_string(next.reps) + " runs on " +
                                std::to_string(runs.front().procs) + " processes, " +
                                hours(runs.front().core_hours) + ": the interval at " +
                                std::to_string(next.at) + " would be " +
                                format_share(runs.front().gain()) + " narrower."
                          : "No run within reach would make the interval at " +
                                std::to_string(next.at) + " narrower.";
  report.reasons.push_back("Each candidate as if it had taken what is predicted for it.");
  ReportSection section{.id = "next-runs", .title = "Candidates"};
  if (!runs.empty()) section.tables.push_back(table_of(runs));
  if (!runs.empty()) report.sections.push_back(std::move(section));
  print(report);
  if (helps) print_job_script(options, dir, runs.front().procs);
  return 0;
}

int refine_communication(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const FitOptions fit_options = fit_options_of(dir, options);
  const Model before =
      fit(load_experiment(dir, {.same_program = options.same_program}), fit_options);
  NextRunOptions next = next_options(options, before);
  next.width = [](const Prediction& p) {
    double width = 0;
    for (const auto* part : {&p.parts.comm_p2p, &p.parts.comm_coll, &p.parts.comm_other})
      if (*part) width += (*part)->high_s - (*part)->low_s;
    return width;
  };
  std::vector<NextRun> runs = rank_next_runs(before, next);
  std::erase_if(runs, [](const NextRun& run) { return !run.is_new; });
  if (runs.size() < 2)
    throw InputError("", "no two further process counts are within reach",
                     "--most-procs N, or --procs P,Q", ExitCode::kNotEnoughData);
  runs.resize(2);
  // The farther one is the harder test.
  if (runs[0].procs > runs[1].procs) std::swap(runs[0], runs[1]);
  std::printf("%d processes to refit with (%s), %d to validate with (%s).\n", runs[0].procs,
              hours(runs[0].core_hours).c_str(), runs[1].procs, hours(runs[1].core_hours).c_str());
  if (options.command.empty() || options.dry_run) {
    for (const NextRun& run : runs) print_job_script(options, dir, run.procs);
    return 0;
  }
  if (const int code = make_runs(options, dir, runs[0].procs); code != 0) return code;
  if (const int code = make_runs(options, dir / kValidationFolder, runs[1].procs); code != 0)
    return code;
  const Model after =
      fit(load_experiment(dir, {.same_program = options.same_program}), fit_options);
  write_model(after, dir / "model.json");
  const Experiment unseen =
      read_experiment(dir / kValidationFolder, {.same_program = options.same_program});
  for (const auto& [model, when] : {std::pair(&before, "Before"), std::pair(&after, "After")}) {
    std::printf("\n%s:\n", when);
    print(make_validation_report(*model, validate(*model, unseen)));
  }
  return 0;
}

int refine_loop(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const ExperimentOptions same{.same_program = options.same_program};
  LoopOptions loop;
  loop.fit = fit_options_of(dir, options);
  loop.next = next_options(options, fit(load_experiment(dir, same), loop.fit));
  loop.target_error = *options.target_error;
  loop.budget_core_hours = options.budget_core_hours;
  const bool runs_here = !options.dry_run && !options.command.empty();
  std::optional<LoopNote> note = read_note(dir);
  if (note && options.at == 0) loop.next.at = note->at;
  if (!note && runs_here) note = begin_note(dir, loop.next.at);
  loop.refine = [&](const Experiment& experiment, Model* model) {
    if (has_frequency_runs(dir)) refine_by_all_runs(options, dir, experiment, loop.fit, model);
  };
  int code = 0;
  LoopHands hands;
  hands.measured = [&] { return load_experiment(dir, same); };
  hands.spent = [&] { return note ? spent_since(dir, note->before) : 0; };
  const auto make_step = [&] {
    RefineOptions here = options;
    here.reps = note->step->reps;
    here.procs = {note->step->procs};
    code = note->step->at_frequencies ? make_frequency_runs(here, hands.measured(), dir)
                                      : make_runs(here, dir, note->step->procs);
    if (code != 0) return false;
    note->step.reset();
    write_note(dir, *note);
    return true;
  };
  // What was not even begun is chosen anew.
  const auto is_profiled = [&](int procs) {
    const Experiment now = hands.measured();
    return std::any_of(now.points.begin(), now.points.end(),
                       [&](const ExperimentPoint& p) { return p.procs == procs; });
  };
  if (runs_here && note->step && (note->step->at_frequencies || is_profiled(note->step->procs))) {
    spdlog::info("first, what was interrupted: {} processes", note->step->procs);
    if (!make_step()) return code;
  }
  if (runs_here || options.dry_run)
    if (!has_frequency_runs(dir))
      loop.frequency_runs = frequency_runs_to_make(options, hands.measured(), dir);
  if (runs_here)
    hands.make = [&](const LoopStep& step) {
      spdlog::info("next: {} processes, {}", step.run.procs, hours(step.run.core_hours));
      note->step = {step.run.procs, options.reps, step.at_frequencies};
      // Again at a count that was profiled: so many runs more.
      if (!step.run.is_new && !step.at_frequencies)
        for (const ExperimentPoint& p : hands.measured().points)
          if (p.procs == step.run.procs) note->step->reps += p.elapsed_s.repetitions;
      write_note(dir, *note);
      return make_step();
    };
  const LoopResult result = run_loop(loop, hands);
  for (const LoopStep& step : result.steps) tell_step(step);
  if (options.json) {
    Json steps = Json::array();
    for (const LoopStep& step : result.steps)
      steps.push_back({{"run", to_json(step.run)},
                       {"because", step.because},
                       {"predicted_s", step.predicted_s},
                       {"measured_s", step.measured_s > 0 ? Json(step.measured_s) : Json()}});
    std::fputs(format_json({{"end", word(result.end)},
                            {"why", result.why},
                            {"at", loop.next.at},
                            {"before", to_json(result.before)},
                            {"after", to_json(result.after)},
                            {"spent_core_hours", result.spent_core_hours},
                            {"steps", std::move(steps)}})
                   .c_str(),
               stdout);
  } else {
    print(report_of(result, loop.next.at, loop.target_error));
  }
  if (result.end == LoopResult::End::kPlanned) {
    const LoopStep& step = result.steps.back();
    if (step.at_frequencies)
      spdlog::info("apmt refine --frequency --machine {} -- <the same command>",
                   options.machine.string());
    else if (!options.json)
      print_job_script(options, dir, step.run.procs);
    return 0;
  }
  if (result.end == LoopResult::End::kStopped) return code;
  write_model(result.after.model, dir / "model.json");
  return result.end == LoopResult::End::kTarget ? 0 : static_cast<int>(ExitCode::kThresholdNotMet);
}

}  // namespace apmt
