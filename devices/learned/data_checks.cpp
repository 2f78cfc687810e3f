#include "devices/learned/data_checks.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace apmt::learned {
namespace {

using Values = std::vector<std::optional<double>>;

bool is_whole(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](const auto& value) { return value; });
}

/// Whether times were copied from one kernel to another: separate measurements would differ by more
/// than kApart on some device.
bool is_shared(const Values& a, const Values& b) {
  constexpr double kApart = 0.05;
  constexpr int kTells = 3;  // equal times on fewer devices than this may be chance
  int common = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (!a[d] || !b[d]) continue;
    ++common;
    if (std::abs(std::log(*a[d] / *b[d])) > kApart) return false;
  }
  return common >= kTells;
}

/// Titles of the items that share a key with another item, grouped by key, in the data's order.
template <class Key>
std::vector<std::vector<std::string>> groups_of(
    const std::vector<std::pair<Key, std::string>>& items) {
  std::map<Key, std::vector<std::string>> by_key;
  for (const auto& [key, title] : items) by_key[key].push_back(title);
  std::vector<std::vector<std::string>> groups;
  for (const auto& [key, title] : items)
    if (auto& group = by_key[key]; group.size() > 1 && group.front() == title)
      groups.push_back(std::exchange(group, {}));
  return groups;
}

void check_columns(const DataSet& data, DataFindings* findings) {
  std::vector<std::pair<Values, std::string>> columns;
  for (std::size_t f = 0; f < data.head.definitions.features.size(); ++f) {
    const std::string& name = data.head.definitions.features[f].name;
    Values column;
    std::set<double> values;
    for (const KernelRun& run : data.runs) {
      column.push_back(run.features[f]);
      if (run.features[f])
        values.insert(*run.features[f]);
      else
        ++findings->missing[name];
    }
    if (values.size() < 2)
      findings->constant.push_back(name);
    else
      columns.emplace_back(std::move(column), name);
  }
  findings->equal = groups_of(columns);
  for (std::size_t d = 0; d < data.head.devices.size(); ++d)
    for (const KernelRun& run : data.runs)
      if (!run.times_s[d]) ++findings->missing[data.head.devices[d].name];
}

/// Groups the kernels of one application and input that have the same times. A kernel is compared
/// only with the first kernel of each group.
void check_times(const DataSet& data, DataFindings* findings) {
  using Group = std::vector<const KernelRun*>;
  std::map<std::pair<std::string, std::string>, std::vector<Group>> by_input;
  for (const KernelRun& run : data.runs) {
    std::vector<Group>& groups = by_input[{run.application, run.input}];
    const auto like = std::find_if(groups.begin(), groups.end(), [&run](const Group& group) {
      return group.front()->kernel != run.kernel && is_shared(group.front()->times_s, run.times_s);
    });
    if (like == groups.end())
      groups.push_back({&run});
    else
      like->push_back(&run);
  }
  for (const auto& [input, groups] : by_input)
    for (const Group& group : groups) {
      if (group.size() < 2) continue;
      std::vector<std::string>& titles = findings->shared_times.emplace_back();
      for (const KernelRun* run : group) titles.push_back(title_of(*run));
    }
}

void check_runs(const DataSet& data, DataFindings* findings) {
  std::vector<std::pair<Values, std::string>> features;
  std::vector<std::pair<std::tuple<std::string, std::string, std::string>, std::string>> keys;
  std::set<std::pair<std::string, std::string>> kernels;
  std::set<std::string> suites;
  std::set<Values> distinct;
  for (const KernelRun& run : data.runs) {
    const std::string title = title_of(run);
    ++findings->runs_of[run.application];
    kernels.emplace(run.application, run.kernel);
    if (!run.suite.empty()) suites.insert(run.suite);
    keys.emplace_back(std::tuple{run.application, run.kernel, run.input}, title);
    distinct.insert(run.features);
    if (is_whole(run.features)) features.emplace_back(run.features, title);
  }
  findings->kernels = static_cast<int>(kernels.size());
  findings->distinct_features = static_cast<int>(distinct.size());
  findings->suites.assign(suites.begin(), suites.end());
  findings->alike = groups_of(features);
  findings->repeated = groups_of(keys);
}

}  // namespace

DataFindings check_data(const DataSet& data) {
  DataFindings findings;
  findings.title = data.head.title;
  findings.definitions = data.head.definitions.name + ", version " + data.head.definitions.version;
  findings.runs = static_cast<int>(data.runs.size());
  findings.features = static_cast<int>(data.head.definitions.features.size());
  findings.devices = static_cast<int>(data.head.devices.size());
  check_columns(data, &findings);
  check_runs(data, &findings);
  check_times(data, &findings);
  return findings;
}

}  // namespace apmt::learned
