#include "machine/small_file.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace apmt {

std::optional<std::string> read_small_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  std::string content = text.str();
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

std::optional<long long> read_small_number(const std::filesystem::path& path) {
  const std::optional<std::string> text = read_small_file(path);
  if (!text) return std::nullopt;
  long long number = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || stop == text->data()) return std::nullopt;
  return number;
}

}  // namespace apmt
