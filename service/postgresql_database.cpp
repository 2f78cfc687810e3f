#include "service/postgresql_database.h"

#include <charconv>
#include <map>
#include <pqxx/pqxx>

#include "service/postgresql_schema.h"

namespace apmt::service {
namespace {

/// Settings of libpq that are used unless the address sets them. Most are timeouts, so that a
/// server that does not answer is noticed.
constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"connect_timeout", "10"},  {"keepalives_idle", "30"},     {"keepalives_interval", "10"},
    {"keepalives_count", "3"},  {"tcp_user_timeout", "30000"}, {"application_name", "apmt"},
    {"client_encoding", "UTF8"}};

/// Settings of the session: how numbers and bytes are written, how long a statement waits for a
/// lock, and how soon PostgreSQL notices that this process is gone.
constexpr const char* kSession =
    "SET extra_float_digits = 3; SET bytea_output = 'hex'; SET standard_conforming_strings = on; "
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; "
    "SET lock_timeout = '20s'; SET client_min_messages = warning";

/// Takes the lock that lets only one apmt serve use the store. Its first key is "apmt" in ASCII, as
/// for the lock of the tables (postgresql_schema.cpp). Waits for it, because a server that was
/// killed may hold it for a moment longer.
constexpr const char* kLockAsServer =
    "SET lock_timeout = '3s'; "
    "SELECT pg_advisory_lock(1634758004, hashtext('serve ' || current_schema())); "
    "SET lock_timeout = '20s'";

std::string with_defaults(std::string address) {
  for (const auto& [name, value] : kDefaults)
    if (address.find(std::string(name) + "=") == std::string::npos)
      address +=
          (address.find('?') == std::string::npos ? "?" : "&") + std::string(name) + "=" + value;
  return address;
}

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 2; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(16 * digit_of(hex[i]) + digit_of(hex[i + 1]));
  return bytes;
}

