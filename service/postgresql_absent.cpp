// Takes the place of postgresql_database.cpp in a build without libpqxx.

#include "service/postgresql_database.h"

namespace apmt::service {

bool can_use_postgresql() { return false; }

std::unique_ptr<Database> connect_to_postgresql(const StoreAddress& address, Access, bool) {
  throw InputError(address.shown, "this build of apmt cannot use PostgreSQL",
                   "install libpqxx-dev and build apmt again, or use sqlite:FILE",
                   ExitCode::kFailed);
}

}  // namespace apmt::service
