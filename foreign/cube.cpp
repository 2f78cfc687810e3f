// Reads a profile of Score-P or Scalasca (.cubex). It is a tar archive: anchor.xml describes
// metrics, call tree and processes; each metric has an index of call paths and a file of values.

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "base/input_error.h"
#include "base/words.h"
#include "foreign/archive.h"
#include "foreign/cube_anchor.h"
#include "foreign/files.h"

namespace apmt {
namespace {

constexpr const char* kTime = "time";
constexpr const char* kPapiInstructions = "PAPI_TOT_INS";

class CubeFile {
 public:
  CubeFile(std::string_view archive, std::string file)
      : file_(std::move(file)), members_(tar_members(archive, file_)) {
    const std::string_view xml = member("anchor.xml");
    constexpr std::string_view kPacked = "\x1f\x8b";
    anchor_ = xml.starts_with(kPacked) ? read_cube_anchor(unpacked(xml, place("anchor.xml")), file_)
                                       : read_cube_anchor(std::string(xml), file_);
  }

  const CubeAnchor& anchor() const { return anchor_; }

  /// The exclusive values of each call path on each location.
  std::vector<std::vector<double>> values(const CubeMetric& metric) const {
    const std::size_t locations = anchor_.locations.size();
    if (locations > 0 && anchor_.paths.size() > kMostBytes / sizeof(double) / locations)
      throw InputError(place("anchor.xml"), "describes more than 1 GiB of values for each metric",
                       "cube_cut makes a smaller profile");
    std::vector<std::vector<double>> values(anchor_.paths.size(),
                                            std::vector<double>(locations, 0));
    const std::vector<std::size_t> order = anchor_.order_of(metric);
    const Index index = index_of(metric);
    if (index.entries.size() > anchor_.paths.size())
      throw InputError(place(metric.id + ".index"), "names more call paths than anchor.xml");
    const std::size_t expected = index.entries.size() * locations * sizeof(double);
    const std::string data = data_of(metric, index.is_swapped, expected);
    if (data.size() != expected)
      throw InputError(place(metric.id + ".data"), "expected " +
                                                       counted(index.entries.size(), "call path") +
                                                       " on " + counted(locations, "location") +
                                                       ", found " + counted(data.size(), "byte"));
    for (std::size_t row = 0; row < index.entries.size(); ++row) {
      if (index.entries[row] >= order.size())
        throw InputError(place(metric.id + ".index"), "names a call path that anchor.xml lacks");
      for (std::size_t l = 0; l < locations; ++l)
        values[order[index.entries[row]]][l] =
            number(data.data() + (row * locations + l) * sizeof(double), metric, index.is_swapped);
    }
    if (metric.is_inclusive) {
      std::vector<std::vector<double>> exclusive = values;
      for (std::size_t i = 0; i < anchor_.paths.size(); ++i)
        if (const std::optional<std::size_t> parent = anchor_.paths[i].parent)
          for (std::size_t l = 0; l < locations; ++l) exclusive[*parent][l] -= values[i][l];
      // Rounding of clocks may make children longer than their parent, so negative values are set
      // to 0.
      for (auto& row : exclusive)
        for (double& x : row) x = std::max(x, 0.0);
      return exclusive;
    }
    return values;
  }

 private:
  struct Index {
    bool is_swapped = false;
    std::vector<std::uint32_t> entries;
  };

  std::string place(const std::string& name) const { return file_ + ":" + name; }

  std::string_view member(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end())
      throw InputError(file_, "has no '" + name + "'", "a whole Cube profile has it");
    return found->second;
  }

  /// An index file consists of "CUBEX.INDEX", the number 1 in the byte order of the writer, a
  /// version, a kind, the number of entries, and the entries.
  Index index_of(const CubeMetric& metric) const {
    constexpr std::string_view kMagic = "CUBEX.INDEX";
    constexpr std::size_t kKindAt = 17;
    constexpr std::size_t kEntriesAt = 22;
    const std::string name = metric.id + ".index";
    const std::string_view bytes = member(name);
    if (!bytes.starts_with(kMagic) || bytes.size() < kEntriesAt)
      throw InputError(place(name), "is not an index of a Cube profile");
    Index index;
    index.is_swapped = integer<std::uint32_t>(bytes.data() + kMagic.size(), false) != 1;
    if (bytes[kKindAt] == 0) {  // dense: every call path in order
      for (std::size_t i = 0; i < anchor_.paths.size(); ++i)
        index.entries.push_back(static_cast<std::uint32_t>(i));
      return index;
    }
    const auto count = integer<std::uint32_t>(bytes.data() + kEntriesAt - 4, index.is_swapped);
    if (bytes.size() - kEntriesAt != std::size_t{count} * sizeof(std::uint32_t))
      throw InputError(place(name), "is cut off");
    for (std::uint32_t i = 0; i < count; ++i)
      index.entries.push_back(integer<std::uint32_t>(
          bytes.data() + kEntriesAt + i * sizeof(std::uint32_t), index.is_swapped));
    return index;
  }