std::string text_of(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// A value as PostgreSQL reads it.
std::string text_of(const Value& value) {
  struct Writer {
    std::string operator()(std::nullptr_t) const { return {}; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return text_of(number); }
    std::string operator()(const std::string& text) const {
      // libpq would cut the text off at a zero byte, and the statement might find or change
      // something else.
      if (text.find('\0') != std::string::npos)
        throw InputError("", "a text holds a zero byte, which cannot be stored");
      return text;
    }
    std::string operator()(const Bytes& bytes) const { return hex_of(bytes.bytes); }
  };
  return std::visit(Writer(), value);
}

template <typename Number>
Number number_from(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class PostgresqlRows : public Rows {
 public:
  explicit PostgresqlRows(pqxx::result result) : result_(std::move(result)) {}

  bool step() override { return ++row_ < static_cast<std::int64_t>(result_.size()); }
  std::int64_t integer(int column) const override {
    return number_from<std::int64_t>(field(column));
  }
  double number(int column) const override { return number_from<double>(field(column)); }
  bool is_null(int column) const override { return at(column).is_null(); }
  std::string text(int column) const override { return std::string(field(column)); }
  std::string bytes(int column) const override { return bytes_of(field(column)); }
  std::int64_t changed() const override {
    return static_cast<std::int64_t>(result_.affected_rows());
  }

 private:
  pqxx::field at(int column) const {
    return result_[static_cast<pqxx::result::size_type>(row_)]
                  [static_cast<pqxx::row::size_type>(column)];
  }
  std::string_view field(int column) const {
    const pqxx::field found = at(column);
    return found.is_null() ? std::string_view() : std::string_view(found.c_str(), found.size());
  }

  pqxx::result result_;
  std::int64_t row_ = -1;
};

/// The first line of a message of PostgreSQL; the lines after it repeat the statement.
std::string first_line(const std::string& message) {
  std::string line = message.substr(0, message.find('\n'));
  const std::string prefix = "ERROR:  ";
  return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
}

class PostgresqlDatabase : public Database {
 public:
  PostgresqlDatabase(StoreAddress address, Access access, bool is_server)
      : address_(std::move(address)), access_(access), is_server_(is_server) {
    connect();
    if (access_ == Access::kWrite) bring_up_to_date(*this);
  }

  std::unique_ptr<Rows> query(const std::string& sql, const std::vector<Value>& values) override {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const Value& value : values) texts.push_back(text_of(value));
    std::vector<const char*> pointers;
    for (std::size_t i = 0; i < values.size(); ++i)
      pointers.push_back(std::holds_alternative<std::nullptr_t>(values[i]) ? nullptr
                                                                           : texts[i].c_str());
    return std::make_unique<PostgresqlRows>(
        execute([&](pqxx::nontransaction& at) { return execute_with(at, sql, pointers); }));
  }
  void run(const std::string& sql) override {
    execute([&](pqxx::nontransaction& at) { return at.exec(sql); });
  }
  void begin() override {
    run("BEGIN");
    is_in_transaction_ = true;
  }
  void commit() override {
    run("COMMIT");
    is_in_transaction_ = false;
  }
  void roll_back() noexcept override {
    try {
      if (is_connected()) run("ROLLBACK");
    } catch (...) {
      connection_.reset();  // a transaction that was not ended must not be continued
    }
    is_in_transaction_ = false;
  }
  const std::string& name() const override { return address_.shown; }

 private:
  pqxx::result execute_with(pqxx::nontransaction& at, const std::string& sql,
                            const std::vector<const char*>& values) {
#if PQXX_VERSION_MAJOR >= 7
    pqxx::params params;
    for (const char* value : values) params.append(value);
#else
    const auto params = pqxx::prepare::make_dynamic_params(values);
#endif
    if (const std::string* name = prepared(sql, values.size()))
      return at.exec_prepared(*name, params);
    return at.exec_params(sql, params);
  }

  /// The name of the prepared statement, which PostgreSQL need not parse and plan each time. A
  /// statement with a long list of values has many forms, so it is not prepared.
  const std::string* prepared(const std::string& sql, std::size_t values) {
    constexpr std::size_t kMostValues = 20;
    constexpr std::size_t kMostStatements = 100;
    const auto found = prepared_.find(sql);
    if (found != prepared_.end()) return &found->second;
    if (values > kMostValues || prepared_.size() == kMostStatements) return nullptr;
    const std::string name = "statement_" + std::to_string(prepared_.size());
    connection_->prepare(name, sql);
    return &prepared_.emplace(sql, name).first->second;
  }

  bool is_connected() const { return connection_ && connection_->is_open(); }

  template <typename Run>
  pqxx::result execute(const Run& execute_at) {
    if (is_in_transaction_ && !is_connected()) lost("the connection was lost");
    try {
      return try_to(execute_at);
    } catch (const DatabaseLost&) {
      // The server may have been restarted since the last statement, so the statement is tried once
      // more. Outside transactions this does no harm: there are only reads, and beginnings of
      // transactions.
      if (is_in_transaction_ || !was_connected_) throw;
    }
    return try_to(execute_at);
  }

  template <typename Run>
  pqxx::result try_to(const Run& execute_at) {
    was_connected_ = is_connected();
    if (!was_connected_) connect();
    try {
      pqxx::nontransaction at(*connection_);
      return execute_at(at);
    } catch (const pqxx::sql_error& error) {
      // 57P: an administrator ended the connection, or the server is starting or stopping. 08: the
      // connection failed.
      if (!connection_->is_open() || error.sqlstate().starts_with("57P") ||
          error.sqlstate().starts_with("08"))
        lost(error.what());
      fail(error);
    } catch (const pqxx::failure& error) {
      lost(error.what());
    }
  }

  void connect() {
    connection_.reset();
    prepared_.clear();
    try {
      prepare_session();
    } catch (...) {
      connection_.reset();  // without its settings and its lock it must not be used
      throw;
    }
  }

  void prepare_session() {
    try {
      connection_ = std::make_unique<pqxx::connection>(with_defaults(address_.place));
      pqxx::nontransaction at(*connection_);
      at.exec(kSession);
      const std::string encoding = at.exec("SHOW server_encoding")[0][0].c_str();
      if (encoding != "UTF8")
        throw InputError(address_.shown, "the encoding of the database is " + encoding,
                         "make one with UTF8: createdb -E UTF8 -T template0 apmt",
                         ExitCode::kFailed);
      if (access_ == Access::kRead)
        at.exec("SET default_transaction_read_only = on");
      else
        prepare_to_write(at);
    } catch (const pqxx::failure& error) {
      lost(error.what());
    }
  }

  void prepare_to_write(pqxx::nontransaction& at) {
    // An administrator may have set that commits do not wait for the disk.
    at.exec(
        "SELECT set_config('synchronous_commit', 'on', false) "
        "WHERE current_setting('synchronous_commit') = 'off'");
    if (!is_server_) return;
    try {
      at.exec(kLockAsServer);
    } catch (const pqxx::sql_error& error) {
      constexpr const char* kLockNotAvailable = "55P03";
      if (error.sqlstate() != kLockNotAvailable) throw;
      throw InputError(address_.shown, "is in use by another apmt serve", "stop that one first",
                       ExitCode::kFailed);
    }
  }

  [[noreturn]] void lost(const std::string& message) {
    connection_.reset();
    throw DatabaseLost(address_.shown, without_passwords(first_line(message), address_.place));
  }

  [[noreturn]] void fail(const pqxx::sql_error& error) const {
    std::string hint;
    if (error.sqlstate() == "53100") hint = "free some space on the disk of the database server";
    if (error.sqlstate() == "42501") hint = "grant the user the rights of an owner of the database";
    throw InputError(address_.shown, without_passwords(first_line(error.what()), address_.place),
                     hint, ExitCode::kFailed);
  }

  StoreAddress address_;
  Access access_;
  bool is_server_;
  bool is_in_transaction_ = false;
  bool was_connected_ = false;
  std::unique_ptr<pqxx::connection> connection_;
  std::map<std::string, std::string> prepared_;  // names in this connection, by their SQL
};

}  // namespace

bool can_use_postgresql() { return true; }

std::unique_ptr<Database> connect_to_postgresql(const StoreAddress& address, Access access,
                                                bool is_server) {
  return std::make_unique<PostgresqlDatabase>(address, access, is_server);
}

}  // namespace apmt::service
