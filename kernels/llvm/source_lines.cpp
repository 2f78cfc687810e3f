#include "kernels/llvm/source_lines.h"

#include <fstream>

namespace apmt::frontend {

std::string SourceLines::line(const std::string& file, unsigned number) {
  const auto [lines, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines->second.push_back(text);
  }
  if (number == 0 || number > lines->second.size()) return {};
  const std::string& text = lines->second[number - 1];
  constexpr const char* kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return {};
  constexpr std::size_t kLongest = 120;
  std::size_t end = text.find_last_not_of(kSpace) + 1;
  if (end - begin <= kLongest) return text.substr(begin, end - begin);
  end = begin + kLongest;
  while (end > begin && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return text.substr(begin, end - begin);
}

}  // namespace apmt::frontend
