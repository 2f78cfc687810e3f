// What the store needs of a database: statements of SQL with values, rows, and transactions. The
// store uses only SQL that SQLite and PostgreSQL have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/input_error.h"

namespace apmt::service {

/// The connection to a database server is lost. The same request may succeed later.
class DatabaseLost : public InputError {
 public:
  DatabaseLost(const std::string& where, const std::string& what)
      : InputError(where, what, "try again in a moment", ExitCode::kFailed) {}
};

/// A value that is not text. It refers to bytes that it does not own.
struct Bytes {
  std::string_view bytes;
};

using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string, Bytes>;

/// What a statement returns.
class Rows {
 public:
  virtual ~Rows() = default;
  /// Steps to the next row. Returns false if there is none.
  virtual bool step() = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double number(int column) const = 0;
  virtual bool is_null(int column) const = 0;
  virtual std::string text(int column) const = 0;   // empty if null
  virtual std::string bytes(int column) const = 0;  // empty if null
  /// The number of rows that the statement changed.
  virtual std::int64_t changed() const = 0;
};

/// A connection to a database. Only one thread at a time may use it.
class Database {
 public:
  virtual ~Database() = default;
  /// Executes one statement. In its text, $1 stands for the first value, and so on. The rows may be
  /// used only while the values and the transaction exist.
  virtual std::unique_ptr<Rows> query(const std::string& sql, const std::vector<Value>& values) = 0;
  /// Executes statements that return nothing.
  virtual void run(const std::string& sql) = 0;
  virtual void begin() = 0;
  /// Returns once the changes are on disk.
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
  /// The name of the database in messages.
  virtual const std::string& name() const = 0;
};

enum class Access { kRead, kWrite };

/// An SQL statement. Values are always bound to it, and never put into its text.
class Statement {
 public:
  Statement(Database& database, std::string sql) : database_(database), sql_(std::move(sql)) {}

  /// Binds the values to $1, $2 and so on, after those that are bound already.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    (values_.push_back(value_of(values)), ...);
    return *this;
  }
  /// Executes the statement and returns the number of rows that it changed.
  std::int64_t run() {
    (void)step();
    return rows_->changed();
  }
  bool step() {
    if (!rows_) rows_ = database_.query(sql_, values_);
    return rows_->step();
  }
  /// The number in the first column of the first row; absent if there is no row. Drops the other
  /// rows.
  std::optional<std::int64_t> first_integer();

  std::int64_t integer(int column) const { return rows_->integer(column); }
  double number(int column) const { return rows_->number(column); }
  bool is_null(int column) const { return rows_->is_null(column); }
  std::string text(int column) const { return rows_->text(column); }
  std::string bytes(int column) const { return rows_->bytes(column); }
  std::optional<double> optional_number(int column) const {
    return is_null(column) ? std::nullopt : std::optional(number(column));
  }

 private:
  static Value value_of(std::int64_t value) { return value; }
  static Value value_of(int value) { return std::int64_t{value}; }
  static Value value_of(bool value) { return std::int64_t{value}; }
  static Value value_of(double value) { return value; }
  static Value value_of(const std::string& value) { return value; }
  static Value value_of(const char* value) { return std::string(value); }
  static Value value_of(Bytes value) { return value; }
  static Value value_of(const std::optional<double>& value) {
    return value ? Value(*value) : Value(nullptr);
  }

  Database& database_;
  std::string sql_;
  std::vector<Value> values_;
  std::unique_ptr<Rows> rows_;
};

/// A transaction. It is rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.begin(); }
  ~Transaction() {
    if (!is_done_) database_.roll_back();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.commit();
    is_done_ = true;
  }

 private:
  Database& database_;
  bool is_done_ = false;
};

/// "$3, $4, $5" for first = 3 and count = 3: the placeholders of a list of values.
std::string placeholders(std::size_t first, std::size_t count);

}  // namespace apmt::service
