// Messages on stderr. Other source files include only the part of spdlog that formats text; only
// logging.cpp includes the logger, which takes long to compile.
#pragma once

#include <spdlog/fmt/fmt.h>

#include <string>
#include <utility>
#include <vector>

namespace apmt::logging {

enum class Level { kInfo, kWarning, kError };

/// `verbose` and `quiet`: how often the flags --verbose and --quiet were given.
void set_up(int verbose, int quiet);

/// The flags that give another apmt the same verbosity.
std::vector<std::string> flags();

void say(Level level, const std::string& line);

/// Lets a server report events on stderr, from any thread. Each event is one line with date and
/// time, written as `name=value` pairs or as a JSON object.
void set_up_server(bool as_json);
void event(Level level, const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& fields);

template <typename... Values>
void info(fmt::format_string<Values...> format, Values&&... values) {
  say(Level::kInfo, fmt::vformat(format, fmt::make_format_args(values...)));
}

template <typename... Values>
void warn(fmt::format_string<Values...> format, Values&&... values) {
  say(Level::kWarning, fmt::vformat(format, fmt::make_format_args(values...)));
}

template <typename... Values>
void error(fmt::format_string<Values...> format, Values&&... values) {
  say(Level::kError, fmt::vformat(format, fmt::make_format_args(values...)));
}

}  // namespace apmt::logging
