#include "service/http_server.h"

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "base/input_error.h"
#include "service/http_exchange.h"

namespace apmt::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

}  // namespace

class HttpServer::Impl {
 public:
  class Session;

  Impl(const Configuration& configuration, HttpHandlers handlers)
      : configuration_(configuration),
        handlers_(std::move(handlers)),
        receivers_(static_cast<std::size_t>(configuration.parsed_at_once)),
        control_(asio::make_strand(io_)),
        acceptor_(control_),
        signals_(control_, SIGTERM, SIGINT),
        grace_(control_) {
    const Address address = listen_address(configuration.listen);
    try {
      const tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
      acceptor_.open(endpoint.protocol());
      acceptor_.set_option(tcp::acceptor::reuse_address(true));
      acceptor_.bind(endpoint);
      acceptor_.listen();
    } catch (const boost::system::system_error& error) {
      throw InputError("--listen", configuration.listen + ": " + error.code().message(),
                       "give another address or port", ExitCode::kFailed);
    }
  }

  unsigned short port() const { return acceptor_.local_endpoint().port(); }

  void run() {
    signals_.async_wait([this](ErrorCode error, int) {
      if (!error) begin_to_stop();
    });
    accept();
    std::vector<std::thread> threads;
    for (int i = 1; i < configuration_.threads; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    receivers_.stop();
    receivers_.join();
    is_running_ = false;
  }

  void stop() {
    asio::post(control_, [this] { begin_to_stop(); });
  }

  const Configuration& configuration() const { return configuration_; }
  const HttpHandlers& handlers() const { return handlers_; }
  bool is_stopping() const { return is_stopping_; }
  asio::thread_pool& receivers() { return receivers_; }
  void leave(Session* session);
  /// Moves a session that begins to wait for a request to the end of the list. So the list is
  /// ordered by when that wait began.
  void touch(Session* session);

 private:
  /// Runs handlers until the server has stopped. An exception, such as a lack of memory, ends only
  /// the connection on which it happened.
  void work() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception&) {
        handlers_.note_refusal("exception", {});
      }
    }
  }
  void accept();
  void admit_connection(tcp::socket socket);
  void begin_to_stop();

  Configuration configuration_;
  HttpHandlers handlers_;
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_running_{true};
  std::mutex mutex_;
  std::list<std::pair<Session*, std::weak_ptr<Session>>> sessions_;
  // This member is destroyed before the members above, because the sessions in its queues use them.
  asio::io_context io_;
  /// The threads that respond to requests with bodies: a large profile takes seconds, for which
  /// other requests must not wait. They are few, because a parsed profile takes several times its
  /// size.
  asio::thread_pool receivers_;
  asio::strand<asio::io_context::executor_type> control_;  // the strand of the three members below
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer grace_;
};

/// One connection. All its steps run in its strand.
class HttpServer::Impl::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Impl* server) : server_(server), stream_(std::move(socket)) {
    ErrorCode ignored;
    const tcp::endpoint peer = stream_.socket().remote_endpoint(ignored);
    peer_ = peer.address().to_string(ignored);
  }
  ~Session() { server_->leave(this); }

  void start() {
    asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->read_head(); });
  }

  /// Whether the server can go on only when the client has sent or received something.
  bool waits_for_client() const { return waits_for_client_; }
  bool is_idle() const { return is_idle_; }

  void close_soon(const char* reason) {
    asio::post(stream_.get_executor(), [self = shared_from_this(), reason] {
      if (!self->waits_for_client_) return;
      if (reason != nullptr) self->server_->handlers().note_refusal(reason, self->peer_);
      self->stream_.close();
    });
  }

 private:
  void read_head() {
    const Configuration& limits = server_->configuration();
    if (server_->is_stopping()) return;
    is_idle_ = true;
    waits_for_client_ = true;
    server_->touch(this);
    exchange_.emplace(limits, server_->handlers(), peer_);
    stream_.expires_after(milliseconds(limits.head_s));
    http::async_read_header(
        stream_, buffer_, exchange_->parser(),
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_head(error); });
  }

  void on_head(ErrorCode error) {
    is_idle_ = false;
    if (error) return refuse_unread(error);
    if (std::optional<HttpResponse> refusal = exchange_->on_head())
      return respond(std::move(*refusal), false);
    stream_.expires_after(milliseconds(server_->configuration().body_s));
    if (exchange_->waits_for_invitation()) return invite_body();
    read_body();
  }

  void invite_body() {
    auto invitation = std::make_shared<http::response<http::empty_body>>(
        http::status::continue_, exchange_->parser().get().version());
    http::async_write(stream_, *invitation,
                      [self = shared_from_this(), invitation](ErrorCode error, std::size_t) {
                        if (!error) self->read_body();
                      });
  }

  void read_body() {
    http::async_read(
        stream_, buffer_, exchange_->parser(),
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_body(error); });
  }

  void on_body(ErrorCode error) {
    if (error) return refuse_unread(error);
    waits_for_client_ = false;
    if (!exchange_->takes_body()) return respond(exchange_->on_body(), exchange_->keeps_alive());
    asio::post(server_->receivers(),
               [self = shared_from_this(), guard = asio::make_work_guard(stream_.get_executor())] {
                 self->receive();
               });
  }

  /// Runs in a thread of the receivers, while nothing else happens on this connection.
  void receive() {
    std::optional<HttpResponse> response;
    try {
      response = exchange_->on_body();
    } catch (const std::exception&) {
      server_->handlers().note_refusal("exception", peer_);
    }
    asio::post(stream_.get_executor(),
               [self = shared_from_this(), response = std::move(response)]() mutable {
                 if (!response) return self->stream_.close();
                 self->respond(std::move(*response), self->exchange_->keeps_alive());
               });
  }

  /// Handles a request that could not be read. If the client sent something wrong, it gets a
  /// response with the reason. If it was too slow or has gone away, it gets none.
  void refuse_unread(ErrorCode error) {
    if (error == http::error::end_of_stream || error == http::error::partial_message)
      return close();
    if (error == beast::error::timeout) {
      server_->handlers().note_refusal("timeout", peer_);
      return;
    }
    if (std::optional<HttpResponse> response = exchange_->on_unparsable(error))
      respond(std::move(*response), false);
  }

  void respond(HttpResponse response, bool keeps) {
    waits_for_client_ = true;
    const bool stays = keeps && !server_->is_stopping();
    response_.emplace(HttpExchange::message(std::move(response), stays));
    stream_.expires_after(milliseconds(server_->configuration().send_s));
    http::async_write(stream_, *response_,
                      [self = shared_from_this(), stays](ErrorCode error, std::size_t) {
                        if (error) return;
                        if (stays) return self->read_head();
                        self->close();
                      });
  }

  /// Closes the sending side of the connection, then reads and drops what the client still sends:
  /// if the server closed the whole connection at once, it would be reset, and the client might
  /// lose the response.
  void close() {
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    waits_for_client_ = true;
    stream_.expires_after(std::chrono::seconds(2));
    drop_rest();
  }

  void drop_rest() {
    stream_.async_read_some(asio::buffer(dropped_),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              if (!error) self->drop_rest();
                            });
  }

  Impl* server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<HttpExchange> exchange_;
  std::optional<HttpExchange::Response> response_;
  std::string peer_;
  std::array<char, 4096> dropped_{};
  std::atomic<bool> waits_for_client_{false};
  std::atomic<bool> is_idle_{false};
};

