#include "reports/words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace apmt {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Decodes the UTF-8 character at `*at` and advances `*at` past it. For an invalid byte it advances
/// by one and returns kReplacement.
char32_t next_character(std::string_view text, std::size_t* at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(*at);
  std::size_t length = 1;
  char32_t code = lead;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code = lead & 0x07u;
  } else if (lead >= 0x80) {
    ++*at;
    return kReplacement;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (*at + i >= text.size() || (byte(*at + i) & 0xC0u) != 0x80) {
      ++*at;
      return kReplacement;
    }
    code = (code << 6) | (byte(*at + i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) {
    ++*at;
    return kReplacement;
  }
  *at += length;
  return code;
}

bool in(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

bool is_unprintable(char32_t code) {
  return code < 0x20 || in(code, 0x7F, 0x9F) || in(code, 0x200B, 0x200F) ||
         in(code, 0x2028, 0x202E) || in(code, 0x2060, 0x206F) || code == 0xFEFF ||
         in(code, 0xFFF9, 0xFFFB) || in(code, 0xE0000, 0xE0FFF);
}

std::size_t width_of(char32_t code) {
  if (in(code, 0x300, 0x36F) || in(code, 0x20D0, 0x20FF) || in(code, 0xFE00, 0xFE0F)) return 0;
  if (in(code, 0x1100, 0x115F) || in(code, 0x2E80, 0xA4CF) || in(code, 0xAC00, 0xD7A3) ||
      in(code, 0xF900, 0xFAFF) || in(code, 0xFE30, 0xFE6F) || in(code, 0xFF00, 0xFF60) ||
      in(code, 0xFFE0, 0xFFE6) || in(code, 0x1F300, 0x1FAFF) || in(code, 0x20000, 0x3FFFD)) {
    return 2;
  }
  return 1;
}

/// The length in bytes of the longest prefix of `text` that has at most `width` columns.
std::size_t head_bytes(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    used += width_of(next_character(text, &next));
    if (used > width) break;
    at = next;
  }
  return at;
}

/// The start of the longest suffix of `text` that has at most `width` columns.
std::size_t tail_start(std::string_view text, std::size_t width) {
  const std::size_t all = display_width(text);
  std::size_t skipped = 0;
  std::size_t at = 0;
  while (at < text.size() && all - skipped > width) {
    skipped += width_of(next_character(text, &at));
  }
  // If a character is left out, its combining marks are left out as well: otherwise they would
  // combine with the dots.
  while (at < text.size()) {
    std::size_t next = at;
    if (width_of(next_character(text, &next)) > 0) break;
    at = next;
  }
  return at;
}

/// The name without the text inside its outermost brackets, which themselves stay. Unchanged if the
/// brackets do not match.
std::string without_inside(std::string_view name, char open, char close) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool arrow = c == '>' && i > 0 && name[i - 1] == '-';
    if (c == close && !arrow && depth > 0) --depth;
    if (depth == 0) out += c;
    if (c == open) ++depth;
  }
  return depth == 0 ? out : std::string(name);
}

/// Erases "(anonymous namespace)::", whose brackets would be mistaken for a list of parameters.
std::string without_place(std::string name) {
  static constexpr std::string_view kPlace = "(anonymous namespace)::";
  for (std::size_t at = name.find(kPlace); at != std::string::npos; at = name.find(kPlace, at))
    name.erase(at, kPlace.size());
  return name;
}

/// "void ns::f<int, int>()" becomes "ns::f<int, int>()".
std::string without_returned_type(const std::string& name) {
  const std::size_t parameters = name.rfind('(');
  if (parameters == std::string::npos) return name;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < parameters; ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (depth == 0 && name[i] == ' ') start = i + 1;
  }
  return name.substr(start);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    const char32_t code = next_character(text, &at);
    const bool broken = code == kReplacement && at - start == 1;
    if (code == '\t' || code == '\n' || code == '\r') {
      out += ' ';
    } else if (broken || is_unprintable(code)) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  std::size_t at = 0;
  while (at < text.size()) width += width_of(next_character(text, &at));
  return width;
}

std::string ellipsize(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  static constexpr std::string_view kDots = "...";
  if (width <= kDots.size()) return std::string(kDots.substr(0, width));
  const std::size_t room = width - kDots.size();
  const std::size_t tail = room / 2;
  std::string out(text.substr(0, head_bytes(text, room - tail)));
  out += kDots;
  out += text.substr(tail_start(text, tail));
  return out;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) <= width) {
      line += ' ';
      line += word;
      continue;
    }
    if (!line.empty()) lines.push_back(std::move(line));
    while (display_width(word) > width) {
      const std::size_t cut = std::max<std::size_t>(head_bytes(word, width), 1);
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    line = word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> formula_lines(std::string_view formula, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!formula.empty()) {
    const std::size_t end =
        std::min({formula.find(" + ", 1), formula.find(" - ", 1), formula.size()});
    std::string_view term = formula.substr(0, end);
    formula.remove_prefix(end);
    if (display_width(lines.back()) + display_width(term) <= width) {
      lines.back() += term;
      continue;
    }
    for (std::string& line : wrap(term, width)) lines.push_back(std::move(line));
    if (lines.front().empty()) lines.erase(lines.begin());
  }
  return lines;
}

std::string short_name(std::string_view name, std::size_t width) {
  std::string text = printable(name);
  if (display_width(text) <= width) return text;
  text = without_place(std::move(text));
  // "(6 small functions)" is not a function, and the name of an operator may contain brackets
  // itself: "operator()", "operator<".
  if (text.starts_with('(') || text.find("operator") != std::string::npos)
    return ellipsize(text, width);
  text = without_returned_type(without_inside(text, '(', ')'));
  if (display_width(text) > width) text = without_inside(text, '<', '>');
  // If there is still no room, "<>()" is dropped first, then the namespaces: the function's own
  // name says most.
  for (const std::string_view empty : {"()", "<>"})
    if (display_width(text) > width && text.ends_with(empty)) text.erase(text.rfind(empty));
  for (std::size_t end = text.find("::"); display_width(text) > width && end != std::string::npos;
       end = text.find("::"))
    text.erase(0, end + 2);
  return ellipsize(text, width);
}

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> shown;
  std::map<std::string, std::set<std::string>> known_as;
  for (const std::string& name : names) {
    shown.push_back(short_name(name, width));
    known_as[shown.back()].insert(name);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (known_as[shown[i]].size() > 1) shown[i] = ellipsize(printable(names[i]), width);
  return shown;
}

}  // namespace apmt
