// The events that measure the model's quantities on a processor: metric -> native events, and which
// of them can be counted together. One file of configs/counters per microarchitecture.
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
  std::string note;  // how it differs from what its name says; empty: it does not
  std::vector<std::string> events() const;  // both
};

struct CounterMap {
  std::string name;  // of the file: "intel-haswell"
  std::string title;
  std::vector<std::string> pmus;                       // libpfm4's names; empty: PAPI's presets
  std::vector<std::string> cpus;                       // CpuIdentity::key of processors it is for
  int counters = 0;                                    // programmable at once, per thread
  std::vector<std::string> fixed;                      // metrics with a counter of their own
  std::map<std::string, std::vector<Recipe>> metrics;  // alternatives, the best first
  std::map<std::string, std::string> absent;           // metrics that cannot be measured, and why
  std::vector<std::vector<std::string>> groups;        // metrics to be counted together

  bool is_fixed(const std::string& metric) const;
  /// Programmable counters that a group takes, each event once.
  int counters_of(const std::vector<std::string>& group) const;
};

/// Throws InputError when the file is not a map: unknown metrics, groups that do not fit or leave
/// a metric out, neither an event nor a reason.
CounterMap read_counter_map(const std::filesystem::path& file);

/// All of configs/counters, by name.
std::vector<CounterMap> read_counter_maps(const std::filesystem::path& configs);

/// The map for this processor, and why it is (or is not) usable.
struct ChosenMap {
  CounterMap map;
  std::string pmu;     // libpfm4's name of this processor; empty: libpfm4 does not know it
  std::string reason;  // one sentence
};
ChosenMap choose_counter_map(const std::vector<CounterMap>& maps, const CpuIdentity& cpu,
                             const EventCatalog& catalog);

/// An event of a group in the form for the recording process.
struct RecordedEvent {
  std::string metric;
  std::string event;  // with the PMU's name before it: "skx::MEM_LOAD_RETIRED:L2_HIT"
  int sign = 1;       // of the event in the metric
};
std::vector<std::vector<RecordedEvent>> recorded_groups(const ChosenMap& chosen);

/// APMT_EVENTS: every event once, cycles and instructions by PAPI's names, in the order of groups.
std::string events_variable(const std::vector<std::vector<RecordedEvent>>& groups);
/// APMT_METRICS: "hit_L1=+A-B,hit_L2=+C": what the events mean.
std::string metrics_variable(const std::vector<std::vector<RecordedEvent>>& groups);

}  // namespace apmt
