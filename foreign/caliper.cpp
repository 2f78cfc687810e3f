// Reads Caliper's JSON ("json-split", `cali-query -J`): a table of regions and ranks.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "foreign/files.h"

namespace apmt {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Names of exclusive times in Caliper's recipes; newer ones have the alias "time".
constexpr const char* kTimes[] = {"time", "sum#sum#time.duration", "sum#time.duration"};

std::string stated_unit(const JsonAt& column) {
  const auto stated = column.find("attribute.unit");
  return stated ? stated->string() : std::string();
}

class Table {
 public:
  Table(const Json& document, const std::string& file, const std::string& unit)
      : document_(document), json_(document, file) {
    json_.at("columns").for_each([&](const JsonAt& name) { names_.push_back(name.string()); });
    find_columns(unit);
    read_nodes();
    read_rows();
  }

  /// The mean over the ranks, for each region.
  ForeignFile values() const {
    const double procs = processes();
    ForeignFile file;
    if (!json_.find("mpi.world.size") && ranks_.empty())
      file.warnings.push_back(json_.file() + " " + kNoProcesses);
    if (const auto path = json_.find("executablepath"))
      file.program = path->string().substr(path->string().find_last_of('/') + 1);
    for (const auto& [region, time_s] : time_s_)
      file.values.push_back({region, "time", {{"p", procs}}, {time_s / procs}});
    json_.for_each_member([&](const std::string& name, const JsonAt&) {
      const Json& value = document_.at(name);
      if (!value.is_string() || value.get_ref<const std::string&>().empty()) return;
      const std::string& text = value.get_ref<const std::string&>();
      char* end = nullptr;
      const double number = std::strtod(text.c_str(), &end);
      if (*end == '\0' && std::isfinite(number)) file.metadata[name] = number;
    });
    return file;
  }

 private:
  std::string place_of(const char* list, std::size_t i) const {
    return json_.file() + ":/" + list + "/" + std::to_string(i);
  }

  std::size_t column(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? kNone : static_cast<std::size_t>(found - names_.begin());
  }

  void find_columns(const std::string& unit) {
    rank_ = column("mpi.rank");
    path_ = column("path");
    for (const char* wanted : kTimes)
      if (time_ == kNone) time_ = column(wanted);
    std::size_t number = 0;
    json_.at("column_metadata").for_each([&](const JsonAt& one) {
      const std::size_t i = number++;
      if (i >= names_.size()) return;
      if (i == time_)
        seconds_ = seconds_per_unit(stated_unit(one), unit, place_of("column_metadata", i));
      const bool is_path = !one.at("is_value").boolean() && names_[i].ends_with("callpath.address");
      if (path_ == kNone && is_path) path_ = i;
    });
    if (number != names_.size()) json_.at("column_metadata").fail("one entry for each column");
    if (time_ == kNone || path_ == kNone)
      json_.at("columns").fail(
          "a column of regions (path, or source.function#callpath.address) and one of exclusive "
          "times (time, or sum#time.duration)");
  }

  void read_nodes() {
    json_.at("nodes").for_each([&](const JsonAt& node) {
      const std::string label = node.at("label").string();
      const auto parent = node.find("parent");
      paths_.push_back(parent ? paths_[index(*parent)] + "->" + label : label);
    });
  }

  std::size_t index(const JsonAt& json) const {
    return static_cast<std::size_t>(
        json.integer_in(0, static_cast<std::int64_t>(paths_.size()) - 1));
  }

  /// Sums the times by region. A null entry means that the row has no time (it is skipped), no
  /// region or no rank.
  void read_rows() {
    json_.at("data").for_each([&](const JsonAt& row) {
      const std::string place = "/data/" + std::to_string(rows_);
      const Json& cells = document_["data"][rows_++];
      if (!cells.is_array() || cells.size() != names_.size()) row.fail("one entry for each column");
      const auto cell = [&](std::size_t at) {
        return JsonAt(cells[at], json_.file(), place + "/" + std::to_string(at));
      };
      if (cells[time_].is_null()) return;
      const std::string region =
          cells[path_].is_null() ? "(no region)" : paths_[index(cell(path_))];
      time_s_[region] += cell(time_).non_negative() * seconds_;
      if (rank_ != kNone && !cells[rank_].is_null()) ranks_.insert(cell(rank_).integer());
    });
  }

  double processes() const {
    const auto stated = json_.find("mpi.world.size");
    if (!stated) return ranks_.empty() ? 1 : static_cast<double>(ranks_.size());
    const double procs = std::strtod(stated->string().c_str(), nullptr);
    if (!(procs >= 1)) stated->fail("a number of processes");
    return procs;
  }

  const Json& document_;
  JsonAt json_;
  std::vector<std::string> names_;
  std::size_t path_ = kNone;
  std::size_t rank_ = kNone;
  std::size_t time_ = kNone;
  std::size_t rows_ = 0;
  double seconds_ = 1;
  std::vector<std::string> paths_;  // of nodes, beginning with the outermost region
  std::set<std::int64_t> ranks_;
  std::map<std::string, double> time_s_;  // summed over all ranks
};

}  // namespace

double seconds_per_unit(const std::string& stated, const std::string& asked,
                        const std::string& place) {
  static const std::map<std::string, double> kUnits = {
      {"s", 1},     {"sec", 1},     {"ms", 1e-3}, {"msec", 1e-3},
      {"us", 1e-6}, {"usec", 1e-6}, {"ns", 1e-9}, {"nsec", 1e-9}};
  const std::string unit = stated.empty() ? asked : stated;
  if (unit.empty())
    throw InputError(place, "the unit of the times is not stated",
                     "name it with --unit: s, ms, us or ns (old versions of Caliper: us)");
  const auto found = kUnits.find(unit);
  if (found == kUnits.end())
    throw InputError(place, "the unit '" + unit + "' of the times is not known",
                     "known are s, ms, us and ns");
  if (!asked.empty() && kUnits.at(asked) != found->second)
    throw InputError(place, "states the unit '" + unit + "', not '" + asked + "'",
                     "leave --unit out");
  return found->second;
}

ForeignFile read_caliper_json(const std::string& text, const std::string& file,
                              const std::string& unit) {
  const Json document = parse_json(text, file);
  return Table(document, file, unit).values();
}

}  // namespace apmt
