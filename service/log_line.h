// What the server reports. The sources here log nothing themselves: whoever starts the server
// passes a function that does.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace apmt::service {

struct LogLine {
  enum class Level { kInfo, kWarning, kError };
  Level level = Level::kInfo;
  std::string event;  // "listening", "pushed", "refused", "refitted"
  std::vector<std::pair<std::string, std::string>> fields = {};
};

/// Called from several threads.
using Log = std::function<void(const LogLine&)>;

}  // namespace apmt::service
