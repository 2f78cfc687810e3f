// The report of a device card: the device's figures and where each comes from.
#include "reports/devices/device.h"

#include <array>

#include "devices/card_doubts.h"
#include "devices/card_figures.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using namespace devices;

std::string value_text(const std::string& name, double value) {
  if (name.ends_with("_bytes_per_s")) return format_bytes(value) + "/s";
  if (name.ends_with("_bytes")) return format_bytes(value);
  if (name.ends_with("_s")) return format_seconds(value);
  if (name.ends_with("_hz")) return format_count(value) + "Hz";
  if (name.ends_with("_flops")) return format_count(value) + "FLOP/s";
  return format_count(value);
}

class FigureTable {
 public:
  explicit FigureTable(const Device& device) : device_(device) {
    table_.id = "figures";
    table_.columns = {{.id = "figure", .title = "figure", .is_code = true},
                      {.id = "value", .title = "value"},
                      {.id = "spread", .title = "spread", .quantity = Quantity::kShare},
                      {.id = "from", .title = "from"}};
  }

  /// `unit`: a text that ends in the figure's unit, such as "_bytes_per_s".
  void add(const std::string& name, const MaybeFigure& figure, const std::string& unit) {
    if (!figure) return;
    const auto source = device_.sources.find(figure->origin.from);
    table_.rows.push_back(
        {.cells = {{.text = name},
                   {.text = value_text(unit, figure->value), .value = figure->value},
                   {.value = figure->spread > 0 ? std::optional(figure->spread) : std::nullopt},
                   {.text = source == device_.sources.end() ? "" : source->second.kind}}});
  }
  ReportTable table() { return std::move(table_); }

 private:
  const Device& device_;
  ReportTable table_;
};

ReportTable figures_of(const Device& device) {
  FigureTable table(device);
  for (const FigureField& f : kFigures) table.add(f.name, device.*f.member, f.name);
  const std::pair<const char*, const Rates*> precisions[] = {{"double", &device.in_double},
                                                             {"single", &device.in_single}};
  for (const auto& [precision, rates] : precisions)
    for (const RateField& f : kRates) {
      const std::string name = std::string(precision) + " " + f.name;
      table.add(name + ", one core", rates->*f.core, "_flops");
      table.add(name + ", all", rates->*f.all, "_flops");
    }
  table.add("to_device", device.to_device.bytes_per_s, "_bytes_per_s");
  table.add("from_device", device.from_device.bytes_per_s, "_bytes_per_s");
  return table.table();
}

ReportTable levels_of(const Device& device) {
  ReportTable table{.id = "levels", .caption = "Memory"};
  table.columns = {{.id = "level", .title = "level", .is_code = true},
                   {.id = "size", .title = "size", .quantity = Quantity::kBytes},
                   {.id = "latency", .title = "latency", .quantity = Quantity::kSeconds},
                   {.id = "rate", .title = "bandwidth"}};
  const auto value = [](const MaybeFigure& f) {
    return f ? std::optional(f->value) : std::nullopt;
  };
  for (const CardLevel& level : device.levels)
    table.rows.push_back(
        {.cells = {{.text = level.name},
                   {.value = value(level.size_bytes)},
                   {.value = value(level.latency_s)},
                   {.text = level.bytes_per_s ? format_bytes(level.bytes_per_s->value) + "/s" : "",
                    .value = value(level.bytes_per_s)}}});
  return table;
}

ReportTable idioms_of(const Device& device) {
  constexpr std::array kSizes = {1024.0 * 2, 1024.0 * 32, 1048576.0, 1048576.0 * 32,
                                 1048576.0 * 1024};
  ReportTable table{.id = "idioms", .caption = "Bandwidth by the bytes touched"};
  table.columns = {{.id = "idiom", .title = "idiom"}};
  for (const double size : kSizes)
    table.columns.push_back({.id = format_bytes(size), .title = format_bytes(size)});
  for (const auto& [idiom, curve] : device.idioms) {
    ReportRow row{.cells = {{.text = idiom}}};
    for (const double size : kSizes) {
      const auto rate = curve.at(size);
      const bool is_known = rate && !rate->is_beyond;
      row.cells.push_back({.text = is_known ? format_bytes(rate->bytes_per_s) + "/s" : "",
                           .value = is_known ? std::optional(rate->bytes_per_s) : std::nullopt});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report make_device_report(const Device& device) {
  Report report;
  report.title = device.name;
  report.headline =
      device.is_measured() ? "Measured." : "From documents; missing figures were not published.";
  report.facts = {{"kind", device.kind}};
  if (!device.note.empty()) report.facts.push_back({"note", device.note});
  ReportSection section{.id = "device", .title = "Figures"};
  section.tables.push_back(figures_of(device));
  if (!device.levels.empty()) section.tables.push_back(levels_of(device));
  if (!device.idioms.empty()) section.tables.push_back(idioms_of(device));
  report.sections.push_back(std::move(section));
  report.warnings = doubts_of(device);
  return report;
}

}  // namespace apmt
