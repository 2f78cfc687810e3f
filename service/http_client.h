// Requests to a server of `apmt serve`, over HTTP or HTTPS.
#pragma once

#include <chrono>
#include <string>

#include "service/url.h"

namespace apmt::service {

struct ServerAnswer {
  int status = 0;
  std::string body;
};

class HttpClient {
 public:
  /// `token` may be empty. Throws InputError if `url` is no URL.
  HttpClient(const std::string& url, std::string token);

  /// `target` begins with "/". Makes up to `tries` attempts if the server cannot be reached,
  /// because it may just be restarting. Throws InputError if it cannot be reached or does not
  /// answer in time.
  ServerAnswer get(const std::string& target);
  /// The body is compressed by zlib ("deflate").
  ServerAnswer post_packed(const std::string& target, const std::string& packed);

  const std::string& url() const { return text_; }
  int tries = 6;
  std::chrono::seconds limit{120};  // of one attempt

 private:
  ServerAnswer request(const std::string& method, const std::string& target,
                       const std::string& body);

  std::string text_;
  ServerUrl url_;
  std::string token_;
};

}  // namespace apmt::service
