#include "reports/numbers.h"
#include "reports/render.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

/// A CSV field as RFC 4180 requires it: quoted if necessary, with quotes doubled.
std::string field(const std::string& raw) {
  const std::string text = printable(raw);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string with_unit(const std::string& id, Quantity quantity) {
  const std::string suffix = unit_of(quantity);
  const bool says_so = id == suffix || id.ends_with("_" + suffix);
  return (suffix == "s" || suffix == "bytes") && !says_so ? id + "_" + suffix : id;
}

/// The name of a row: its first cell.
std::string row_name(const ReportTable& table, const ReportRow& row) {
  if (row.cells.empty()) return {};
  const ReportCell& cell = row.cells.front();
  if (table.columns.front().quantity == Quantity::kText) return cell.text;
  return cell.value ? format_exact(*cell.value) : std::string();
}

void add_figures(const ReportTable& table, std::string* out) {
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string lead = field(table.id) + ',' + std::to_string(r + 1) + ',' +
                             field(row_name(table, table.rows[r])) + ',';
    for (std::size_t c = 1; c < table.columns.size(); ++c) {
      const ReportColumn& column = table.columns[c];
      const ReportCell& cell = table.rows[r].cells[c];
      const auto add = [&](const std::string& id, const std::string& value) {
        *out += lead + field(id) + ',' + unit_of(column.quantity) + ',' +
                to_string(source_of(column, cell)) + ',' + field(value) + '\n';
      };
      if (column.quantity == Quantity::kText) {
        if (!cell.text.empty()) add(column.id, cell.text);
      } else if (cell.value && is_range(column.quantity)) {
        add(column.id + "_low", format_exact(*cell.value));
        add(column.id + "_high", format_exact(cell.high));
      } else if (cell.value) {
        add(column.id, format_exact(*cell.value));
      }
    }
  }
}

}  // namespace

std::string render_csv(const Report& report) {
  std::string out = "table,row,name,quantity,unit,source,value\n";
  for (const ReportSection& section : report.sections) {
    for (const ReportTable& table : section.tables) add_figures(table, &out);
  }
  return out;
}

std::string render_csv(const ReportTable& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ReportColumn& column = table.columns[c];
    if (c > 0) out += ',';
    if (is_range(column.quantity)) {
      out += field(with_unit(column.id + "_low", column.quantity)) + ',' +
             field(with_unit(column.id + "_high", column.quantity));
    } else {
      out += field(with_unit(column.id, column.quantity));
    }
  }
  out += '\n';
  for (const ReportRow& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Quantity quantity = table.columns[c].quantity;
      const ReportCell& cell = row.cells[c];
      if (c > 0) out += ',';
      if (quantity == Quantity::kText) {
        out += field(cell.text);
      } else {
        if (cell.value) out += format_exact(*cell.value);
        if (is_range(quantity)) out += ',' + (cell.value ? format_exact(cell.high) : std::string());
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace apmt
