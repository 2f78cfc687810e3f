#include "cli/logging.h"

#include <spdlog/fmt/chrono.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "base/checked_json.h"

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

bool server_logs_json = false;

/// Quotes a value that has spaces, line breaks or the like, as names of programs may. Otherwise its
/// words would look like further fields or lines.
std::string in_one_word(const std::string& value) {
  const bool is_plain = std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '=';
  });
  return is_plain ? value : Json(value).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Messages on stderr. What was printed before comes first, also if stdout and stderr are the same
/// pipe.
class AfterStdout : public spdlog::sinks::ansicolor_stderr_sink_st {
 public:
  void log(const spdlog::details::log_msg& message) override {
    std::fflush(stdout);
    ansicolor_stderr_sink::log(message);
  }
};

}  // namespace

void set_up(int verbose, int quiet) {
  auto logger = std::make_shared<spdlog::logger>("apmt", std::make_shared<AfterStdout>());
  logger->set_pattern("apmt: %^%l%$: %v");
  const int level = spdlog::level::info - verbose + quiet;
  logger->set_level(static_cast<spdlog::level::level_enum>(std::clamp(
      level, static_cast<int>(spdlog::level::trace), static_cast<int>(spdlog::level::off))));
  spdlog::set_default_logger(logger);
}

std::vector<std::string> flags() {
  const int more = spdlog::level::info - spdlog::default_logger_raw()->level();
  return std::vector<std::string>(static_cast<std::size_t>(std::abs(more)), more > 0 ? "-v" : "-q");
}

void set_up_server(bool as_json) {
  server_logs_json = as_json;
  auto logger = spdlog::stderr_logger_mt("apmt-serve");
  logger->set_pattern(as_json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                      spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::default_logger_raw()->level());
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void event(Level level, const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& fields) {
  if (!server_logs_json) {
    std::string line = name;
    for (const auto& [field, value] : fields)
      if (!value.empty()) line += " " + field + "=" + in_one_word(value);
    say(level, line);
    return;
  }
  Json json = Json::object();
  for (const auto& [field, value] : fields) json[field] = value;
  json["event"] = name;
  json["level"] = spdlog::level::to_string_view(level_of(level)).data();
  json["at"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  say(level, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void say(Level level, const std::string& line) {
  spdlog::default_logger_raw()->log(level_of(level), spdlog::string_view_t(line));
}

}  // namespace apmt::logging
