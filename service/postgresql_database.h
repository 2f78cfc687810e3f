// A connection to a database on a server of PostgreSQL.
#pragma once

#include <memory>

#include "service/database.h"
#include "service/store_address.h"

namespace apmt::service {

/// Whether this build of apmt can use PostgreSQL.
bool can_use_postgresql();

/// Connects to the database. A connection that is lost is made again by the next statement outside
/// a transaction. If `is_server`, the connection holds a lock of the store, so that only one server
/// uses it. Throws InputError if this build of apmt cannot use PostgreSQL.
std::unique_ptr<Database> connect_to_postgresql(const StoreAddress& address, Access access,
                                                bool is_server);

}  // namespace apmt::service
