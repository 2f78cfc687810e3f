#include "service/store.h"

#include <ctime>

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

std::string to_string(Role role) { return kRoles[static_cast<int>(role)]; }

Role role_from(const std::string& name) {
  for (const Role role : {Role::kReader, Role::kPusher, Role::kKeeper})
    if (to_string(role) == name) return role;
  throw InputError(name, "is not a role; expected reader, pusher or keeper");
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace apmt::service
