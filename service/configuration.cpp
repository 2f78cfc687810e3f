#include "service/configuration.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/input_error.h"
#include "machine/yaml_json.h"

namespace apmt::service {
namespace {

using Setter = std::function<void(const JsonAt&)>;

Setter text_into(std::string* target) {
  return [=](const JsonAt& at) { *target = at.string(); };
}

Setter flag_into(bool* target) {
  return [=](const JsonAt& at) { *target = at.boolean(); };
}

Setter number_into(double* target, double least) {
  return [=](const JsonAt& at) {
    *target = at.non_negative();
    if (*target < least) at.fail("a number of at least " + std::to_string(least));
  };
}

template <typename Whole>
Setter whole_into(Whole* target, std::int64_t low, std::int64_t high) {
  return [=](const JsonAt& at) { *target = static_cast<Whole>(at.integer_in(low, high)); };
}

std::map<std::string, Setter> setters_of(Configuration* c) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  constexpr double kShortest = 0.01;
  return {{"listen", text_into(&c->listen)},
          {"store", text_into(&c->store)},
          {"anonymous_reading", flag_into(&c->anonymous_reading)},
          {"log", text_into(&c->log)},
          {"connections", whole_into(&c->connections, 1, 100'000)},
          {"threads", whole_into(&c->threads, 1, 256)},
          {"head_s", number_into(&c->head_s, kShortest)},
          {"body_s", number_into(&c->body_s, kShortest)},
          {"send_s", number_into(&c->send_s, kShortest)},
          {"stop_s", number_into(&c->stop_s, 0)},
          {"head_bytes", whole_into(&c->head_bytes, 1024, 1 << 20)},
          {"body_bytes", whole_into(&c->body_bytes, 1024, 1 << 30)},
          {"profile_bytes", whole_into(&c->profile_bytes, 1024, 1 << 30)},
          {"requests_per_s", number_into(&c->requests_per_s, 0)},
          {"requests_burst", number_into(&c->requests_burst, 1)},
          {"failures_per_s", number_into(&c->failures_per_s, 0)},
          {"failures_burst", number_into(&c->failures_burst, 1)},
          {"models_in_memory", whole_into(&c->models_in_memory, 1, 100'000)},
          {"parsed_at_once", whole_into(&c->parsed_at_once, 1, 16)},
          {"refit_cpu_s", whole_into(&c->refit.cpu_s, 1, 1'000'000)},
          {"refit_wall_s", whole_into(&c->refit.wall_s, 1, 1'000'000)},
          {"refit_memory_bytes", whole_into(&c->refit.memory_bytes, 1 << 20, kMostBytes)},
          {"keep_models", whole_into(&c->retention.models, Retention::kFewestModels, 1'000'000)},
          {"keep_audit_days", whole_into(&c->retention.audit_days, 0, 36'500)}};
}

}  // namespace

Configuration read_configuration(const std::filesystem::path& file) {
  Configuration configuration;
  const Json json = read_yaml_file(file, "apmt-service", 1);
  const std::map<std::string, Setter> setters = setters_of(&configuration);
  JsonAt(json, file.string()).for_each_member([&](const std::string& name, const JsonAt& at) {
    if (name == "format" || name == "format_version") return;
    const auto setter = setters.find(name);
    if (setter == setters.end())
      throw InputError(file.string(), "there is no setting '" + name + "'",
                       "docs/service.md lists the settings");
    setter->second(at);
  });
  if (configuration.log != "text" && configuration.log != "json")
    throw InputError(file.string(), "log: expected text or json");
  return configuration;
}

Address listen_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto refuse = [&] {
    throw InputError("--listen", "'" + text + "': expected ADDRESS:PORT, e.g. 127.0.0.1:8440");
  };
  if (colon == std::string::npos || colon == 0) refuse();
  Address address;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  const std::string port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      std::stoi(port) > 65535)
    refuse();
  address.port = static_cast<unsigned short>(std::stoi(port));
  return address;
}

}  // namespace apmt::service
