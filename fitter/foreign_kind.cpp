#include "fitter/foreign_kind.h"

#include "base/checked_json.h"
#include "base/input_error.h"

namespace apmt {
namespace {

constexpr std::size_t kBeginning = 64 << 10;

constexpr const char* kTarget =
    " apmt import reads values as JSON Lines: "
    R"({"params":{"p":8},"callpath":"solve","metric":"time","value":1.2})";

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

/// A format that apmt does not read, and how to convert it.
struct OtherFormat {
  const char* name;
  const char* converter;
  bool (*is_it)(const std::string& file, const std::string& head);
};

/// Hatchet is a Python package that reads the formats of many tools into tables.
constexpr OtherFormat kOtherFormats[] = {
    {"a profile of TAU", "Hatchet reads it: hatchet.GraphFrame.from_tau(FOLDER).dataframe.",
     [](const std::string& file, const std::string& head) {
       return ends_with(file, ".ppk") ||
              has(head.substr(0, head.find('\n')), "templated_functions");
     }},
    {"a profile of HPCToolkit",
     "Hatchet reads its database: hatchet.GraphFrame.from_hpctoolkit(FOLDER).dataframe.",
     [](const std::string&, const std::string& head) {
       return head.starts_with("HPCRUN") || head.starts_with("HPCPROF") ||
              head.starts_with("HPCTOOLKIT") || has(head, "<HPCToolkitExperiment");
     }},
    {"a profile of gprof",
     "gprof2dot makes a graph of what gprof prints, and Hatchet reads the graph: "
     "hatchet.GraphFrame.from_gprof_dot(FILE).dataframe.",
     [](const std::string&, const std::string& head) {
       return head.starts_with("gmon") || head.starts_with("Flat profile:");
     }},
    {"a graph of gprof2dot", "Hatchet reads it: hatchet.GraphFrame.from_gprof_dot(FILE).dataframe.",
     [](const std::string&, const std::string& head) { return head.starts_with("digraph"); }},
    {"a file of Talpas", "sed 's/;/,/g; s/\"parameters\"/\"params\"/' makes JSON Lines of it.",
     [](const std::string&, const std::string& head) {
       return head.starts_with("{\"parameters\"") && has(head, "};\"");
     }},
    {"a profile of pyinstrument",
     "Hatchet reads its JSON: hatchet.GraphFrame.from_pyinstrument(FILE).dataframe.",
     [](const std::string&, const std::string& head) { return has(head, "\"root_frame\""); }},
    {"a profile of timemory",
     "Hatchet reads its JSON: hatchet.GraphFrame.from_timemory(FILE).dataframe.",
     [](const std::string&, const std::string& head) { return has(head, "\"timemory\""); }},
    {"a recording of perf", "perf report --stdio prints its shares.",
     [](const std::string&, const std::string& head) { return head.starts_with("PERFILE2"); }},
};

[[noreturn]] void refuse(const std::string& file, const std::string& format,
                         const std::string& converter) {
  throw InputError(file, "is " + format + ", which apmt import does not read", converter + kTarget);
}

}  // namespace

ForeignKind foreign_kind(const std::string& file, const std::string& text) {
  if (ends_with(file, ".jsonl")) return ForeignKind::kExtrapJsonLines;
  const std::string head = text.substr(0, kBeginning);
  if (ends_with(file, ".cubex") || (is_tar(head) && has(text, "anchor.xml")))
    return ForeignKind::kCube;
  if (ends_with(file, ".cali") || head.starts_with("__rec=")) return ForeignKind::kCali;
  if (head.starts_with("@ mpiP") || ends_with(file, ".mpiP")) return ForeignKind::kMpip;
  if (ends_with(file, ".extra-p")) return ForeignKind::kExtrapPacked;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (head[first] == '{' || head[first] == '[');
  if (is_json) {
    if (is_extrap_line(text.substr(first, text.find('\n', first) - first)))
      return ForeignKind::kExtrapJsonLines;
    if (has(head, "\"column_metadata\"") ||
        (has(head, "\"columns\"") && has(text, "\"column_metadata\"")))
      return ForeignKind::kCaliperJson;
    if (has(head, "\"measurements\"") ||
        (has(head, "\"callpaths\"") && has(head, "\"coordinates\"")))
      return ForeignKind::kExtrapJson;
    if (has(head, "\"popMetrics\"") || has(head, "\"dlbVersion\"")) return ForeignKind::kTalp;
  }
  for (const OtherFormat& other : kOtherFormats)
    if (other.is_it(file, head)) refuse(file, other.name, other.converter);
  if (head.find('\0') != std::string::npos)
    refuse(file, "a binary file", "The tool that wrote it may print it as text.");
  if (is_json)
    refuse(file, "JSON of another kind than Extra-P's",
           "Extra-P's own JSON or one object per line is expected.");
  return ForeignKind::kExtrapText;
}

}  // namespace apmt
