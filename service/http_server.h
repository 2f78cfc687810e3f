// An HTTP server that uses Boost.Beast. It is asynchronous, so that slow clients occupy no thread.
// It has deadlines for whole requests, and limits on their sizes and on the number of connections.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "service/configuration.h"
#include "service/http_message.h"

namespace apmt::service {

struct HttpHandlers {
  std::function<Admission(const HttpRequest&)> admit;      // called with the head of a request
  std::function<HttpResponse(const HttpRequest&)> answer;  // called with the whole request
  /// Called when the server itself refuses something, with the reason and the address of the
  /// client.
  std::function<void(const std::string& reason, const std::string& peer)> note_refusal;
};

/// Calls all handlers from several threads.
class HttpServer {
 public:
  /// Begins to listen. Throws InputError if the address is not available.
  HttpServer(const Configuration& configuration, HttpHandlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  unsigned short port() const;

  /// Serves until SIGTERM or SIGINT arrives, or stop() is called. Then ends idle connections,
  /// finishes requests under way (for at most stop_s), and returns.
  void run();
  void stop();  // from any thread

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apmt::service
