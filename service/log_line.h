// What the server reports. The sources in this folder log nothing themselves: the code that starts
// the server passes a function that logs.
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

/// A function that logs a line. It is called from several threads.
using Log = std::function<void(const LogLine&)>;

}  // namespace apmt::service
