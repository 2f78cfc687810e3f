#include "cli/logging.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace apmt::logging {
namespace {

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void set_up(int verbose, int quiet) {
  auto logger = spdlog::stderr_color_st("apmt");
  logger->set_pattern("apmt: %^%l%$: %v");
  const int level = spdlog::level::info - verbose + quiet;
  logger->set_level(static_cast<spdlog::level::level_enum>(std::clamp(
      level, static_cast<int>(spdlog::level::trace), static_cast<int>(spdlog::level::off))));
  spdlog::set_default_logger(logger);
}

void say(Level level, const std::string& line) {
  spdlog::default_logger_raw()->log(level_of(level), spdlog::string_view_t(line));
}

}  // namespace apmt::logging
