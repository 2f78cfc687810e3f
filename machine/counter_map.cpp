#include "machine/counter_map.h"

#include <algorithm>
#include <set>

#include "base/input_error.h"
#include "machine/cpu_identity.h"
#include "machine/event_catalog.h"
#include "machine/yaml_json.h"

namespace apmt {
namespace {

bool is_metric(const std::string& name) {
  return std::find(std::begin(kMetrics), std::end(kMetrics), name) != std::end(kMetrics);
}

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

std::vector<std::string> strings(const std::optional<JsonAt>& at) {
  std::vector<std::string> list;
  if (at) at->for_each([&](const JsonAt& element) { list.push_back(element.string()); });
  return list;
}

Recipe read_recipe(const JsonAt& at) {
  Recipe recipe;
  recipe.plus = strings(at.find("plus"));
  recipe.minus = strings(at.find("minus"));
  if (const auto note = at.find("note")) recipe.note = note->string();
  if (recipe.plus.empty()) at.fail("\"plus\" with at least one event, or \"absent\" with a reason");
  for (const std::string& event : recipe.events())
    if (event.empty() || event.find_first_of(" ,=+") != std::string::npos)
      at.fail("names of events without blank, comma, = or +");
  return recipe;
}

void read_metric(const std::string& name, const JsonAt& at, const Json& value, CounterMap* map) {
  if (!is_metric(name))
    at.fail("one of the metrics cycles, instructions, hit_L1, hit_L2, hit_LLC, acc_mm, stall");
  if (value.is_array()) {
    at.for_each([&](const JsonAt& one) { map->metrics[name].push_back(read_recipe(one)); });
    if (map->metrics[name].empty()) at.fail("at least one alternative");
  } else if (const auto reason = at.find("absent")) {
    map->absent[name] = reason->string();
  } else {
    map->metrics[name].push_back(read_recipe(at));
  }
}

void check_groups(const CounterMap& map, const JsonAt& at) {
  std::set<std::string> grouped;
  for (const auto& group : map.groups) {
    std::string names;
    for (const std::string& metric : group) {
      names += (names.empty() ? "" : ", ") + metric;
      if (!map.metrics.contains(metric)) at.fail("metrics with events in groups, not " + metric);
      grouped.insert(metric);
    }
    if (!contains(group, "cycles")) at.fail("cycles in each group");
    if (map.counters_of(group) > map.counters)
      at.fail("groups that fit " + std::to_string(map.counters) + " counters; [" + names +
              "] takes " + std::to_string(map.counters_of(group)));
  }
  for (const auto& [metric, recipes] : map.metrics)
    if (!grouped.contains(metric)) at.fail("each metric in a group, " + metric + " too");
}

/// The event's name for the recorder, which knows cycles and instructions by PAPI's names.
std::string papi_name(const RecordedEvent& event) {
  if (event.metric == "cycles") return "PAPI_TOT_CYC";
  if (event.metric == "instructions") return "PAPI_TOT_INS";
  return event.event;
}

}  // namespace

std::vector<std::string> Recipe::events() const {
  std::vector<std::string> all = plus;
  all.insert(all.end(), minus.begin(), minus.end());
  return all;
}

bool CounterMap::is_fixed(const std::string& metric) const { return contains(fixed, metric); }

int CounterMap::counters_of(const std::vector<std::string>& group) const {
  std::set<std::string> events;
  for (const std::string& metric : group) {
    if (is_fixed(metric)) continue;
    for (const std::string& event : metrics.at(metric).front().events()) events.insert(event);
  }
  return static_cast<int>(events.size());
}

CounterMap read_counter_map(const std::filesystem::path& file) {
  const Json root = read_yaml_file(file, "apmt-counters", 1);
  const JsonAt at(root, file.string());
  CounterMap map;
  map.name = file.stem().string();
  map.title = at.at("title").string();
  map.pmus = strings(at.at("pmus"));
  map.cpus = strings(at.at("cpus"));
  map.counters = static_cast<int>(at.at("counters").integer_in(1, 32));
  map.fixed = strings(at.at("fixed"));
  at.at("metrics").for_each_member([&](const std::string& name, const JsonAt& value) {
    read_metric(name, value, root["metrics"][name], &map);
  });
  for (const char* metric : kMetrics)
    if (!map.metrics.contains(metric) && !map.absent.contains(metric))
      at.at("metrics").fail(std::string(metric) + ", with events or with \"absent\" and a reason");
  for (const std::string& metric : map.fixed)
    if (!map.metrics.contains(metric)) at.at("fixed").fail("metrics with events, not " + metric);
  at.at("groups").for_each([&](const JsonAt& group) { map.groups.push_back(strings(group)); });
  check_groups(map, at.at("groups"));
  return map;
}

std::vector<CounterMap> read_counter_maps(const std::filesystem::path& configs) {
  const std::filesystem::path folder = configs / "counters";
  if (!std::filesystem::is_directory(folder))
    throw InputError(folder.string(), "not there; expected counter maps, *.yaml",
                     "the installation is incomplete: run cmake --install again",
                     ExitCode::kFailed);
  std::vector<CounterMap> maps;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") maps.push_back(read_counter_map(entry.path()));
  std::sort(maps.begin(), maps.end(),
            [](const CounterMap& a, const CounterMap& b) { return a.name < b.name; });
  return maps;
}

ChosenMap choose_counter_map(const std::vector<CounterMap>& maps, const CpuIdentity& cpu,
                             const EventCatalog& catalog) {
  const std::vector<Pmu> present = catalog.present();
  for (const CounterMap& map : maps)
    for (const Pmu& pmu : present)
      if (contains(map.pmus, pmu.name))
        return {map, pmu.name, "libpfm4 calls this processor " + pmu.name};
  for (const CounterMap& map : maps)
    if (contains(map.cpus, cpu.key))
      return {map, "",
              "there is a map, but this libpfm4 does not support the processor; a newer one may"};
  const auto papi = std::find_if(maps.begin(), maps.end(),
                                 [](const CounterMap& map) { return map.pmus.empty(); });
  if (papi == maps.end())
    throw InputError("configs/counters", "has no map without PMUs to fall back on");
  return {*papi, present.empty() ? "" : present.front().name,
          "there is no map for this processor; PAPI's presets are used where they exist"};
}

std::vector<std::vector<RecordedEvent>> recorded_groups(const ChosenMap& chosen) {
  const std::string prefix = chosen.pmu.empty() || chosen.map.pmus.empty() ? "" : chosen.pmu + "::";
  std::vector<std::vector<RecordedEvent>> groups;
  for (const auto& group : chosen.map.groups) {
    std::vector<RecordedEvent>& events = groups.emplace_back();
    for (const std::string& metric : group) {
      const std::vector<Recipe>& recipes = chosen.map.metrics.at(metric);
      for (std::size_t i = 0; i < recipes.size(); ++i) {
        for (const std::string& event : recipes[i].plus)
          events.push_back({metric, prefix + event, 1, i});
        for (const std::string& event : recipes[i].minus)
          events.push_back({metric, prefix + event, -1, i});
      }
    }
  }
  return groups;
}

std::string events_variable(const std::vector<std::vector<RecordedEvent>>& groups) {
  std::string text;
  std::set<std::string> seen;
  for (const auto& group : groups)
    for (const RecordedEvent& event : group)
      if (const std::string name = papi_name(event); seen.insert(name).second)
        text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string metrics_variable(const std::vector<std::vector<RecordedEvent>>& groups) {
  using Way = std::pair<std::string, std::size_t>;  // a metric and one of its alternatives
  std::vector<Way> order;
  std::map<Way, std::string> terms;
  std::set<std::pair<Way, std::string>> seen;
  for (const auto& group : groups)
    for (const RecordedEvent& event : group) {
      const Way way(event.metric, event.alternative);
      if (!seen.insert({way, event.event}).second) continue;
      if (!terms.contains(way)) order.push_back(way);
      terms[way] += (event.sign > 0 ? "+" : "-") + papi_name(event);
    }
  std::string text;
  for (const Way& way : order) text += (text.empty() ? "" : ",") + way.first + "=" + terms[way];
  return text;
}

}  // namespace apmt
