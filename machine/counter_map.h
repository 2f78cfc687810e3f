// Counter maps: which hardware events of a processor measure the model's quantities (metrics), and
// which of them can be counted together. configs/counters has one file per microarchitecture. A PMU
// is a performance monitoring unit, the part of a processor that has the counters.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct CpuIdentity;
class EventCatalog;

/// The quantities of the model, always in this order.
inline constexpr const char* kMetrics[] = {"cycles",  "instructions", "hit_L1", "hit_L2",
                                           "hit_LLC", "acc_mm",       "stall"};

/// One way to measure a metric: the sum of some events minus the sum of others.
struct Recipe {
  std::vector<std::string> plus;
  std::vector<std::string> minus;
  std::string note;                         // a restriction of the metric's meaning; empty: none
  std::vector<std::string> events() const;  // those in `plus` and `minus`
};

struct CounterMap {
  std::string name;  // the file's name: "intel-haswell"
  std::string title;
  std::vector<std::string> pmus;                       // libpfm4's names; empty: PAPI's presets
  std::vector<std::string> cpus;                       // CpuIdentity::key of its processors
  int counters = 0;                                    // programmable counters for each thread
  std::vector<std::string> fixed;                      // metrics with a counter of their own
  std::map<std::string, std::vector<Recipe>> metrics;  // alternatives, the best first
  std::map<std::string, std::string> absent;           // metrics that cannot be measured, and why
  std::vector<std::vector<std::string>> groups;        // metrics that are counted together

  bool is_fixed(const std::string& metric) const;
  /// How many programmable counters a group needs, with the best alternative of each metric; an
  /// event that occurs twice needs one.
  int counters_of(const std::vector<std::string>& group) const;
};

/// Throws InputError for a wrong file: unknown metrics, metrics with neither an event nor a reason
/// for its absence, groups that do not fit the counters, or metrics in no group.
CounterMap read_counter_map(const std::filesystem::path& file);

/// All maps in configs/counters, sorted by name.
std::vector<CounterMap> read_counter_maps(const std::filesystem::path& configs);

/// The map chosen for this processor, and why it was chosen.
struct ChosenMap {
  CounterMap map;
  std::string pmu;     // libpfm4's name of this processor; empty: libpfm4 does not know it
  std::string reason;  // one sentence
};
ChosenMap choose_counter_map(const std::vector<CounterMap>& maps, const CpuIdentity& cpu,
                             const EventCatalog& catalog);

/// An event of a group as the recorder needs it.
struct RecordedEvent {
  std::string metric;
  std::string event;            // with the name of the PMU: "skx::MEM_LOAD_RETIRED:L2_HIT"
  int sign = 1;                 // +1 or -1: its sign in the metric
  std::size_t alternative = 0;  // of the recipes of the metric
};
/// The events of all alternatives: which of them a processor can count is known only when they are
/// tried.
std::vector<std::vector<RecordedEvent>> recorded_groups(const ChosenMap& chosen);

/// The value of APMT_EVENTS: every event once, group by group.
std::string events_variable(const std::vector<std::vector<RecordedEvent>>& groups);
/// The value of APMT_METRICS: how metrics are computed from events, as in "hit_L1=+A-B,hit_L2=+C".
/// A metric with alternatives occurs several times, the best alternative first.
std::string metrics_variable(const std::vector<std::vector<RecordedEvent>>& groups);

}  // namespace apmt
