// Tests of what only a store in PostgreSQL does: it loses its connection, and shares a server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/input_error.h"
#include "private_postgresql.h"
#include "service/postgresql_database.h"
#include "service/schema_version.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::planted_run;
using testing::PrivatePostgresql;

class PostgresqlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PrivatePostgresql::get().absence()) GTEST_SKIP() << *PrivatePostgresql::get().absence();
    address = PrivatePostgresql::get().new_database();
  }
  std::unique_ptr<Database> connect(Access access = Access::kWrite) const {
    return connect_to_postgresql(store_address(address), access, false);
  }
  static std::string refusal(const std::string& to) {
    try {
      open_store(to);
    } catch (const InputError& error) {
      return error.what();
    }
    return "opened";
  }

  std::string address;
};

TEST_F(PostgresqlTest, AStoreGoesOnAfterTheServerWasRestarted) {
  const std::unique_ptr<Store> store = open_store(address);
  const NewRun run = planted_run(4);
  store->add_run(run);
  PrivatePostgresql::get().restart();
  EXPECT_EQ(store->profile_of(1), run.profile) << "a read";
  PrivatePostgresql::get().restart();
  EXPECT_TRUE(store->add_run(planted_run(8)).is_new) << "a write";
  EXPECT_EQ(store->count_runs(), 2);
}

TEST_F(PostgresqlTest, AConnectionLostInATransactionUndoesAllOfIt) {
  const std::unique_ptr<Database> database = connect();
  {
    Transaction transaction(*database);
    database->run("INSERT INTO applications(name, machine, version) VALUES('a', 'm', 'v')");
    PrivatePostgresql::get().restart();
    EXPECT_THROW(database->run("INSERT INTO applications(name, machine, version) "
                               "VALUES('b', 'm', 'v')"),
                 DatabaseLost);
    EXPECT_THROW(database->run("SELECT 1"), DatabaseLost) << "not in a new session";
    EXPECT_THROW(transaction.commit(), DatabaseLost);
  }
  EXPECT_EQ(Statement(*database, "SELECT count(*) FROM applications").first_integer(), 0);
}

TEST_F(PostgresqlTest, ANewSessionHasTheSettingsOfTheFirst) {
  const std::unique_ptr<Store> store = open_store(address);
  const std::unique_ptr<Database> reader = connect(Access::kRead);
  PrivatePostgresql::get().restart();
  EXPECT_THROW(reader->run("DELETE FROM tokens"), InputError) << "a reader changes nothing";
  Statement row(*reader, "SELECT CAST($1 AS DOUBLE PRECISION), CAST($2 AS BYTEA)");
  const std::string bytes("\x00\xff'\\x", 5);
  row.bind(0.1, Bytes{bytes});
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.number(0), 0.1);
  EXPECT_EQ(row.bytes(1), bytes);
}

TEST_F(PostgresqlTest, AServerThatComesBackHoldsItsLock) {
  const std::unique_ptr<Store> server = open_store(address, Use::kServer);
  PrivatePostgresql::get().restart();
  server->add_run(planted_run(4));
  EXPECT_THROW(open_store(address, Use::kServer), InputError);
}

TEST_F(PostgresqlTest, AServerThatLostItsLockToAnotherWritesNothing) {
  const std::unique_ptr<Store> first = open_store(address, Use::kServer);
  PrivatePostgresql::get().restart();
  const std::unique_ptr<Store> second = open_store(address, Use::kServer);
  EXPECT_THROW(first->add_run(planted_run(4)), InputError);
  EXPECT_THROW(first->add_run(planted_run(4)), InputError) << "nor at the second attempt";
  EXPECT_EQ(second->count_runs(), 0);
}

TEST_F(PostgresqlTest, ManyProcessesMayCreateTheTablesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 6; ++i)
    threads.emplace_back([this, i] { open_store(address)->add_run(planted_run(i)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(open_store(address)->count_runs(), 6);
}

TEST_F(PostgresqlTest, PushesFromSeveralProcessesKeepTheCountsOfAnApplication) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      const std::unique_ptr<Store> store = open_store(address);
      for (int procs = 1; procs <= 10; ++procs)  // two threads push each run
        store->add_run(planted_run(procs, 1 + i / 2, {"app", "m", "v"}));
    });
  for (std::thread& thread : threads) thread.join();
  const std::unique_ptr<Store> store = open_store(address);
  ASSERT_EQ(store->applications({}).size(), 1u);
  EXPECT_EQ(store->applications({})[0].runs, 20);
  EXPECT_EQ(store->applications({})[0].change, 20);
}

TEST_F(PostgresqlTest, TextsThatItCannotStoreAreRefused) {
  const std::unique_ptr<Store> store = open_store(address);
  // libpq would cut the name off at the zero byte, and so return all applications.
  EXPECT_THROW(store->applications({.name = std::string("\0a", 2)}), InputError);
  EXPECT_THROW(store->applications({.name = "\xff"}), InputError);
}

TEST_F(PostgresqlTest, RefusesDatabasesThatAreNotIts) {
  connect()->run("UPDATE apmt_version SET version = 99");
  EXPECT_THAT(refusal(address), HasSubstr("newer version of apmt (schema 99"));
  const std::unique_ptr<Database> database = connect(Access::kRead);
  database->run("SET default_transaction_read_only = off");
  database->run("DROP TABLE apmt_version");
  EXPECT_THAT(refusal(address), HasSubstr("is a database of another program"));
}

TEST_F(PostgresqlTest, AStoreThatCannotBeReachedIsRefusedWithoutThePassword) {
  for (const char* to :
       {"postgresql://me:geheim@/x?host=/nowhere", "postgresql://me@/x?password=geheim&host=/none",
        "postgresql://me:geheim%zz@/x?host=/nowhere", "postgresql://me:ge?heim@127.0.0.1:1/x",
        "postgresql://me:@geheim@127.0.0.1:1/x"}) {
    EXPECT_THAT(refusal(to), Not(HasSubstr("heim"))) << to;
    EXPECT_THAT(refusal(to), HasSubstr("postgresql://me")) << to;
  }
}

}  // namespace
}  // namespace apmt::service
