// Reads Caliper's own files (.cali). They contain trees of nodes, which name regions and describe
// attributes, and contexts, which assign values to nodes.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "base/input_error.h"
#include "foreign/files.h"

namespace apmt {
namespace {

using Id = std::string;  // as the file writes it
using Fields = std::map<std::string, std::vector<std::string>>;

constexpr const char* kNameAttribute = "8";  // ids of attributes that Caliper itself defines
constexpr const char* kPropAttribute = "10";
constexpr long kNested = 256;  // property of attributes whose regions form call paths

/// The names of exclusive times, and then the name of an inclusive time, from which exclusive times
/// are computed. All are sums over all ranks.
constexpr const char* kExclusive[] = {"sum#sum#time.duration", "sum#time.duration"};
constexpr const char* kInclusive = "sum#inclusive#sum#time.duration";

/// A line such as "__rec=ctx,ref=1=2,data=a\,b": fields with values. A backslash makes the next
/// character literal, but \n is a line break.
Fields fields_of(const std::string& line) {
  Fields fields;
  std::string key, word;
  std::vector<std::string> values;
  const auto end_word = [&] {
    (key.empty() ? key : values.emplace_back()) = word;
    word.clear();
  };
  const auto end_field = [&] {
    end_word();
    fields[key] = values;
    key.clear();
    values.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size())
      word += line[++i] == 'n' ? '\n' : line[i];
    else if (line[i] == '=')
      end_word();
    else if (line[i] == ',')
      end_field();
    else
      word += line[i];
  }
  end_field();
  return fields;
}

struct Node {
  Id attribute;
  std::string data;
  Id parent;
};

class Records {
 public:
  Records(std::string file, std::string unit) : file_(std::move(file)), unit_(std::move(unit)) {}

  void line(const std::string& text) {
    ++line_;
    if (text.empty()) return;
    const Fields fields = fields_of(text);
    const std::string kind = one(fields, "__rec");
    if (kind == "node")
      nodes_[one(fields, "id")] = {one(fields, "attr"), one(fields, "data"),
                                   fields.contains("parent") ? one(fields, "parent") : Id()};
    else if (kind == "ctx")
      add_context(fields);
    else if (kind == "globals")
      add_globals(fields);
  }

  ForeignFile finish() {
    std::string metric = kInclusive;
    for (const char* name : kExclusive)
      if (metric == kInclusive && values_.contains(name)) metric = name;
    std::map<std::string, double>& times = values_[metric];
    if (times.empty())
      throw InputError(
          file_, "has no times of regions",
          std::string("read are ") + kExclusive[0] + ", " + kExclusive[1] + " and " + kInclusive);
    if (metric == kInclusive) subtract_children(&times);
    const double scale = seconds_per_unit(units_[metric], unit_, file_);
    const double procs = world_ > 0       ? world_
                         : ranks_.empty() ? 1.0
                                          : static_cast<double>(ranks_.size());
    ForeignFile result{program_, {}, metadata_};
    if (world_ <= 0 && ranks_.empty()) result.warnings.push_back(file_ + " " + kNoProcesses);
    for (const auto& [path, time] : times)
      result.values.push_back({path, "time", {{"p", procs}}, {time * scale / procs}});
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_ + ":" + std::to_string(line_), what,
                     "check with cali-query whether it is a Caliper profile");
  }

  const std::string& one(const Fields& fields, const char* key) const {
    const auto found = fields.find(key);
    if (found == fields.end() || found->second.size() != 1)
      fail(std::string("expected one '") + key + "' in the record");
    return found->second.front();
  }

  const Node& node(const Id& id) const {
    const auto found = nodes_.find(id);
    if (found == nodes_.end()) fail("refers to node " + id + ", which is not there");
    return found->second;
  }

  /// Calls `see` with each node from `id` up to the root, except Caliper's built-in nodes (0 to
  /// 10), which are not in the file.
  template <typename See>
  void walk_up(Id id, See see) const {
    for (std::size_t steps = 0; !id.empty() && nodes_.contains(id); ++steps) {
      if (steps > nodes_.size()) fail("the nodes above " + id + " form a circle");
      const Node& n = node(id);
      see(n);
      id = n.parent;
    }
  }

