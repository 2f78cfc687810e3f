#include "service/http_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <thread>

#include "base/input_error.h"

namespace apmt::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using tcp = asio::ip::tcp;
using ClientRequest = http::request<http::string_body>;

namespace {

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{1} << 30;

/// Waits until the started operations have ended. They are asynchronous, because the deadline of a
/// stream applies only to such operations.
void finish(asio::io_context& io, const boost::system::error_code& error) {
  io.restart();
  io.run();
  if (error) throw boost::system::system_error(error);
}

template <typename Stream>
ServerAnswer exchange(asio::io_context& io, Stream& stream, const ClientRequest& request) {
  boost::system::error_code failed;
  http::async_write(stream, request,
                    [&](boost::system::error_code error, std::size_t) { failed = error; });
  // A server may refuse a request before it has read all of it. Then writing may fail, but there is
  // a response to read.
  io.restart();
  io.run();
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostAnswerBytes);
  boost::system::error_code unread;
  http::async_read(stream, buffer, parser,
                   [&](boost::system::error_code error, std::size_t) { unread = error; });
  io.restart();
  io.run();
  if (unread) throw boost::system::system_error(failed ? failed : unread);
  return {static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
}

void connect(asio::io_context& io, beast::tcp_stream& stream, const ServerUrl& url) {
  boost::system::error_code failed;
  tcp::resolver resolver(io);
  const auto addresses = resolver.resolve(url.host, url.port);
  stream.async_connect(
      addresses, [&](boost::system::error_code error, const tcp::endpoint&) { failed = error; });
  finish(io, failed);
}

ServerAnswer exchange_encrypted(asio::io_context& io, const ServerUrl& url,
                                std::chrono::seconds limit, const ClientRequest& request) {
  ssl::context context(ssl::context::tls_client);
  context.set_default_verify_paths();
  context.set_verify_mode(ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(io, context);
  stream.set_verify_callback(ssl::host_name_verification(url.host));
  SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
  beast::get_lowest_layer(stream).expires_after(limit);
  connect(io, beast::get_lowest_layer(stream), url);
  boost::system::error_code failed;
  stream.async_handshake(ssl::stream_base::client,
                         [&](boost::system::error_code error) { failed = error; });
  finish(io, failed);
  return exchange(io, stream, request);
}

ServerAnswer exchange_plain(asio::io_context& io, const ServerUrl& url, std::chrono::seconds limit,
                            const ClientRequest& request) {
  beast::tcp_stream stream(io);
  stream.expires_after(limit);
  connect(io, stream, url);
  return exchange(io, stream, request);
}

/// Whether the error is one that also occurs while the server is starting.
bool is_unreachable(const boost::system::error_code& error) {
  return error == asio::error::connection_refused || error == asio::error::connection_reset ||
         error == asio::error::broken_pipe || error == http::error::end_of_stream;
}

}  // namespace

HttpClient::HttpClient(const std::string& url, std::string token)
    : text_(url), url_(parse_server_url(url)), token_(std::move(token)) {}

ServerAnswer HttpClient::get(const std::string& target) { return request("GET", target, {}); }

ServerAnswer HttpClient::post_packed(const std::string& target, const std::string& packed) {
  return request("POST", target, packed);
}

ServerAnswer HttpClient::request(const std::string& method, const std::string& target,
                                 const std::string& body) {
  ClientRequest request;
  request.method_string(method);
  request.target(url_.prefix + target);
  request.version(11);
  request.set(http::field::host, url_.host + ":" + url_.port);
  request.set(http::field::user_agent, "apmt");
  request.set(http::field::connection, "close");
  if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
  if (method == "POST") {
    request.set(http::field::content_type, "application/json");
    request.set(http::field::content_encoding, "deflate");
  }
  request.body() = body;
  request.prepare_payload();
  for (int attempt = 1;; ++attempt) {
    asio::io_context io;
    try {
      return url_.is_encrypted ? exchange_encrypted(io, url_, limit, request)
                               : exchange_plain(io, url_, limit, request);
    } catch (const boost::system::system_error& error) {
      if (!is_unreachable(error.code()) || attempt >= tries)
        throw InputError(text_, error.code().message(),
                         "is the server running, and is the URL right?", ExitCode::kFailed);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100) * (1 << attempt));
  }
}

}  // namespace apmt::service
