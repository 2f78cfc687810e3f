#include "machine/event_choice.h"

#include "machine/counter_map.h"
#include "machine/cpu_identity.h"
#include "machine/event_catalog.h"

namespace apmt {

EventChoice choose_events(const std::string& wanted, const std::filesystem::path& configs) {
  if (wanted == "basic") return {};
  if (wanted != "auto") return {wanted, "", false};
  const EventCatalog catalog;
  // Most virtual machines have no counters. Then there is nothing to choose and nothing to report.
  if (catalog.present().empty()) return {};
  const ChosenMap chosen = choose_counter_map(read_counter_maps(configs), identify_cpu(), catalog);
  const auto groups = recorded_groups(chosen);
  return {events_variable(groups), metrics_variable(groups), true};
}

}  // namespace apmt
