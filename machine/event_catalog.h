// The events of libpfm4: the processor's PMUs, and whether a name is an event of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct Pmu {
  std::string name;  // "skx"
  std::string title;
  int counters = 0;  // programmable, as libpfm4 counts them: with Hyper-Threading off
  int fixed = 0;
  bool is_present = false;  // this processor's (or LIBPFM_FORCE_PMU's)
};

/// A session with libpfm4. One at a time: the library is global.
class EventCatalog {
 public:
  EventCatalog();
  ~EventCatalog();
  EventCatalog(const EventCatalog&) = delete;
  EventCatalog& operator=(const EventCatalog&) = delete;

  std::optional<Pmu> find(const std::string& pmu) const;
  /// Core PMUs that are present, not the generic ones of perf.
  std::vector<Pmu> present() const;
  /// Why `pmu`::`event` is not an event; absent if it is one.
  std::optional<std::string> problem_with(const std::string& pmu, const std::string& event) const;
};

}  // namespace apmt
