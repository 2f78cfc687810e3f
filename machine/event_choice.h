// Which hardware events a recording should count on this processor.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// The choice in the form that the recorder reads. If both texts are empty, the recorder chooses:
/// cycles and instructions if they can be counted, otherwise a clock.
struct EventChoice {
  std::string events;       // APMT_EVENTS
  std::string metrics;      // APMT_METRICS
  bool is_default = false;  // not the user's choice: no message if they cannot be counted
};

/// Chooses the events for `wanted`. "auto": the events that the model needs, from the counter map
/// of this processor; "basic": cycles and instructions; otherwise `wanted` is a list of events,
/// NAME[:PERIOD],..., which are used as they are.
EventChoice choose_events(const std::string& wanted, const std::filesystem::path& configs);

}  // namespace apmt
