#include "service/sqlite_database.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "service/sqlite_schema.h"

namespace apmt::service {
namespace {

constexpr int kBusyMs = 20'000;  // how long to wait for another process's transaction

class SqliteRows : public Rows {
 public:
  SqliteRows(const SqliteDatabase& database, const std::string& sql) : database_(database) {
    check(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~SqliteRows() override { sqlite3_finalize(statement_); }
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  void bind(std::size_t number, const Value& value) {
    // SQLite numbers parameters in the order of their appearance, so they are looked up by name.
    index_ = sqlite3_bind_parameter_index(statement_, ("$" + std::to_string(number)).c_str());
    if (index_ == 0) throw std::logic_error("the statement has no $" + std::to_string(number));
    std::visit([this](const auto& each) { check(bind_value(each)); }, value);
  }

  bool step() override {
    switch (sqlite3_step(statement_)) {
      case SQLITE_ROW:
        return true;
      case SQLITE_DONE:
        return false;
      default:
        database_.fail();
    }
  }
  std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }
  double number(int column) const override { return sqlite3_column_double(statement_, column); }
  bool is_null(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  std::string text(int column) const override {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const int length = sqlite3_column_bytes(statement_, column);
    return bytes == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(length));
  }
  std::string bytes(int column) const override { return text(column); }
  std::int64_t changed() const override { return sqlite3_changes(database_.handle()); }

 private:
  // The values outlive the statement, so SQLite need not copy them.
  int bind_value(std::nullptr_t) { return sqlite3_bind_null(statement_, index_); }
  int bind_value(std::int64_t value) { return sqlite3_bind_int64(statement_, index_, value); }
  int bind_value(double value) { return sqlite3_bind_double(statement_, index_, value); }
  int bind_value(const std::string& value) {
    return sqlite3_bind_text64(statement_, index_, value.data(), value.size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }
  int bind_value(const Bytes& value) {
    return sqlite3_bind_blob64(statement_, index_, value.bytes.data(), value.bytes.size(),
                               SQLITE_STATIC);
  }
  void check(int code) const {
    if (code != SQLITE_OK) database_.fail();
  }

  const SqliteDatabase& database_;
  sqlite3_stmt* statement_ = nullptr;
  int index_ = 0;
};

}  // namespace

SqliteDatabase::SqliteDatabase(const std::string& file, Mode mode) : file_(file) {
  // Without statistics about memory, SQLite needs no lock that all connections share. The setting
  // has no effect once SQLite is in use.
  static const int is_configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)is_configured;
  const int flags =
      SQLITE_OPEN_NOMUTEX |  // one thread at a time uses a connection
      (mode == Mode::kCreate ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string reason = handle_ == nullptr ? "no memory" : sqlite3_errmsg(handle_);
    sqlite3_close_v2(handle_);
    throw InputError(file, reason, "check that the folder exists and may be written",
                     ExitCode::kFailed);
  }
  sqlite3_busy_timeout(handle_, kBusyMs);
  sqlite3_extended_result_codes(handle_, 1);
}

SqliteDatabase::~SqliteDatabase() { sqlite3_close_v2(handle_); }

std::unique_ptr<Rows> SqliteDatabase::query(const std::string& sql,
                                            const std::vector<Value>& values) {
  auto rows = std::make_unique<SqliteRows>(*this, sql);
  for (std::size_t i = 0; i < values.size(); ++i) rows->bind(i + 1, values[i]);
  return rows;
}

void SqliteDatabase::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void SqliteDatabase::fail() const {
  std::string hint;
  switch (sqlite3_errcode(handle_)) {
    case SQLITE_FULL:
      hint = "the disk is full: free some space (`df -h` shows which disk)";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      hint = "restore a backup: apmt serve restore BACKUP";
      break;
    default:
      break;
  }
  throw InputError(file_, sqlite3_errmsg(handle_), hint, ExitCode::kFailed);
}

void create_private(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);  // if not, SQLite says why
}

std::unique_ptr<Database> connect_to_sqlite(const std::string& file, Access access) {
  if (access == Access::kRead) {
    auto database = std::make_unique<SqliteDatabase>(file, SqliteDatabase::Mode::kCreate);
    database->run("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
    return database;
  }
  create_private(file);  // it holds names of hosts, command lines and hashes of secrets
  auto database = std::make_unique<SqliteDatabase>(file, SqliteDatabase::Mode::kCreate);
  database->run("PRAGMA journal_mode = WAL");
  bring_up_to_date(*database);
  // The write-ahead log is synced to disk at every commit.
  database->run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  return database;
}

}  // namespace apmt::service
