// A thin layer over SQLite: connections, statements and transactions that throw InputError.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace apmt::service {

class Connection {
 public:
  enum class Mode { kCreate, kReadOnly };
  Connection(const std::string& file, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements that return nothing.
  void run(const std::string& sql);
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }
  int changed_rows() const { return sqlite3_changes(handle_); }
  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail() const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  sqlite3* handle_ = nullptr;
};

/// Creates an empty file that only its owner may read, unless the file exists. SQLite gives the
/// same permissions to the files that it creates beside this file.
void create_private(const std::string& file);

/// An SQL statement. Values are always bound to it, and never put into its text.
class Statement {
 public:
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename... Values>
  Statement& bind(const Values&... values) {
    (bind_next(values), ...);
    return *this;
  }
  /// Steps to the next row. Returns false if there is none.
  bool step();
  void run() { (void)step(); }

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string text(int column) const;  // or a blob; empty if null
  std::optional<double> optional_number(int column) const;

 private:
  void bind_next(std::int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }
  void bind_next(int value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(bool value) { bind_next(static_cast<std::int64_t>(value)); }
  void bind_next(double value) { check(sqlite3_bind_double(statement_, ++bound_, value)); }
  void bind_next(const std::string& value);
  void bind_next(const char* value) { bind_next(std::string(value)); }
  struct Blob {
    std::string_view bytes;
  };
  void bind_next(const Blob& value);
  void bind_next(const std::optional<double>& value);
  void check(int code) const;

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;

 public:
  static Blob blob(std::string_view bytes) { return {bytes}; }
};

/// A transaction. It is rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {
    connection_.run("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (!is_done_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    connection_.run("COMMIT");
    is_done_ = true;
  }

 private:
  Connection& connection_;
  bool is_done_ = false;
};

}  // namespace apmt::service
