#include "foreign/other_formats.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr const char* kTarget =
    " apmt import reads values as JSON Lines: "
    R"({"params":{"p":8},"callpath":"solve","metric":"time","value":1.2})";

bool has(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// The file's name without the suffix `.gz` of compressed files.
std::string_view plain_name(const std::string& file) {
  std::string_view name = file;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name;
}

bool is_xml_with(std::string_view head, std::string_view element) {
  return has(first_line(head), "<") && has(head, element);
}

/// Whether the file is a log of Darshan. It begins with 8 bytes that name the version; a magic
/// number of 8 bytes follows, in the byte order of the machine that wrote it.
bool is_darshan(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::size_t kNumberAt = 8;
  if (head.size() < 2 * kNumberAt) return false;
  const std::string_view number = head.substr(kNumberAt, 8);
  return number == "\x37\x35\x64\0\0\0\0\0"sv || number == "\0\0\0\0\0\x64\x35\x37"sv;
}

bool is_sqlite(std::string_view head) { return head.starts_with("SQLite format 3"); }

/// The first two lines that are neither empty nor comments.
std::vector<std::string> first_rows(const std::string& head) {
  std::vector<std::string> rows;
  std::istringstream lines(head);
  for (std::string line; rows.size() < 2 && std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos && line.front() != '#')
      rows.push_back(line);
  return rows;
}

/// Whether the file is a table: its name says so, or one separator occurs equally often in its
/// first two rows. Lines of JSON, XML and Extra-P's text are no tables, although they may contain
/// separators (Extra-P's text may contain tabs).
bool is_table(const std::string& file, const std::string& head) {
  if (file.ends_with(".csv") || file.ends_with(".tsv")) return true;
  const std::vector<std::string> rows = first_rows(head);
  if (rows.size() < 2) return false;
  for (const char* other : {"{", "[", "<", "PARAMETER", "POINTS", "METRIC", "REGION", "DATA"})
    if (rows.front().starts_with(other)) return false;
  const auto separators = [&](std::size_t row, char separator) {
    return std::count(rows[row].begin(), rows[row].end(), separator);
  };
  constexpr std::string_view kSeparators = ",;\t";
  return std::any_of(kSeparators.begin(), kSeparators.end(), [&](char separator) {
    return separators(0, separator) > 0 && separators(0, separator) == separators(1, separator);
  });
}

/// Hatchet, which some of these hints recommend, is a Python package that reads the formats of many
/// tools.
constexpr OtherFormat kOtherFormats[] = {
    {"a profile of TAU", "Hatchet reads it: hatchet.GraphFrame.from_tau(FOLDER).dataframe.",
     [](const std::string& file, const std::string& head) {
       return file.ends_with(".ppk") || has(first_line(head), "templated_functions");
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
    {"a trace of Paraver",
     "paramedir TRACE.prv TABLE.cfg -o TABLE.csv (a tool of Paraver) makes a table of times.",
     [](const std::string& file, const std::string& head) {
       const std::string_view name = plain_name(file);
       return name.ends_with(".prv") || head.starts_with("#Paraver") ||
              head.starts_with("#PARAVER");
     }},
    {"a profile of Cube in plain XML",
     "cube3to4 (a tool of Cube) makes a .cubex of a .cube; if it is the anchor.xml of a .cubex, "
     "import the .cubex.",
     [](const std::string& file, const std::string& head) {
       return plain_name(file).ends_with(".cube") || is_xml_with(head, "<cube version");
     }},
    {"a profile of IPM", "ipm_parse -full FILE prints the times of its regions and MPI functions.",
     [](const std::string&, const std::string& head) {
       return is_xml_with(head, "<ipm") || is_xml_with(head, "<task ipm_version") ||
              head.starts_with("##IPM");
     }},
    {"a profile of callgrind",
     "It has counts and no times: apmt simulate adds such counts to runs of apmt run; "
     "callgrind_annotate FILE prints them.",
     [](const std::string& file, const std::string& head) {
       return std::filesystem::path(file).filename().string().starts_with("callgrind.out") ||
              head.starts_with("# callgrind format") || has(head, "\ncreator: callgrind") ||
              head.starts_with("creator: callgrind");
     }},
    {"of CrayPat", "pat_report -s show_data=csv FILE prints its tables.",
     [](const std::string& file, const std::string& head) {
       return file.ends_with(".ap2") || file.ends_with(".xf") || has(head, "CrayPat/X:");
     }},
    {"a trace in OTF2",
     "Scalasca makes a .cubex of it (scout.mpi traces.otf2); Score-P itself writes profile.cubex "
     "with SCOREP_ENABLE_PROFILING=true.",
     [](const std::string& file, const std::string&) { return file.ends_with(".otf2"); }},
    {"a log of Darshan",
     "It has the times of input and output only: darshan-parser --total FILE prints them.",
     [](const std::string& file, const std::string& head) {
       return file.ends_with(".darshan") || is_darshan(head) || has(head, "# darshan log version:");
     }},
    {"a report of Nsight Systems",
     "nsys stats --format csv FILE prints the times of kernels, MPI functions and NVTX ranges.",
     [](const std::string& file, const std::string& head) {
       return file.ends_with(".nsys-rep") || file.ends_with(".qdrep") ||
              (is_sqlite(head) && (has(head, "CUPTI_ACTIVITY") || has(head, "NVTX_EVENTS") ||
                                   has(head, "TARGET_INFO_")));
     }},
    {"a report of Nsight Compute", "ncu --import FILE --csv prints its table.",
     [](const std::string& file, const std::string&) { return file.ends_with(".ncu-rep"); }},
    {"an SQLite database",
     "sqlite3 FILE .schema shows its tables, and sqlite3 -json FILE 'SELECT ...' prints one; for a "
     "database of Nsight Systems: nsys stats --format csv FILE.",
     [](const std::string&, const std::string& head) { return is_sqlite(head); }},
    {"packed by gzip", "gunzip FILE unpacks it.",
     [](const std::string&, const std::string& head) { return head.starts_with("\x1f\x8b"); }},
    {"a table of values (CSV)",
     "What its columns mean is not known: write each row as a line of JSON, e.g. with Python's "
     "csv.DictReader.",
     [](const std::string& file, const std::string& head) {
       return !has(head, {"\0", 1}) && is_table(file, head);
     }},
};

}  // namespace

void refuse_format(const std::string& file, const std::string& format, const std::string& helps) {
  throw InputError(file, "is " + format + ", which apmt import does not read", helps + kTarget);
}

const OtherFormat* other_format(const std::string& file, const std::string& head) {
  for (const OtherFormat& other : kOtherFormats)
    if (other.is_it(file, head)) return &other;
  return nullptr;
}

void refuse_other_formats(const std::string& file, const std::string& head) {
  if (const OtherFormat* other = other_format(file, head))
    refuse_format(file, other->name, other->helps);
}

}  // namespace apmt
