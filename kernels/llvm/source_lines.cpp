#include "kernels/llvm/source_lines.h"

#include <fstream>

namespace apmt::frontend {
namespace {

/// Where the statement at a column (from 1 on) begins: behind the last brace or semicolon that is
/// outside parentheses.
std::size_t start_of_statement(const std::string& line, unsigned column) {
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < column && at < line.size(); ++at) {
    const char c = line[at];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == '{' || c == '}' || c == ';')) start = at + 1;
  }
  return start;
}

}  // namespace

std::string SourceLines::line(const std::string& file, unsigned number, unsigned column) {
  const auto [lines, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines->second.push_back(text);
  }
  if (number == 0 || number > lines->second.size()) return {};
  const std::string& text = lines->second[number - 1];
  constexpr const char* kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace, start_of_statement(text, column));
  if (begin == std::string::npos) return {};
  constexpr std::size_t kLongest = 120;
  std::size_t end = text.find_last_not_of(kSpace) + 1;
  if (end - begin <= kLongest) return text.substr(begin, end - begin);
  end = begin + kLongest;
  while (end > begin && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return text.substr(begin, end - begin);
}

}  // namespace apmt::frontend