  /// The values of a metric. The file consists of "CUBEX.DATA" and the values. If it is compressed,
  /// it consists of "ZCUBEX.DATA", the number of packed pieces, three numbers for each piece, and
  /// the pieces. No more than `expected` bytes are unpacked.
  std::string data_of(const CubeMetric& metric, bool is_swapped, std::size_t expected) const {
    constexpr std::string_view kPlain = "CUBEX.DATA";
    constexpr std::string_view kPacked = "ZCUBEX.DATA";
    const std::string name = metric.id + ".data";
    std::string_view bytes = member(name);
    if (bytes.starts_with(kPlain)) return std::string(bytes.substr(kPlain.size()));
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    if (!bytes.starts_with(kPacked) || bytes.size() < kPacked.size() + kWord)
      throw InputError(place(name), "holds no values of a Cube profile");
    bytes.remove_prefix(kPacked.size());
    const auto pieces = integer<std::uint64_t>(bytes.data(), is_swapped);
    if (pieces > bytes.size() / (3 * kWord)) throw InputError(place(name), "is cut off");
    std::size_t at = kWord * (1 + 3 * static_cast<std::size_t>(pieces));
    std::string data;
    for (std::size_t i = 0; i < pieces; ++i) {
      const auto size = integer<std::uint64_t>(bytes.data() + kWord * (3 + 3 * i), is_swapped);
      if (at > bytes.size() || size > bytes.size() - at)
        throw InputError(place(name), "is cut off");
      if (size > 0 && data.size() >= expected)
        throw InputError(place(name), "holds more values than its index lists call paths");
      if (size > 0) data += unpacked(bytes.substr(at, size), place(name), expected - data.size());
      at += size;
    }
    return data;
  }

  template <typename T>
  static T integer(const char* bytes, bool is_swapped) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t k = is_swapped ? i : sizeof(T) - 1 - i;
      value = static_cast<T>(value << 8) | static_cast<unsigned char>(bytes[k]);
    }
    return value;
  }

  static double number(const char* bytes, const CubeMetric& metric, bool is_swapped) {
    const auto raw = integer<std::uint64_t>(bytes, is_swapped);
    return metric.is_integer ? static_cast<double>(raw) : std::bit_cast<double>(raw);
  }

  std::string file_;
  std::map<std::string, std::string_view> members_;
  CubeAnchor anchor_;
};

/// The mean over processes. If `first_thread` is true (for times), only the first thread of each
/// process counts: the one that calls MPI. Otherwise all threads count.
double mean_over_processes(const CubeAnchor& anchor, const std::vector<double>& values,
                           bool first_thread) {
  double sum = 0;
  std::set<std::size_t> seen;
  for (std::size_t l = 0; l < values.size(); ++l) {
    const CubeLocation& location = anchor.locations[l];
    if (!location.is_of_process) continue;
    const bool is_first = seen.insert(location.group).second;
    if (is_first || !first_thread) sum += values[l];
  }
  return sum / static_cast<double>(seen.size());
}

}  // namespace

ForeignFile read_cube(std::string_view archive, const std::string& file) {
  const CubeFile cube(archive, file);
  const CubeAnchor& anchor = cube.anchor();
  std::set<std::size_t> processes;
  for (const CubeLocation& location : anchor.locations)
    if (location.is_of_process) processes.insert(location.group);
  if (processes.empty())
    throw InputError(file + ":anchor.xml", "lists no process",
                     "files of Cube 4.3 and later do; cube_remap2 writes the newest form");
  const std::map<std::string, double> params = {{"p", static_cast<double>(processes.size())}};
  ForeignFile result;
  bool has_time = false;
  for (const CubeMetric& metric : anchor.metrics) {
    if (metric.name != kTime && metric.name != kPapiInstructions) continue;
    const bool is_time = metric.name == kTime;
    if (metric.bytes != sizeof(double))
      throw InputError(file + ":anchor.xml",
                       "metric '" + metric.name + "' is of type " + metric.type +
                           ", which apmt import does not read",
                       "cube_remap2 or cube_dump converts it");
    has_time = has_time || is_time;
    const std::vector<std::vector<double>> values = cube.values(metric);
    std::map<std::string, double> by_region;
    for (std::size_t i = 0; i < anchor.paths.size(); ++i)
      by_region[anchor.paths[i].region] += mean_over_processes(anchor, values[i], is_time);
    for (const auto& [region, value] : by_region)
      if (value > 0) result.values.push_back({region, metric.name, params, {value}});
  }
  if (!has_time)
    throw InputError(
        file + ":anchor.xml", "has no metric 'time'",
        "Score-P's profiles have it; Scalasca's trace reports have a different name for it");
  return result;
}

}  // namespace apmt
