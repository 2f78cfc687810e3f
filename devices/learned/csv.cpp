#include "devices/learned/csv.h"

#include <charconv>
#include <cmath>

#include "base/input_error.h"

namespace apmt::learned {
namespace {

std::string trimmed(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::vector<CsvLine> csv_lines(std::string_view text, const std::string& name,
                               std::size_t first_line) {
  std::vector<CsvLine> lines;
  std::size_t number = first_line;
  std::size_t at = 0;
  while (at < text.size()) {
    CsvLine line{.number = number, .cells = {""}};
    bool quoted = false;
    for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
      const char c = text[at];
      if (c == '\n') ++number;
      if (c == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"')
        line.cells.back() += text[++at];
      else if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        line.cells.emplace_back();
      else if (c != '\r' || quoted)
        line.cells.back() += c;
    }
    if (quoted)
      throw InputError(name + ":" + std::to_string(line.number), "a quotation does not end",
                       "close it with a second \"");
    ++at;
    ++number;
    if (line.cells.size() > 1 || !trimmed(line.cells.front()).empty())
      lines.push_back(std::move(line));
  }
  return lines;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string csv_number(double value) {
  char text[40];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

std::optional<double> number_in(const std::string& cell, const std::string& where) {
  const std::string text = trimmed(cell);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end)
    throw InputError(where, "expected a number, not '" + text + "'",
                     "leave the cell empty where the value is not known");
  if (!std::isfinite(value))
    throw InputError(where, "'" + text + "' is not a finite number",
                     "leave the cell empty where the value is not known");
  return value;
}

}  // namespace apmt::learned
