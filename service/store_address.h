// The address of a store: a file, or a database on a server of PostgreSQL.
#pragma once

#include <string>

namespace apmt::service {

struct StoreAddress {
  enum class Kind { kSqlite, kPostgresql };
  Kind kind = Kind::kSqlite;
  std::string place;  // the file, or the whole address, which may hold a password
  std::string shown;  // for messages and the log: without a password
  bool has_password() const { return kind == Kind::kPostgresql && shown != place; }
};

/// Reads "sqlite:FILE", "postgresql://..." or "postgres://...". Throws InputError otherwise.
StoreAddress store_address(const std::string& text);

/// The text with the passwords of the address replaced by "***". Messages of libraries may repeat
/// the address, or parts of it.
std::string without_passwords(std::string text, const std::string& address);

}  // namespace apmt::service
