#include "reports/report.h"

#include <algorithm>
#include <map>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

void add(Report* report, OptionalSection section) {
  if (section) report->sections.push_back(std::move(*section));
}

/// A command without the folder of the program.
std::string without_folder(const std::string& command) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::size_t slash = command.rfind('/', end);
  return slash == std::string::npos ? command : command.substr(slash + 1);
}

/// The command of the largest run.
std::string command_of(const Experiment* experiment) {
  if (experiment == nullptr || experiment->runs.empty()) return {};
  return without_folder(experiment->runs.back().command);
}

/// The commands of other process counts with the same problem sizes, if they differ from the
/// command of the largest run: "; with 8: lulesh -s 24; with 27: lulesh -s 16".
std::string other_commands(const Experiment& experiment) {
  const RunProfile& last = experiment.runs.back();
  std::map<int, std::string> commands;
  for (const RunProfile& run : experiment.runs)
    if (run.command != last.command && run.config.procs != last.config.procs &&
        run.config.params == last.config.params)
      commands.emplace(run.config.procs, without_folder(run.command));
  std::string text;
  for (const auto& [procs, command] : commands)
    text += "; with " + std::to_string(procs) + ": " + command;
  return text;
}

/// The problem comes right after the program, because every figure of the report is about this
/// problem.
std::vector<ReportFact> model_facts(const Model& model, const Prediction& target,
                                    const Experiment* experiment) {
  std::vector<ReportFact> facts;
  facts.push_back({"program", model.program});
  const std::string command = command_of(experiment);
  if (!target.params.empty())
    facts.push_back({"problem", params_words(target.params)});
  else if (experiment != nullptr && command.find(' ') == std::string::npos)
    facts.push_back({"problem", "not named"});
  if (!command.empty())
    facts.push_back({"command", command + " (" + processes(experiment->runs.back().config.procs) +
                                    ")" + other_commands(*experiment)});
  const std::vector<int> counts = model.process_counts();
  facts.push_back(
      {"profiled", counts == std::vector{1} ? processes(1) : join_numbers(counts) + " processes"});
  if (target.scaling != Scaling::kSinglePoint)
    facts.push_back({"scaling", scaling_words(target.scaling)});
  facts.push_back({"grade", grade_words(model)});
  std::string assumed;
  for (const Assumption& a : target.assumptions) assumed += (assumed.empty() ? "" : "; ") + a.text;
  if (!assumed.empty()) facts.push_back({"what if", assumed});
  if (model.is_virtual) facts.push_back({"machine", "a simulated cluster"});
  return facts;
}

}  // namespace

Report make_report(const Model& model, const std::vector<Prediction>& predictions,
                   const Experiment* experiment, const std::vector<Prediction>& curve,
                   const MachineProfile* profiled_on, const Ahead* ahead) {
  const Prediction& target = target_of(predictions);
  Report report;
  report.title = "Scaling of " + model.program;
  report.headline = headline(model, predictions);
  report.reasons = reasons(model, predictions);
  report.facts = model_facts(model, target, experiment);
  add(&report, prediction_section(model, predictions, curve));
  if (ahead != nullptr) add(&report, outlook_section(model, target, *ahead));
  add(&report, guidance_section(model, target,
                                ahead == nullptr ? std::vector<HalvedCost>() : ahead->changes));
  add(&report, kernels_section(model, predictions, curve, experiment));
  add(&report, parts_section(model, predictions));
  add(&report, efficiency_section(model, predictions));
  add(&report, roofline_section(model, profiled_on));
  add(&report, communication_section(model, &target));
  if (experiment != nullptr && !experiment->runs.empty()) {
    const RunProfile& largest = experiment->runs.back();
    OptionalSection section = mpi_section(largest);
    if (section) section->title += " with " + processes(largest.config.procs) + ", as measured";
    add(&report, std::move(section));
  }
  add(&report, trust_section(model, &target));
  add(&report, points_section(model, experiment));
  report.warnings = all_warnings(model, predictions);
  if (model.is_virtual) mark_virtual(&report);
  return report;
}

Report make_prediction_report(const Model& model, const std::vector<Prediction>& predictions) {
  const Prediction& target = target_of(predictions);
  Report report;
  report.title = "Prediction for " + model.program;
  report.headline = headline(model, predictions);
  report.reasons = reasons(model, predictions);
  report.facts = model_facts(model, target, nullptr);
  for (OptionalSection section :
       {prediction_section(model, predictions, {}), parts_section(model, predictions),
        kernels_section(model, predictions, {}, nullptr)}) {
    if (!section) continue;
    std::erase_if(section->tables, [](const ReportTable& table) { return table.id == "parts"; });
    section->sentences.clear();  // keeps the report short
    if (!section->tables.empty()) add(&report, std::move(section));
  }
  report.warnings = all_warnings(model, predictions);
  return report;
}

void mark_virtual(Report* report) {
  report->is_virtual = true;
  const auto mark = [](Source* source) {
    if (*source == Source::kMeasured) *source = Source::kVirtual;
  };
  for (ReportSection& section : report->sections)
    for (ReportTable& table : section.tables) {
      for (ReportColumn& column : table.columns) mark(&column.source);
      for (ReportRow& row : table.rows)
        for (ReportCell& cell : row.cells)
          if (cell.source) mark(&*cell.source);
    }
}

}  // namespace apmt
