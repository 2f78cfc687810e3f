// Fuzzes `apmt serve`: the input is what a client sends on one connection. The requests in it are
// parsed as the server parses them. The service answers them from a store that is the same for
// every input. Each response must be right (request_oracles.h).

#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/temporary_folder.h"
#include "service/http_exchange.h"
#include "service/service.h"
#include "tests/fuzz/planted_service.h"
#include "tests/fuzz/request_oracles.h"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace apmt;
using service::HttpExchange;
using service::HttpRequest;
using service::HttpResponse;
using ErrorCode = HttpExchange::ErrorCode;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

/// The file of the store, and a copy of its first contents, to which it can be reset.
class StoreFile {
 public:
  StoreFile() { fuzz::plant(*service::open_store(address())); }

  std::string address() const { return "sqlite:" + (folder_.path() / "store.db").string(); }

  /// Copies the contents. Call it after the service has opened the file.
  void remember() {
    check(sqlite3_open((folder_.path() / "store.db").c_str(), &file_));
    check(sqlite3_open(":memory:", &planted_));
    copy(planted_, file_);
    check(sqlite3_prepare_v2(file_, "PRAGMA data_version", -1, &version_, nullptr));
    last_version_ = version();
  }
  /// Whether the service has written since the last call.
  bool has_changed() {
    const std::int64_t now = version();
    return std::exchange(last_version_, now) != now;
  }
  void reset() {
    copy(file_, planted_);
    last_version_ = version();
  }

 private:
  static void check(int code) {
    if (code != SQLITE_OK) stop(std::string("SQLite: ") + sqlite3_errstr(code));
  }
  static void copy(sqlite3* to, sqlite3* from) {
    sqlite3_backup* const backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup == nullptr || sqlite3_backup_step(backup, -1) != SQLITE_DONE)
      stop(std::string("SQLite: ") + sqlite3_errmsg(to));
    check(sqlite3_backup_finish(backup));
  }
  std::int64_t version() {
    if (sqlite3_step(version_) != SQLITE_ROW) stop("SQLite: no version");
    const std::int64_t value = sqlite3_column_int64(version_, 0);
    check(sqlite3_reset(version_));
    return value;
  }

  TemporaryFolder folder_;
  sqlite3* file_ = nullptr;
  sqlite3* planted_ = nullptr;
  sqlite3_stmt* version_ = nullptr;
  std::int64_t last_version_ = 0;
};

service::Configuration configuration() {
  service::Configuration c;
  c.requests_per_s = 0;
  c.failures_per_s = 0;
  c.profile_bytes = 1 << 20;
  c.body_bytes = 1 << 18;
  c.refit.wall_s = 1'000'000;
  c.refit.memory_bytes = std::size_t{1} << 60;
  return c;
}

/// A stream of the input's bytes. They are read in pieces, as they may arrive from a network.
class Bytes {
 public:
  Bytes(std::string_view bytes, std::size_t piece) : left_(bytes), piece_(piece) {}

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, ErrorCode& error) {
    if (left_.empty()) {
      error = asio::error::eof;
      return 0;
    }
    const std::size_t count =
        asio::buffer_copy(buffers, asio::buffer(left_.data(), std::min(piece_, left_.size())));
    left_.remove_prefix(count);
    return count;
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    ErrorCode error;
    const std::size_t count = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return count;
  }

 private:
  std::string_view left_;
  std::size_t piece_;
};

/// The number of responses by status.
std::map<int, std::uint64_t>& statuses() {
  static auto* const counts = new std::map<int, std::uint64_t>;
  return *counts;
}

/// Shows whether the service answers the fuzzer's requests or refuses nearly all of them.
void print_statuses() {
  std::fputs("responses by status:", stderr);
  for (const auto& [status, count] : statuses())
    std::fprintf(stderr, " %d: %llu", status, static_cast<unsigned long long>(count));
  std::fputs("\n", stderr);
}

class Target {
 public:
  Target()
      : store_(service::open_store(file_.address())),
        // The command that refits a model never ends, so no second refit begins.
        service_(*store_, configuration_, {"sleep", "1000000"}, [](const service::LogLine&) {}),
        handlers_{[this](const HttpRequest& head) { return service_.admit(head); },
                  [this](const HttpRequest& request) { return service_.answer(request); },
                  [this](const std::string& reason, const std::string& peer) {
                    service_.note_refusal(reason, peer);
                  }} {
    file_.remember();
    std::atexit(print_statuses);
  }

  void connect(std::string_view bytes) {
    constexpr std::size_t kWhole = 1 << 16;
    Bytes stream(bytes, bytes.size() % 8 == 0 ? 1 + bytes.size() % 61 : kWhole);
    boost::beast::flat_buffer buffer;
    bool was_changed = false;
    while (serve(stream, buffer, &was_changed)) {
    }
    if (was_changed) file_.reset();
  }

 private:
  /// Serves one request, as the server does. Returns whether the connection stays open.
  bool serve(Bytes& stream, boost::beast::flat_buffer& buffer, bool* was_changed) {
    HttpExchange exchange(configuration_, handlers_, "192.0.2.1");
    ErrorCode error;
    bool stays = false;
    std::optional<HttpResponse> response;
    http::read_header(stream, buffer, exchange.parser(), error);
    if (!error) response = exchange.on_head();
    if (!error && !response) {
      http::read(stream, buffer, exchange.parser(), error);
      if (!error) {
        stays = exchange.keeps_alive();
        response = exchange.on_body();
      }
    }
    if (error == http::error::end_of_stream || error == http::error::partial_message) return false;
    if (error) response = exchange.on_unparsable(error);
    if (!response) return false;
    ++statuses()[response->status];
    const bool changed = file_.has_changed();
    *was_changed = *was_changed || changed;
    const std::string fault = fuzz::fault_of(exchange.request(), *response, changed);
    if (!fault.empty())
      stop(fault + "\n" + exchange.request().method + " " + exchange.request().target + "\n" +
           std::to_string(response->status) + "\n" + response->body);
    (void)HttpExchange::message(std::move(*response), stays);
    return stays;
  }

  StoreFile file_;
  service::Configuration configuration_ = configuration();
  std::unique_ptr<service::Store> store_;
  service::Service service_;
  service::HttpHandlers handlers_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Target* const target = new Target;  // its threads go on until the process ends
  target->connect({reinterpret_cast<const char*>(data), size});
  return 0;
}
