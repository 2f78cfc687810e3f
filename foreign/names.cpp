#include "foreign/names.h"

#include <array>
#include <cctype>
#include <set>

#include "base/input_error.h"
#include "base/listed.h"

namespace apmt {
namespace {

constexpr std::array<const char*, 10> kProcsNames = {
    "p", "P", "procs", "processes", "nprocs", "ranks", "np", "process", "proc", "cores"};

std::string procs_parameter(const std::vector<ForeignValues>& values, const std::string& asked) {
  std::set<std::string> names;
  for (const ForeignValues& v : values)
    for (const auto& [name, value] : v.params) names.insert(name);
  if (!asked.empty()) {
    if (names.count(asked) > 0) return asked;
    throw InputError("", "no parameter is called '" + asked + "'",
                     "the data have: " + listed(names));
  }
  for (const char* name : kProcsNames)
    if (names.count(name) > 0) return name;
  throw InputError("", "it is not clear which parameter is the number of processes",
                   "name it: --procs-from NAME (the data have: " + listed(names) + ")");
}

std::string time_metric(const std::vector<ForeignValues>& values, const std::string& asked) {
  std::set<std::string> names;
  for (const ForeignValues& v : values) names.insert(v.metric);
  const std::string wanted = asked.empty() ? "time" : asked;
  if (names.count(wanted) > 0) return wanted;
  if (asked.empty() && names.size() == 1) return *names.begin();
  throw InputError(
      "", "no metric is called '" + wanted + "'",
      "name the one that is seconds: --time NAME (the data have: " + listed(names) + ")");
}

/// "mesh-size" becomes "mesh_size", and "2n" becomes "_2n". A character of several bytes becomes a
/// single "_".
std::string usable_name(const std::string& name) {
  std::string usable;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues_character = (byte & 0xC0U) == 0x80U;
    if (continues_character) continue;
    usable += byte < 0x80U && std::isalnum(byte) != 0 ? c : '_';
  }
  const bool begins_with_digit =
      !usable.empty() && std::isdigit(static_cast<unsigned char>(usable.front())) != 0;
  return usable.empty() || begins_with_digit ? "_" + usable : usable;
}

}  // namespace

void settle_names(const std::vector<ForeignValues>& values, ForeignOptions* options) {
  options->procs_from = procs_parameter(values, options->procs_from);
  options->time_metric = time_metric(values, options->time_metric);
}

std::map<std::string, std::string> rename_sizes(std::vector<ForeignValues>* values,
                                                const std::string& procs_from) {
  std::map<std::string, std::string> old_names;  // by the new ones
  for (const ForeignValues& v : *values)
    for (const auto& [name, value] : v.params) {
      if (name == procs_from) continue;
      const auto [found, is_new] = old_names.emplace(usable_name(name), name);
      if (!is_new && found->second != name)
        throw InputError("",
                         "the problem sizes '" + found->second + "' and '" + name +
                             "' would both be called '" + found->first + "'",
                         "rename one in the file, with letters, digits and _ only");
    }
  std::map<std::string, std::string> renamed;
  for (const auto& [usable, name] : old_names)
    if (usable != name) renamed[name] = usable;
  if (renamed.empty()) return renamed;
  for (ForeignValues& v : *values) {
    std::map<std::string, double> params;
    for (const auto& [name, value] : v.params) {
      const auto found = name == procs_from ? renamed.end() : renamed.find(name);
      params[found == renamed.end() ? name : found->second] = value;
    }
    v.params = std::move(params);
  }
  return renamed;
}

std::string other_unit_in(const std::string& metric) {
  static const std::set<std::string> kUnits = {
      "ms",     "msec",      "msecs",    "millisecond",  "milliseconds",
      "us",     "usec",      "usecs",    "microseconds", "microsecond",
      "ns",     "nsec",      "nsecs",    "nanoseconds",  "nanosecond",
      "minute", "minutes",   "mins",     "hour",         "hours",
      "h",      "\xC2\xB5s", "\xCE\xBCs"};  // both signs of micro
  std::string word;
  for (const char c : metric + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80U) {
      word += static_cast<char>(std::tolower(byte));
      continue;
    }
    if (kUnits.contains(word)) return word;
    word.clear();
  }
  return {};
}

}  // namespace apmt
