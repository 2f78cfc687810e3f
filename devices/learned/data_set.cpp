#include "devices/learned/data_set.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/json_fields.h"
#include "devices/learned/csv.h"
#include "devices/learned/learner.h"

namespace apmt::learned {
namespace {

constexpr const char* kDataFormat = "apmt-learned-data";
constexpr const char* kDataVersion = "1.0";
constexpr const char* kTimePrefix = "time_s:";
constexpr const char* kKeys[] = {"application", "kernel", "input", "suite"};

/// The head of the file: the lines at the top that begin with '#' (without the '#'), the number of
/// these lines, and the position at which the table begins.
struct HeadText {
  std::string json;
  std::size_t lines = 0;
  std::size_t end = 0;
};

HeadText head_of(const std::string& text) {
  HeadText head;
  while (head.end < text.size() && text[head.end] == '#') {
    const std::size_t end = std::min(text.find('\n', head.end), text.size() - 1) + 1;
    head.json += text.substr(head.end + 1, end - head.end - 1);
    head.end = end;
    ++head.lines;
  }
  return head;
}

void require_distinct(const std::vector<std::string>& names, const std::string& name,
                      const std::string& what) {
  std::set<std::string> seen;
  for (const std::string& each : names)
    if (!seen.insert(each).second)
      throw InputError(name, what + " '" + each + "' occurs twice", "give each its own name");
}

DataHead read_head(const HeadText& text, const std::string& name) {
  if (text.lines == 0)
    throw InputError(name, "has no head: expected first lines that begin with '#' and hold JSON",
                     "docs/learned.md describes data sets");
  const Json json = parse_json(text.json, name + ", head");
  const JsonAt root(json, name + ", head");
  if (root.at("format").string() != kDataFormat)
    root.at("format").fail(std::string("'") + kDataFormat + "'");
  if (!root.at("format_version").string().starts_with("1."))
    root.at("format_version").fail("version 1 of the format");
  const DataHead head = struct_from<DataHead>(root);
  check_struct(head, name);
  std::vector<std::string> features;
  for (const FeatureDefinition& each : head.definitions.features) {
    features.push_back(each.name);
    if (each.log_floor && !(*each.log_floor > 0))
      throw InputError(name, "the log_floor of '" + each.name + "' is not above zero");
  }
  std::vector<std::string> devices;
  for (const KnownDevice& each : head.devices) devices.push_back(each.name);
  require_distinct(features, name, "feature");
  require_distinct(devices, name, "device");
  if (features.empty() || devices.size() < 2)
    throw InputError(name, "expected at least one feature and two devices in the head");
  if (std::find(devices.begin(), devices.end(), head.reference) == devices.end())
    throw InputError(name, "the reference '" + head.reference + "' is none of the devices");
  return head;
}

/// Maps column names to positions. Unknown columns and missing columns are errors.
class Columns {
 public:
  Columns(const DataHead& head, const CsvLine& line, const std::string& name) {
    require_distinct(line.cells, name, "column");
    std::vector<std::string> wanted(std::begin(kKeys), std::end(kKeys));
    for (const FeatureDefinition& feature : head.definitions.features)
      wanted.push_back(feature.name);
    for (const KnownDevice& device : head.devices) wanted.push_back(kTimePrefix + device.name);
    for (const std::string& column : wanted) {
      const auto found = std::find(line.cells.begin(), line.cells.end(), column);
      if (found == line.cells.end())
        throw InputError(name, "the head describes a column '" + column + "' that is missing");
      at_.push_back(static_cast<std::size_t>(found - line.cells.begin()));
    }
    for (const std::string& column : line.cells)
      if (std::find(wanted.begin(), wanted.end(), column) == wanted.end())
        throw InputError(name, "the head does not describe the column '" + column + "'",
                         "add it to the features or the devices, or remove it");
    names_ = std::move(wanted);
  }
  std::size_t count() const { return at_.size(); }
  std::size_t at(std::size_t wanted) const { return at_[wanted]; }
  const std::string& name(std::size_t wanted) const { return names_[wanted]; }

 private:
  std::vector<std::size_t> at_;
  std::vector<std::string> names_;
};

KernelRun read_run(const DataHead& head, const Columns& columns, const CsvLine& line,
                   const std::string& name) {
  const std::string place = name + ":" + std::to_string(line.number);
  if (line.cells.size() != columns.count())
    throw InputError(place, "has " + std::to_string(line.cells.size()) + " cells, expected " +
                                std::to_string(columns.count()));
  KernelRun run;
  std::size_t next = 0;
  for (std::string* key : {&run.application, &run.kernel, &run.input, &run.suite})
    *key = line.cells[columns.at(next++)];
  if (run.application.empty() || run.kernel.empty())
    throw InputError(place, "lacks the name of the application or of the kernel");
  const auto take = [&](std::vector<std::optional<double>>* values) {
    const std::string where = place + ", column '" + columns.name(next) + "'";
    values->push_back(number_in(line.cells[columns.at(next)], where));
    if (values->back() && std::abs(*values->back()) > kLargestNumber)
      throw InputError(where, "expected a number from -1e100 to 1e100");
    ++next;
  };
  for (std::size_t i = 0; i < head.definitions.features.size(); ++i) take(&run.features);
  for (std::size_t i = 0; i < head.devices.size(); ++i) {
    take(&run.times_s);
    if (run.times_s.back() && !(*run.times_s.back() > 1 / kLargestNumber))
      throw InputError(place + ", column '" + columns.name(next - 1) + "'",
                       "a time must be above zero");
  }
  return run;
}

}  // namespace

std::size_t DataSet::device_index(const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < head.devices.size(); ++i) {
    if (head.devices[i].name == name) return i;
    known += (i ? ", " : "") + head.devices[i].name;
  }
  throw InputError("", "there is no device '" + name + "' in these data", "known: " + known);
}

