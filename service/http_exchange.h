// A request and its response as messages of HTTP, apart from the connection on which they travel.
// The server and the fuzzer of requests both use this class. All its code is in this header,
// because a .cpp file would be one more source that includes Boost.Beast, which takes long to
// compile.
#pragma once

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <string>
#include <utility>

#include "service/configuration.h"
#include "service/http_message.h"
#include "service/http_server.h"

namespace apmt::service {

class HttpExchange {
 public:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  using ErrorCode = boost::system::error_code;

  /// Keeps references to `limits` and `handlers`.
  HttpExchange(const Configuration& limits, const HttpHandlers& handlers, const std::string& peer)
      : handlers_(handlers) {
    request_.peer = peer;
    parser_.header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    parser_.body_limit(limits.body_bytes);
  }

  Parser& parser() { return parser_; }

  /// To be called when the head has been parsed. Returns a refusal, or nothing if the body is to be
  /// read.
  std::optional<HttpResponse> on_head() {
    namespace http = boost::beast::http;
    const auto& message = parser_.get();
    request_.method = text_of(message.method_string());
    request_.target = text_of(message.target());
    request_.authorization = text_of(message[http::field::authorization]);
    request_.content_encoding = text_of(message[http::field::content_encoding]);
    request_.fetch_site = text_of(message["Sec-Fetch-Site"]);
    Admission admission = handlers_.admit(request_);
    if (admission.refusal) return std::move(*admission.refusal);
    request_.caller = admission.caller;
    if (parser_.content_length() && *parser_.content_length() > admission.most_body_bytes)
      return too_large();
    parser_.body_limit(admission.most_body_bytes);
    takes_body_ = admission.most_body_bytes > 0;
    return std::nullopt;
  }

  /// Whether the request may have a body. Responding to such a request may take long.
  bool takes_body() const { return takes_body_; }

  /// Whether the client sends the body only after "100 Continue".
  bool waits_for_invitation() const {
    const auto& message = parser_.get();
    return boost::beast::iequals(message[boost::beast::http::field::expect], "100-continue");
  }

  /// To be called when the whole request has been parsed.
  HttpResponse on_body() {
    request_.body = std::move(parser_.get().body());
    return handlers_.answer(request_);
  }

  /// Whether the client wants to send further requests on the same connection.
  bool keeps_alive() const { return parser_.get().keep_alive(); }

  /// The response to a request that could not be parsed. Nothing if the client has gone away.
  std::optional<HttpResponse> on_unparsable(ErrorCode error) {
    namespace http = boost::beast::http;
    if (error.category() != http::make_error_code(http::error::bad_method).category())
      return std::nullopt;
    if (error == http::error::body_limit) return too_large();
    const bool is_long =
        error == http::error::header_limit || error == http::error::buffer_overflow;
    handlers_.note_refusal(is_long ? "head too large" : "not HTTP", request_.peer);
    return is_long ? problem_response(431, "the head of the request is too large")
                   : problem_response(400, "this is not a request of HTTP/1.1");
  }

  const HttpRequest& request() const { return request_; }

  static Response message(HttpResponse response, bool keeps_alive) {
    namespace http = boost::beast::http;
    Response message(static_cast<http::status>(response.status), 11);
    message.set(http::field::content_type, response.type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("Cross-Origin-Resource-Policy", "same-origin");
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.body() = std::move(response.body);
    message.keep_alive(keeps_alive);
    message.prepare_payload();
    return message;
  }

 private:
  static std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

  HttpResponse too_large() {
    handlers_.note_refusal("body too large", request_.peer);
    return problem_response(413, "the body is too large for this address");
  }

  const HttpHandlers& handlers_;
  Parser parser_;
  HttpRequest request_;
  bool takes_body_ = false;
};

}  // namespace apmt::service
