// Queries to libpfm4: which performance monitoring units (PMUs) this processor has, and whether a
// PMU has an event with a given name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct Pmu {
  std::string name;  // "skx"
  std::string title;
  int counters = 0;  // programmable counters, as libpfm4 gives them: without Hyper-Threading
  int fixed = 0;
  bool is_present = false;  // this processor has it, or LIBPFM_FORCE_PMU names it
};

/// A session with libpfm4. Only one may exist at a time, because the library has global state.
class EventCatalog {
 public:
  EventCatalog();
  ~EventCatalog();
  EventCatalog(const EventCatalog&) = delete;
  EventCatalog& operator=(const EventCatalog&) = delete;

  std::optional<Pmu> find(const std::string& pmu) const;
  /// The PMUs of this processor's cores, without the generic PMUs of perf.
  std::vector<Pmu> present() const;
  /// Why `pmu`::`event` is not an event; absent if it is one.
  std::optional<std::string> problem_with(const std::string& pmu, const std::string& event) const;
};

}  // namespace apmt
