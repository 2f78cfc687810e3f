// Takes addresses apart: the target of a request, and the URL of a server.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt::service {

struct Target {
  std::vector<std::string> path;  // decoded segments, without empty ones
  std::map<std::string, std::string> query;
};

/// nullopt if an escape is malformed, a segment is "." or "..", or a decoded text has a zero byte
/// or is not UTF-8.
std::optional<Target> parse_target(const std::string& target);

/// The inverse for one value: all but letters, digits and "-._~" become %XX.
std::string escaped(const std::string& text);

/// "http://host:port/prefix" or "https://...".
struct ServerUrl {
  bool is_encrypted = false;
  std::string host;
  std::string port;
  std::string prefix;  // empty, or "/apmt"
};

/// Throws InputError if the text is none.
ServerUrl parse_server_url(const std::string& text);

}  // namespace apmt::service
