// Tests of the addresses of stores, and of the passwords in them.

#include "service/store_address.h"

#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt::service {
namespace {

TEST(StoreAddress, IsAFileOrADatabaseOfPostgresql) {
  EXPECT_EQ(store_address("sqlite:/a/b.db").place, "/a/b.db");
  EXPECT_EQ(store_address("postgresql://host/db").kind, StoreAddress::Kind::kPostgresql);
  EXPECT_EQ(store_address("postgres://host/db").kind, StoreAddress::Kind::kPostgresql);
  for (const char* text : {"", "sqlite:", "/a/b.db", "postgresql:db", "mysql://host/db"})
    EXPECT_THROW(store_address(text), InputError) << text;
}

TEST(StoreAddress, IsShownWithoutPasswords) {
  const auto shown = [](const char* text) { return store_address(text).shown; };
  EXPECT_EQ(shown("postgresql://me:secret@host:5433/db"), "postgresql://me:***@host:5433/db");
  EXPECT_EQ(shown("postgresql://me:a%40b@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(shown("postgresql://me:a/b@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(shown("postgresql://me:a?b@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(shown("postgresql://me:a@b@host/db"), "postgresql://me:***@host/db");
  EXPECT_EQ(shown("postgresql://host/db?user=me&password=secret&sslmode=require"),
            "postgresql://host/db?user=me&password=***&sslmode=require");
  EXPECT_EQ(shown("postgresql://h/db?sslpassword=secret"), "postgresql://h/db?sslpassword=***");
}

TEST(StoreAddress, WithoutAPasswordIsShownAsItIs) {
  for (const char* text : {"postgresql://host:5432/db", "postgresql://me@[::1]:5432/db",
                           "postgresql:///db?host=/run/postgresql", "postgresql://me:@host/db"}) {
    EXPECT_EQ(store_address(text).shown, text);
    EXPECT_FALSE(store_address(text).has_password()) << text;
  }
  EXPECT_TRUE(store_address("postgresql://me:x1@host/db").has_password());
}

TEST(StoreAddress, MessagesShowThePasswordInNoForm) {
  const std::string address = "postgresql://me:a%40secret@host/db";
  EXPECT_EQ(without_passwords("bad a%40secret, bad a@secret", address), "bad ***, bad ***");
}

}  // namespace
}  // namespace apmt::service
