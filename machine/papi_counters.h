// Counts events through PAPI, as the recorder does, to find out whether they count on this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct Trial {
  std::vector<std::int64_t> counts;  // one per event; empty if there is a `problem`
  std::string problem;
};

/// Why PAPI cannot be used at all; absent if it can. The first call opens PAPI.
std::optional<std::string> problem_with_papi();

/// Counts the events together while `work` runs.
Trial count_with_papi(const std::vector<std::string>& events, const std::function<void()>& work);

}  // namespace apmt
