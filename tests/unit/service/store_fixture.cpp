#include "store_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "private_postgresql.h"
#include "service/postgresql_database.h"
#include "service/sqlite_database.h"

namespace apmt::service::testing {
namespace {

bool is_postgresql_wanted() {
  const char* kind = std::getenv("APMT_TEST_STORE");
  return kind != nullptr && kind == std::string("postgresql");
}

/// Skips all tests if they are to use PostgreSQL and this machine has none.
class KindOfStore : public ::testing::Environment {
  void SetUp() override {
    if (is_postgresql_wanted() && PrivatePostgresql::get().absence())
      GTEST_SKIP() << *PrivatePostgresql::get().absence();
  }
};
const auto* const kKindOfStore = ::testing::AddGlobalTestEnvironment(new KindOfStore);

}  // namespace

std::string new_store_address(const TemporaryFolder& folder) {
  if (is_postgresql_wanted()) return PrivatePostgresql::get().new_database();
  return "sqlite:" + (folder.path() / "store.db").string();
}

void execute_in_store(const std::string& text, const std::string& sql) {
  const StoreAddress address = store_address(text);
  if (address.kind == StoreAddress::Kind::kPostgresql)
    connect_to_postgresql(address, Access::kWrite, false)->run(sql);
  else
    SqliteDatabase(address.place, SqliteDatabase::Mode::kCreate).run(sql);
}

}  // namespace apmt::service::testing
