// Which hardware events a recording shall count on this processor.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// The form that the recording process reads; with empty texts it chooses itself: cycles and
/// instructions where they can be counted, a clock elsewhere.
struct EventChoice {
  std::string events;       // APMT_EVENTS
  std::string metrics;      // APMT_METRICS
  bool is_default = false;  // nobody asked for these; that they cannot be counted is no news
};

/// "auto": what the model needs, by the counter map of this processor; "basic": cycles and
/// instructions; otherwise names of events, NAME[:PERIOD],..., taken as they are.
EventChoice choose_events(const std::string& wanted, const std::filesystem::path& configs);

}  // namespace apmt
