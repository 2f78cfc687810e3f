// A connection to a database in an SQLite file.
#pragma once

#include <sqlite3.h>

#include <string>

#include "service/database.h"

namespace apmt::service {

class SqliteDatabase : public Database {
 public:
  enum class Mode { kCreate, kReadOnly };
  SqliteDatabase(const std::string& file, Mode mode);
  ~SqliteDatabase() override;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  std::unique_ptr<Rows> query(const std::string& sql, const std::vector<Value>& values) override;
  void run(const std::string& sql) override;
  void begin() override { run("BEGIN IMMEDIATE"); }
  void commit() override { run("COMMIT"); }
  void roll_back() noexcept override {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  const std::string& name() const override { return file_; }

  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail() const;

 private:
  std::string file_;
  sqlite3* handle_ = nullptr;
};

/// Creates an empty file that only its owner may read, unless the file exists. SQLite gives the
/// same permissions to the files that it creates beside this file.
void create_private(const std::string& file);

/// Connects the store to its file.
std::unique_ptr<Database> connect_to_sqlite(const std::string& file, Access access);

}  // namespace apmt::service
