#include <algorithm>
#include <set>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// Groups of calls that take no more than this share of the whole time have no row of their own.
constexpr double kLeastOfGroup = 0.01;

struct PartsRow {
  int procs = 0;
  bool measured = false;
  Source source = Source::kMeasured;
  bool incomplete = false;
  bool emphasised = false;
  std::array<std::optional<double>, kPartCount> seconds = {};
  double total_s = 0;  // sum of the parts
  double whole_s = 0;
};

PartsRow measured_row(const ModelPoint& point) {
  PartsRow row{.procs = point.procs, .measured = true};
  for (std::size_t i = 0; i < kPartCount; ++i) {
    if (kPartColumns[i].measured == nullptr) continue;
    const std::optional<Measured>& part = point.parts.*kPartColumns[i].measured;
    if (!part) continue;
    row.seconds[i] = part->value;
    row.total_s += part->value;
  }
  row.whole_s = point.elapsed_s > 0 ? point.elapsed_s : row.total_s;
  row.incomplete = !point.parts.comm_p2p_s || !point.parts.comm_coll_s;
  return row;
}

PartsRow predicted_row(const Model& model, const Prediction& prediction) {
  PartsRow row{.procs = prediction.procs, .source = predicted_source(model, prediction)};
  for (std::size_t i = 0; i < kPartCount; ++i) {
    const std::optional<TimeEstimate>& part = prediction.parts.*kPartColumns[i].predicted;
    if (part) row.seconds[i] = part->time_s;
  }
  row.total_s = row.whole_s = prediction.time.time_s;
  row.incomplete = !prediction.missing.empty();
  return row;
}

/// Whether a part takes a share of the time that is not negligible.
bool is_there(const PartsRow& row, std::size_t part) {
  constexpr double kLeastShare = 1e-7;
  return row.seconds[part].value_or(0) > kLeastShare * row.total_s;
}

/// Measured rows at the profiled process counts and predicted rows at the others, sorted by count.
std::vector<PartsRow> rows_of(const Model& model, const std::vector<Prediction>& predictions,
                              const Prediction& target) {
  std::vector<PartsRow> rows;
  std::set<int> profiled;
  for (const ModelPoint& point : model.points) {
    if (model.scaling == Scaling::kMixed && point.params != target.params) continue;
    if (profiled.insert(point.procs).second) rows.push_back(measured_row(point));
  }
  for (const Prediction& prediction : predictions) {
    const bool other_size = model.scaling != Scaling::kWeak && prediction.params != target.params;
    if (other_size || profiled.count(prediction.procs) > 0) continue;
    rows.push_back(predicted_row(model, prediction));
    rows.back().emphasised = &prediction == &target;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PartsRow& a, const PartsRow& b) { return a.procs < b.procs; });
  return rows;
}

ReportTable target_table(const Model& model, const Prediction& target,
                         const std::vector<std::size_t>& used, bool has_memory) {
  const Source source = predicted_source(model, target);
  ReportTable table{.id = "parts_at_target"};
  table.columns = {
      {"part", "part", Quantity::kText},
      {"time", "time at " + std::to_string(target.procs), Quantity::kSeconds, source},
      {"interval", format_share(target.confidence) + " interval", Quantity::kSecondsRange, source},
      {"share", "share", Quantity::kShare, derived_source(model, target)},
  };
  table.columns.back().is_bar = true;
  for (const std::size_t i : used) {
    const PartColumn& part = kPartColumns[i];
    const std::optional<TimeEstimate>& time = target.parts.*part.predicted;
    if (!time) continue;
    const double whole = target.time.time_s;
    table.rows.push_back(
        {.cells = {
             text_cell(part_title(part, has_memory)), time_cell(time), interval_cell(time),
             number_cell(whole > 0 ? std::optional<double>(time->time_s / whole) : std::nullopt)}});
    const std::vector<PredictedGroup>* groups =
        part.predicted == &PredictedParts::comm_p2p    ? &target.messages
        : part.predicted == &PredictedParts::comm_coll ? &target.collectives
        : part.predicted == &PredictedParts::comm_wait ? &target.waiting
                                                       : nullptr;
    if (groups == nullptr) continue;
    for (const PredictedGroup& own : *groups)
      if (own.time.time_s > kLeastOfGroup * whole)
        table.rows.push_back(
            {.cells = {text_cell("of these, " + own.name), time_cell(own.time),
                       interval_cell(own.time), number_cell(own.time.time_s / whole)}});
  }
  return table;
}

