// apmt refine --plan ranks the runs to make next. apmt refine --communication makes the two further
// runs of the APMT paper: one to refit the model, one to validate it.

#include <algorithm>
#include <cstdio>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/refine.h"
#include "cli/refine_runs.h"
#include "fitter/validate.h"
#include "refine/verdict_runs.h"
#include "reports/numbers.h"
#include "reports/validation.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kValidationFolder = "validation";  // runs here are never fitted

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

std::string words(const VerdictRun& run) {
  return run.kind == VerdictRun::Kind::kSmallData
             ? "with data that fit into the caches"
             : "at " + format_share(kSlowFrequency) + " of the core frequency";
}

ReportTable table_of(const Model& model, const std::vector<VerdictRun>& runs) {
  ReportTable table{.id = "verdict-runs"};
  table.columns = {{"kernel", "kernel", Quantity::kText},
                   {"run", "run", Quantity::kText},
                   {"procs", "processes", Quantity::kProcs},
                   {"core_hours", "core-hours", Quantity::kNumber, Source::kDerived},
                   {"bound", "bound by", Quantity::kText},
                   {"probability", "probability", Quantity::kShare, Source::kFitted},
                   {"expected", "after the run", Quantity::kShare, Source::kDerived}};
  for (const VerdictRun& run : runs) {
    ReportRow row;
    row.cells = {
        {.text = short_name(kernel_title(model, model.kernels.at(run.kernel))), .value = {}},
        {.text = words(run), .value = {}},
        {.text = {}, .value = run.procs},
        {.text = format_significant(run.core_hours), .value = run.core_hours},
        {.text = run.bound, .value = {}},
        {.text = {}, .value = run.probability},
        {.text = {}, .value = run.expected_probability}};
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportSection section_of(const Model& model, const std::vector<VerdictRun>& runs) {
  ReportSection section{.id = "verdict-runs", .title = "Compute-bound or memory-bound?"};
  section.sentences = {
      "For these kernels, the runs leave open whether computation or memory bounds them. A run at "
      "a smaller problem size, whose data fit into the caches, would show how long computation "
      "alone takes; record it into the same experiment, and count its accesses (apmt simulate). "
      "apmt refine --frequency makes runs at other core frequencies."};
  section.tables.push_back(table_of(model, runs));
  return section;
}

Json to_json(const Model& model, const VerdictRun& run) {
  return {{"kernel", model.kernels.at(run.kernel).name},
          {"run", run.kind == VerdictRun::Kind::kSmallData ? "small data" : "slow core"},
          {"procs", run.procs},
          {"core_hours", run.core_hours},
          {"bound", run.bound},
          {"probability", run.probability},
          {"expected_probability", run.expected_probability}};
}

}  // namespace

int refine_plan(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const Model model = load_model(dir, {.same_program = options.same_program}, options.unmerged());
  const NextRunOptions next = next_options(options, model);
  const std::vector<NextRun> runs = rank_next_runs(model, next);
  const std::vector<VerdictRun> for_verdicts = verdict_runs(model, next.at, next.reps);
  if (options.json) {
    Json list = Json::array();
    for (const NextRun& run : runs) list.push_back(to_json(run));
    Json verdicts = Json::array();
    for (const VerdictRun& run : for_verdicts) verdicts.push_back(to_json(model, run));
    std::fputs(format_json({{"at", next.at}, {"runs", list}, {"verdict_runs", verdicts}}).c_str(),
               stdout);
    return 0;
  }
  Report report;
  report.title = "Next runs of " + model.program;
  const bool helps = !runs.empty() && runs.front().gain() > 0;
  report.headline = helps ? "Best value: " + plural(next.reps, "run", "runs") + " on " +
                                processes(runs.front().procs) + ", " +
                                core_hours_text(runs.front().core_hours) + ": the interval at " +
                                std::to_string(next.at) + " would be " +
                                format_share(runs.front().gain()) + " narrower."
                          : "No run within reach would narrow the interval at " +
                                std::to_string(next.at) + " processes.";
  report.reasons = {"Each candidate is assumed to take its predicted time."};
  ReportSection section{.id = "next-runs", .title = "Candidates"};
  if (!runs.empty()) section.tables.push_back(table_of(runs));
  if (!runs.empty()) report.sections.push_back(std::move(section));
  if (!for_verdicts.empty()) report.sections.push_back(section_of(model, for_verdicts));
  print(report);
  if (helps) print_job_script(options, dir, runs.front().procs);
  return 0;
}

int refine_communication(const RefineOptions& options) {
  const fs::path& dir = options.dir;
  const FitOptions fit_options = fit_options_of(dir, options);
  const Model before =
      fit(load_experiment(dir, {.same_program = options.same_program}, options.unmerged()),
          fit_options);
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
  // The run at the larger process count is for validation, because it is the harder test.
  if (runs[0].procs > runs[1].procs) std::swap(runs[0], runs[1]);
  std::printf("%s to refit with (%s), %s to validate with (%s).\n",
              processes(runs[0].procs).c_str(), core_hours_text(runs[0].core_hours).c_str(),
              processes(runs[1].procs).c_str(), core_hours_text(runs[1].core_hours).c_str());
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

}  // namespace apmt
