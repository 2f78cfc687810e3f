#include "reports/numbers.h"
#include "reports/report.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

std::string experiment_headline(const Experiment& experiment) {
  const std::vector<int> counts = experiment.process_counts();
  return std::to_string(experiment.runs.size()) +
         (experiment.runs.size() == 1 ? " run of " : " runs of ") + experiment.program + " on " +
         join_numbers(counts) + (counts.back() == 1 ? " process." : " processes.");
}

ReportTable points_table(const Experiment& experiment) {
  ReportTable table;
  table.id = "points";
  table.columns = {{"procs", "processes", Quantity::kProcs, Source::kMeasured},
                   {"sizes", "sizes", Quantity::kText},
                   {"repetitions", "runs", Quantity::kCount, Source::kMeasured},
                   {"elapsed", "time", Quantity::kSeconds, Source::kMeasured},
                   {"spread", "spread", Quantity::kShare, Source::kMeasured},
                   {"balance", "load balance", Quantity::kShare, Source::kMeasured},
                   {"note", "note", Quantity::kText}};
  for (const ExperimentPoint& point : experiment.points) {
    ReportRow row;
    row.cells = {
        {"", double(point.procs)},
        {point.params.empty() ? "-" : params_words(point.params), {}},
        {"", double(point.runs.size())},
        {"", point.elapsed_s.value},
        point.elapsed_s.repetitions > 1 ? ReportCell{"", point.elapsed_s.rel_sigma} : ReportCell{},
        {"", point.load_balance},
        {point.oversubscribed ? "more ranks than cores" : "", {}}};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report make_experiment_report(const Experiment& experiment) {
  Report report;
  report.title = "Runs of " + experiment.program;
  report.headline = experiment_headline(experiment);
  report.facts.push_back({"grade", grade_words(experiment.grade)});
  if (experiment.is_virtual) report.facts.push_back({"machine", "a simulated cluster"});
  ReportSection section;
  section.id = "points";
  section.title = "Runs";
  section.tables.push_back(points_table(experiment));
  report.sections.push_back(std::move(section));
  report.warnings = experiment.warnings;
  return report;
}

}  // namespace apmt
