#include "foreign/kind.h"

#include "base/checked_json.h"
#include "base/input_error.h"
#include "foreign/other_formats.h"

namespace apmt {
namespace {

constexpr std::size_t kHeadBytes = 64 << 10;

bool ends_with(const std::string& text, const std::string& end) { return text.ends_with(end); }
bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

/// Whether the text has the magic of a tar archive, as .cubex files do.
bool is_tar(const std::string& text) {
  constexpr std::size_t kMagicAt = 257;
  return text.size() > kMagicAt + 5 && text.compare(kMagicAt, 5, "ustar") == 0;
}

bool is_extrap_line(const std::string& line) {
  try {
    const Json json = parse_json(line, "line");
    return json.is_object() && json.contains("params") && json.contains("value");
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

ForeignKind foreign_kind(const std::string& file, const std::string& text) {
  const std::string head = text.substr(0, kHeadBytes);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    throw InputError(file, "is empty",
                     "the program that wrote it may have been stopped: make the measurement again");
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
    throw InputError(file, "is text in UTF-16, expected UTF-8",
                     "convert it: iconv -f utf-16 -t utf-8 " + file);
  if (ends_with(file, ".jsonl")) return ForeignKind::kExtrapJsonLines;
  if (ends_with(file, ".cubex") || (is_tar(head) && has(text, "anchor.xml")))
    return ForeignKind::kCube;
  if (ends_with(file, ".cali") || head.starts_with("__rec=")) return ForeignKind::kCali;
  if (head.starts_with("@ mpiP") || ends_with(file, ".mpiP")) return ForeignKind::kMpip;
  if (ends_with(file, ".extra-p")) return ForeignKind::kExtrapPacked;
  const bool is_json = head[first] == '{' || head[first] == '[';
  if (is_json) {
    if (is_extrap_line(text.substr(first, text.find('\n', first) - first)))
      return ForeignKind::kExtrapJsonLines;
    // In the JSON of Caliper and of Extra-P, long lists may precede some of these names; those are
    // searched for in the whole text, not only in its head.
    if (has(text, "\"column_metadata\"")) return ForeignKind::kCaliperJson;
    if (has(head, "\"measurements\"") ||
        (has(text, "\"callpaths\"") && has(text, "\"coordinates\"")))
      return ForeignKind::kExtrapJson;
    if (has(head, "\"popMetrics\"") || has(head, "\"dlbVersion\"")) return ForeignKind::kTalp;
  }
  refuse_other_formats(file, head);
  if (head.find('\0') != std::string::npos)
    refuse_format(file, "a binary file", "The tool that wrote it may print it as text.");
  if (is_json)
    refuse_format(file, "JSON of another kind than Extra-P's",
                  "Extra-P's own JSON or one object per line is expected.");
  return ForeignKind::kExtrapText;
}

}  // namespace apmt