ReportTable all_table(const std::vector<PartsRow>& rows, const std::vector<std::size_t>& used,
                      bool has_memory) {
  ReportTable table{.id = "parts", .repeats_chart = true};
  table.caption = "Mean over processes";
  table.columns = {{"procs", "processes", Quantity::kProcs}, {"figures", "", Quantity::kText}};
  for (const std::size_t i : used)
    table.columns.push_back(
        {kPartColumns[i].id, part_title(kPartColumns[i], has_memory), Quantity::kSeconds});
  const bool incomplete =
      std::any_of(rows.begin(), rows.end(), [](const PartsRow& row) { return row.incomplete; });
  table.columns.push_back({"sum", incomplete ? "sum of known" : "sum", Quantity::kSeconds});
  for (const PartsRow& row : rows) {
    ReportRow out{
        .cells = {number_cell(row.procs), text_cell(row.measured ? "measured" : "predicted")},
        .emphasised = row.emphasised};
    for (const std::size_t i : used)
      out.cells.push_back(from(row.source, number_cell(row.seconds[i])));
    out.cells.push_back(
        from(row.measured ? Source::kDerived : row.source, number_cell(row.total_s)));
    table.rows.push_back(std::move(out));
  }
  return table;
}

PartsChart chart_of(const std::vector<PartsRow>& rows, const std::vector<std::size_t>& used,
                    bool has_memory) {
  PartsChart chart;
  for (const std::size_t i : used) chart.parts.push_back(part_title(kPartColumns[i], has_memory));
  for (const PartsRow& row : rows) {
    PartsChart::Bar bar{.procs = row.procs,
                        .measured = row.measured,
                        .incomplete = row.incomplete,
                        .seconds = {},
                        .total_s = row.total_s,
                        .whole_s = row.whole_s};
    for (const std::size_t i : used) bar.seconds.push_back(row.seconds[i]);
    chart.bars.push_back(std::move(bar));
  }
  chart.description =
      "Each part's share of the sum of the parts, and the whole time, at each process count.";
  return chart;
}

}  // namespace

OptionalSection parts_section(const Model& model, const std::vector<Prediction>& predictions) {
  if (knows_only_wholes(model)) return std::nullopt;
  const Prediction& target = target_of(predictions);
  const bool has_memory = std::any_of(predictions.begin(), predictions.end(),
                                      [](const auto& p) { return p.parts.mem.has_value(); });
  const std::vector<PartsRow> rows = rows_of(model, predictions, target);
  std::vector<std::size_t> used;
  std::vector<std::string> nothing;
  for (std::size_t i = 0; i < kPartCount; ++i) {
    if (std::none_of(rows.begin(), rows.end(), [i](const auto& r) { return r.seconds[i]; }))
      continue;
    if (std::any_of(rows.begin(), rows.end(), [i](const auto& r) { return is_there(r, i); }))
      used.push_back(i);
    else
      nothing.push_back(part_title(kPartColumns[i], has_memory));
  }
  if (used.empty()) return std::nullopt;
  ReportSection section{.id = "parts", .title = "Where the time goes"};
  if (!nothing.empty())
    section.sentences.push_back("No time, measured or predicted: " + join_list(nothing) + ".");
  ReportTable at_target = target_table(model, target, used, has_memory);
  std::vector<PartsRow> others = rows;
  if (at_target.rows.size() > 1) {
    section.tables.push_back(std::move(at_target));
    std::erase_if(others, [](const PartsRow& row) { return row.emphasised; });
  }
  if (!others.empty()) section.tables.push_back(all_table(others, used, has_memory));
  section.parts_chart = chart_of(rows, used, has_memory);
  return section;
}

}  // namespace apmt
