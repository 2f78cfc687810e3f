#include "base/checked_json.h"
#include "reports/render.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(printable(text)); }

Json sentences_json(const std::vector<std::string>& sentences) {
  Json list = Json::array();
  for (const std::string& sentence : sentences) list.push_back(printable(sentence));
  return list;
}

Json cell_json(const ReportColumn& column, const ReportCell& cell) {
  const bool is_text = column.quantity == Quantity::kText;
  if (is_text ? cell.text.empty() : !cell.value) return {};
  Json json = {{"source", text_or_null(to_string(source_of(column, cell)))}};
  if (!cell.text.empty()) json["text"] = printable(cell.text);
  if (is_text) return json;
  if (is_range(column.quantity)) {
    json["low"] = *cell.value;
    json["high"] = cell.high;
  } else {
    json["value"] = *cell.value;
  }
  return json;
}

/// The points as a list of pairs [process count, value].
Json pairs_json(const std::vector<PlotPoint>& points) {
  Json list = Json::array();
  for (const PlotPoint& point : points) list.push_back({point.procs, point.value});
  return list;
}

Json table_json(const ReportTable& table) {
  Json columns = Json::array();
  for (const ReportColumn& column : table.columns)
    columns.push_back({{"id", column.id},
                       {"title", printable(column.title)},
                       {"unit", text_or_null(unit_of(column.quantity))}});
  Json rows = Json::array();
  for (const ReportRow& row : table.rows) {
    Json json = {{"cells", Json::object()}};
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      json["cells"][table.columns[c].id] = cell_json(table.columns[c], row.cells[c]);
    if (row.emphasised) json["emphasised"] = true;
    if (row.sparkline) {
      json["measured_over_procs"] = pairs_json(row.sparkline->measured);
      json["predicted_over_procs"] = pairs_json(row.sparkline->predicted);
    }
    rows.push_back(std::move(json));
  }
  return {{"id", table.id},
          {"caption", text_or_null(table.caption)},
          {"columns", columns},
          {"rows", rows}};
}

Json time_chart_json(const TimeChart& chart, bool is_virtual) {
  Json series = Json::array();
  const auto add = [&](const std::string& name, Source source, const auto& points) {
    if (points.empty()) return;
    Json list = Json::array();
    for (const PlotPoint& point : points) {
      const bool beyond = source == Source::kFitted && point.procs > chart.max_profiled;
      Json json = {{"procs", point.procs},
                   {"time_s", point.value},
                   {"source", to_string(beyond ? Source::kExtrapolated : source)}};
      if (point.low < point.high) {
        json["low_s"] = point.low;
        json["high_s"] = point.high;
      }
      list.push_back(std::move(json));
    }
    series.push_back({{"name", printable(name)}, {"points", std::move(list)}});
  };
  const Source measured = is_virtual ? Source::kVirtual : Source::kMeasured;
  add("elapsed", measured, chart.elapsed);
  add("parts in the model", measured, chart.known);
  add("ideal", Source::kDerived, chart.ideal);
  add("predicted", Source::kFitted, chart.predicted);
  for (const TimeChart::Line& line : chart.baselines)
    add("baseline: " + line.name, Source::kFitted, line.points);
  return series;
}

Json matrix_json(const MatrixChart& chart) {
  Json cells = Json::array();
  for (const MatrixChart::Cell& cell : chart.cells)
    cells.push_back({cell.from, cell.to, cell.level});
  return {{"ranks", chart.ranks},
          {"ranks_per_cell", chart.ranks_per_cell},
          {"most_bytes", chart.most_bytes},
          {"cells", std::move(cells)}};
}

Json section_json(const ReportSection& section, bool is_virtual) {
  Json tables = Json::array();
  for (const ReportTable& table : section.tables) tables.push_back(table_json(table));
  Json json = {{"id", section.id},
               {"title", printable(section.title)},
               {"sentences", sentences_json(section.sentences)},
               {"tables", std::move(tables)}};
  if (section.time_chart)
    json["time_over_procs"] = time_chart_json(*section.time_chart, is_virtual);
  if (section.matrix_chart) json["matrix"] = matrix_json(*section.matrix_chart);
  return json;
}

}  // namespace

Json to_json(const Report& report) {
  Json facts = Json::object();
  for (const ReportFact& fact : report.facts) facts[fact.name] = printable(fact.value);
  Json sections = Json::array();
  for (const ReportSection& section : report.sections)
    sections.push_back(section_json(section, report.is_virtual));
  return {{"format", "apmt-report"},
          {"format_version", "1.0"},
          {"title", printable(report.title)},
          {"headline", printable(report.headline)},
          {"reasons", sentences_json(report.reasons)},
          {"facts", std::move(facts)},
          {"warnings", sentences_json(report.warnings)},
          {"sections", std::move(sections)}};
}

}  // namespace apmt
