// Messages on stderr. Other sources include only spdlog's formatting; only logging.cpp includes the
// logger, which takes long to compile.
#pragma once

#include <spdlog/fmt/fmt.h>

#include <string>

namespace apmt::logging {

enum class Level { kInfo, kWarning, kError };

/// `verbose` and `quiet`: how often the flags --verbose and --quiet were given.
void set_up(int verbose, int quiet);

void say(Level level, const std::string& line);

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
