#include "service/store.h"

#include <ctime>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "service/sqlite_store.h"

namespace apmt::service {
namespace {

constexpr const char* kSqlite = "sqlite:";
constexpr const char* kRoles[] = {"reader", "pusher", "keeper"};

}  // namespace

std::string store_file(const std::string& address) {
  if (!address.starts_with(kSqlite) || address == kSqlite)
    throw InputError("--store", "'" + address + "' is not the address of a store",
                     "give sqlite:FILE");
  return address.substr(std::string(kSqlite).size());
}

std::unique_ptr<Store> open_store(const std::string& address) {
  return std::make_unique<SqliteStore>(store_file(address));
}

std::string to_text(const Scope& scope) {
  return Json(scope.names()).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Scope scope_from(const std::string& text) {
  return Scope(parse_json(text, "the names of applications").get<std::vector<std::string>>());
}

std::string to_string(Role role) { return kRoles[static_cast<int>(role)]; }

Role role_from(const std::string& name) {
  for (const Role role : {Role::kReader, Role::kPusher, Role::kKeeper})
    if (to_string(role) == name) return role;
  throw InputError(name, "is not a role; expected reader, pusher or keeper");
}

std::string utc_now() { return utc_in_days(0); }

std::string utc_in_days(int days) {
  constexpr std::time_t kDay = 24 * 3600;
  const std::time_t then = std::time(nullptr) + days * kDay;
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace apmt::service
