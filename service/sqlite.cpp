#include "service/sqlite.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/input_error.h"

namespace apmt::service {
namespace {

constexpr int kBusyMs = 20'000;  // how long to wait for another process's transaction

}  // namespace

Connection::Connection(const std::string& file, Mode mode) : file_(file) {
  const int flags =
      SQLITE_OPEN_FULLMUTEX |
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

Connection::~Connection() { sqlite3_close_v2(handle_); }

void Connection::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Connection::fail() const {
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

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
  check(sqlite3_prepare_v2(connection.handle(), sql, -1, &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_.fail();
}

bool Statement::step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      connection_.fail();
  }
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int length = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::optional<double> Statement::optional_number(int column) const {
  if (is_null(column)) return std::nullopt;
  return number(column);
}

void Statement::bind_next(const std::string& value) {
  check(sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}

void Statement::bind_next(const Blob& value) {
  check(sqlite3_bind_blob64(statement_, ++bound_, value.bytes.data(), value.bytes.size(),
                            SQLITE_TRANSIENT));
}

void Statement::bind_next(const std::optional<double>& value) {
  if (value)
    bind_next(*value);
  else
    check(sqlite3_bind_null(statement_, ++bound_));
}

}  // namespace apmt::service
