// Tables of comma-separated values (RFC 4180), and numbers in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apmt::learned {

struct CsvLine {
  std::size_t number = 0;  // line in the file, counted from 1
  std::vector<std::string> cells;
};

/// Skips empty lines. Throws InputError if a closing quotation mark is missing.
std::vector<CsvLine> csv_lines(std::string_view text, const std::string& name,
                               std::size_t first_line = 1);

/// The text as a cell, in quotes if it needs them.
std::string csv_cell(const std::string& text);

/// The shortest form that reads back as the same number.
std::string csv_number(double value);

/// The number in a cell; absent if the cell is empty. Throws InputError for a value that is not a
/// finite number; the message begins with `where`.
std::optional<double> number_in(const std::string& cell, const std::string& where);

}  // namespace apmt::learned
