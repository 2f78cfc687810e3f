// Requests and responses, independent of the HTTP library.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "service/records.h"

namespace apmt::service {

/// The user who sent a request, known by the token that it carries.
struct Caller {
  std::string token;  // id of the token; empty: the request has none, and reading needs none
  std::string name;
  Role role = Role::kReader;
  Scope scope = {};
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/applications?name=lu", as sent
  std::string peer;    // address of the other end
  std::string authorization;
  std::string content_encoding;
  std::string fetch_site;  // Sec-Fetch-Site, which browsers send
  std::string body;
  std::optional<Caller> caller;  // set when the request was admitted
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The decision whether the rest of a request is read; it is made when the head has arrived.
struct Admission {
  std::optional<HttpResponse> refusal;
  std::optional<Caller> caller;
  std::size_t most_body_bytes = 0;
};

/// An error that the server turns into a response with this status, and a JSON body with the
/// message.
class HttpProblem : public std::runtime_error {
 public:
  HttpProblem(int status, const std::string& message, std::string hint = {})
      : std::runtime_error(message), status_(status), hint_(std::move(hint)) {}
  int status() const { return status_; }
  const std::string& hint() const { return hint_; }

 private:
  int status_;
  std::string hint_;
};

HttpResponse problem_response(int status, const std::string& message, const std::string& hint = {});

}  // namespace apmt::service
