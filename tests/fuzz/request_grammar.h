// Makes HTTP requests for fuzz_requests: complete requests for every address of the service, with
// the tokens and runs that are planted in its store.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "service/routes.h"

namespace apmt::fuzz {

struct RawRequest {
  std::string line;                  // "GET / HTTP/1.1"
  std::vector<std::string> headers;  // "Host: x", without Content-Length
  std::string body;

  /// The header "NAME: VALUE" with this name, or nullptr.
  std::string* header(std::string_view name);
  void set_header(const std::string& name, const std::string& value);
};

/// Cuts the bytes of a connection into requests. Bytes that do not look like a request become the
/// line of a request without headers.
std::vector<RawRequest> split_requests(std::string_view bytes);

/// The inverse of split_requests(). Adds a header Content-Length with the length of the body.
std::string joined(const std::vector<RawRequest>& requests);

class RequestGrammar {
 public:
  explicit RequestGrammar(std::uint32_t seed) : random_(seed) {}

  /// A request for a route; in most cases one that the service does not refuse.
  RawRequest request(const service::Route& route);
  RawRequest request();

  std::string target(const service::Route& route);
  std::string value_of(const std::string& parameter);
  std::string authorization();
  std::string profile();

  bool one_in(unsigned n) { return random_() % n == 0; }
  std::mt19937& random() { return random_; }
  template <typename List>
  auto& any_of(List& list) {
    return list[random_() % list.size()];
  }

 private:
  std::mt19937 random_;
};

}  // namespace apmt::fuzz