std::string title_of(const KernelRun& run) {
  return run.application + "/" + run.kernel + (run.input.empty() ? "" : "/" + run.input);
}

DataSet parse_data_set(const std::string& text, const std::string& name, std::size_t least_runs) {
  const HeadText head = head_of(text);
  DataSet data{.head = read_head(head, name), .runs = {}};
  const std::vector<CsvLine> lines =
      csv_lines(std::string_view(text).substr(head.end), name, head.lines + 1);
  if (lines.empty()) throw InputError(name, "has no line with the names of the columns");
  const Columns columns(data.head, lines.front(), name);
  for (std::size_t i = 1; i < lines.size(); ++i)
    data.runs.push_back(read_run(data.head, columns, lines[i], name));
  if (data.runs.size() < least_runs)
    throw InputError(name, "holds no kernel", {}, ExitCode::kNotEnoughData);
  return data;
}

DataSet read_data_set(const std::filesystem::path& file, std::size_t least_runs) {
  return parse_data_set(read_whole_file(file), file.string(), least_runs);
}

std::string to_text(const DataSet& data) {
  Json head = struct_to_json(data.head);
  head["format"] = kDataFormat;
  head["format_version"] = kDataVersion;
  std::string text;
  const std::string json = format_json(head);
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = json.find('\n', at) + 1;
    text += "# " + json.substr(at, end - at);
    at = end;
  }
  for (const char* key : kKeys) text += std::string(key == kKeys[0] ? "" : ",") + key;
  for (const FeatureDefinition& feature : data.head.definitions.features)
    text += "," + csv_cell(feature.name);
  for (const KnownDevice& device : data.head.devices)
    text += "," + csv_cell(kTimePrefix + device.name);
  text += "\n";
  for (const KernelRun& run : data.runs) {
    text += csv_cell(run.application) + "," + csv_cell(run.kernel) + "," + csv_cell(run.input) +
            "," + csv_cell(run.suite);
    for (const auto* values : {&run.features, &run.times_s})
      for (const std::optional<double>& value : *values)
        text += "," + (value ? csv_number(*value) : "");
    text += "\n";
  }
  return text;
}

void require_same_definitions(const FeatureDefinitions& known, const FeatureDefinitions& met,
                              const std::string& where) {
  const auto called = [](const FeatureDefinitions& d) { return d.name + ", version " + d.version; };
  if (known.name != met.name || known.version != met.version)
    throw InputError(where, "its features are " + called(met) + "; expected " + called(known),
                     "numbers of different definitions mean different things: make both with the "
                     "same version");
  const auto same = [](const FeatureDefinition& a, const FeatureDefinition& b) {
    return a.name == b.name && a.log_floor == b.log_floor;
  };
  if (!std::equal(known.features.begin(), known.features.end(), met.features.begin(),
                  met.features.end(), same))
    throw InputError(where, "says " + called(met) + " but lists other features than that version",
                     "changed definitions need a new version");
}

DataSet joined(std::vector<DataSet> sets) {
  DataSet all = std::move(sets.at(0));
  for (std::size_t s = 1; s < sets.size(); ++s) {
    DataSet& next = sets[s];
    require_same_definitions(all.head.definitions, next.head.definitions, next.head.title);
    if (next.head.reference != all.head.reference)
      throw InputError(next.head.title, "speed-ups in it are relative to '" + next.head.reference +
                                            "', in others to '" + all.head.reference + "'");
    std::vector<std::size_t> place;
    for (const KnownDevice& device : next.head.devices) {
      const auto found =
          std::find_if(all.head.devices.begin(), all.head.devices.end(),
                       [&](const KnownDevice& each) { return each.name == device.name; });
      place.push_back(static_cast<std::size_t>(found - all.head.devices.begin()));
      if (found == all.head.devices.end()) all.head.devices.push_back(device);
    }
    for (KernelRun& run : all.runs) run.times_s.resize(all.head.devices.size());
    for (KernelRun& run : next.runs) {
      std::vector<std::optional<double>> times(all.head.devices.size());
      for (std::size_t i = 0; i < place.size(); ++i) times[place[i]] = run.times_s[i];
      run.times_s = std::move(times);
      all.runs.push_back(std::move(run));
    }
    for (const auto& part :
         {&DataHead::title, &DataHead::source, &DataHead::licence, &DataHead::notice})
      if (all.head.*part != next.head.*part) all.head.*part += "; " + next.head.*part;
  }
  return all;
}

}  // namespace apmt::learned