void HttpServer::Impl::accept() {
  acceptor_.async_accept(asio::make_strand(io_), [this](ErrorCode error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) admit_connection(std::move(socket));
    if (error == asio::error::no_descriptors) {
      // Without a pause, accept() would fail again and again until a connection ends.
      grace_.expires_after(std::chrono::milliseconds(50));
      grace_.async_wait([this](ErrorCode) {
        if (!is_stopping_) accept();
      });
      return;
    }
    accept();
  });
}

void HttpServer::Impl::admit_connection(tcp::socket socket) {
  auto session = std::make_shared<Session>(std::move(socket), this);
  std::shared_ptr<Session> oldest;
  {
    const std::scoped_lock lock(mutex_);
    if (sessions_.size() >= static_cast<std::size_t>(configuration_.connections)) {
      // The limit of connections is reached. If the server waits for the clients of some
      // connections, it closes the one of these whose current request it began to await first. So
      // slow clients cannot take all connections.
      for (const auto& [raw, weak] : sessions_) {
        std::shared_ptr<Session> candidate = weak.lock();
        if (candidate == nullptr || !candidate->waits_for_client()) continue;
        oldest = std::move(candidate);
        break;
      }
    }
    sessions_.emplace_back(session.get(), session);
  }
  if (oldest) oldest->close_soon("connection");
  session->start();
}

void HttpServer::Impl::touch(Session* session) {
  const std::scoped_lock lock(mutex_);
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    if (at->first != session) continue;
    sessions_.splice(sessions_.end(), sessions_, at);
    return;
  }
}

void HttpServer::Impl::leave(Session* session) {
  const std::scoped_lock lock(mutex_);
  sessions_.remove_if([&](const auto& entry) { return entry.first == session; });
  if (is_running_ && is_stopping_ && sessions_.empty())
    asio::post(control_, [this] { grace_.cancel(); });
}

void HttpServer::Impl::begin_to_stop() {
  if (is_stopping_.exchange(true)) return;
  ErrorCode ignored;
  acceptor_.close(ignored);
  signals_.cancel(ignored);
  grace_.expires_after(milliseconds(configuration_.stop_s));
  grace_.async_wait([this](ErrorCode error) {
    if (!error) io_.stop();
  });
  std::vector<std::shared_ptr<Session>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [raw, weak] : sessions_)
      if (std::shared_ptr<Session> session = weak.lock(); session && session->is_idle())
        waiting.push_back(std::move(session));
    if (sessions_.empty()) grace_.cancel();
  }
  for (const std::shared_ptr<Session>& session : waiting) session->close_soon(nullptr);
}

HttpServer::HttpServer(const Configuration& configuration, HttpHandlers handlers)
    : impl_(std::make_unique<Impl>(configuration, std::move(handlers))) {}
HttpServer::~HttpServer() = default;
unsigned short HttpServer::port() const { return impl_->port(); }
void HttpServer::run() { impl_->run(); }
void HttpServer::stop() { impl_->stop(); }

}  // namespace apmt::service
