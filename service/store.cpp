#include "service/store.h"

#include <ctime>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "service/postgresql_database.h"
#include "service/sql_store.h"
#include "service/sqlite_database.h"
#include "service/store_address.h"
#include "service/store_lock.h"

namespace apmt::service {
namespace {

constexpr const char* kRoles[] = {"reader", "pusher", "keeper"};

}  // namespace

std::unique_ptr<Store> open_store(const std::string& text, Use use) {
  const StoreAddress address = store_address(text);
  const bool is_server = use == Use::kServer;
  if (address.kind == StoreAddress::Kind::kPostgresql)
    return std::make_unique<SqlStore>([=](Access access) {
      return connect_to_postgresql(address, access, is_server && access == Access::kWrite);
    });
  // The lock belongs to the store, and is released with it.
  std::shared_ptr<const StoreLock> lock;
  if (is_server) lock = std::make_shared<const StoreLock>(address.place);
  return std::make_unique<SqlStore>(
      [address, lock](Access access) { return connect_to_sqlite(address.place, access); });
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