  std::string name_of(const Id& attribute) const {
    const auto found = nodes_.find(attribute);
    return found == nodes_.end() ? std::string() : found->second.data;
  }

  bool is_nested(const Id& attribute) const {
    bool nested = false;
    walk_up(attribute, [&](const Node& n) {
      if (n.attribute == kPropAttribute) nested |= (std::atol(n.data.c_str()) & kNested) != 0;
    });
    return nested;
  }

  std::string unit_of(const Id& attribute) const {
    std::string unit;
    walk_up(attribute, [&](const Node& n) {
      if (name_of(n.attribute) == "attribute.unit") unit = n.data;
    });
    return unit;
  }

  void add_context(const Fields& fields) {
    std::vector<std::string> regions;
    if (const auto refs = fields.find("ref"); refs != fields.end())
      for (const Id& ref : refs->second) {
        node(ref);
        walk_up(ref, [&](const Node& n) {
          if (is_nested(n.attribute)) regions.push_back(n.data);
        });
      }
    std::string path;
    for (auto region = regions.rbegin(); region != regions.rend(); ++region)
      path += (path.empty() ? "" : "->") + *region;
    if (path.empty()) path = "(no region)";
    const auto attributes = fields.find("attr"), data = fields.find("data");
    if (attributes == fields.end() || data == fields.end()) return;
    if (attributes->second.size() != data->second.size())
      fail("expected as many values as attributes");
    for (std::size_t i = 0; i < data->second.size(); ++i)
      add_value(path, attributes->second[i], data->second[i]);
  }

  void add_value(const std::string& path, const Id& attribute, const std::string& text) {
    const std::string name = node(attribute).data;
    if (name == "mpi.rank") ranks_.insert(text);
    if (name != kInclusive && name != kExclusive[0] && name != kExclusive[1]) return;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= 0))
      fail("expected a time, found '" + text + "'");
    values_[name][path] += value;
    units_[name] = unit_of(attribute);
  }

  void add_globals(const Fields& fields) {
    const auto refs = fields.find("ref");
    if (refs == fields.end()) return;
    for (const Id& ref : refs->second)
      walk_up(ref, [&](const Node& n) {
        const std::string name = name_of(n.attribute);
        if (name == "executablepath") program_ = n.data.substr(n.data.find_last_of('/') + 1);
        char* end = nullptr;
        const double number = std::strtod(n.data.c_str(), &end);
        if (!n.data.empty() && *end == '\0') metadata_[name] = number;
        if (name == "mpi.world.size") world_ = std::atof(n.data.c_str());
        if (name == "jobsize" && world_ == 0) world_ = std::atof(n.data.c_str());  // by Adiak
      });
  }

  static void subtract_children(std::map<std::string, double>* times) {
    const std::map<std::string, double> inclusive = *times;
    for (const auto& [path, time] : inclusive) {
      const std::size_t arrow = path.rfind("->");
      if (arrow == std::string::npos) continue;
      const auto parent = times->find(path.substr(0, arrow));
      // Values are in whole microseconds, so the sum of the parts may exceed the whole.
      if (parent != times->end()) parent->second = std::max(0.0, parent->second - time);
    }
  }

  std::string file_;
  std::string unit_;
  std::size_t line_ = 0;
  std::map<Id, Node> nodes_;
  std::map<std::string, std::map<std::string, double>> values_;  // by metric, then by call path
  std::map<std::string, std::string> units_;                     // by metric
  std::set<std::string> ranks_;
  std::string program_;
  std::map<std::string, double> metadata_;
  double world_ = 0;  // 0: not stated
};

}  // namespace

ForeignFile read_cali(const std::string& text, const std::string& file, const std::string& unit) {
  Records records(file, unit);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) records.line(line);
  return records.finish();
}

}  // namespace apmt
