// Splits addresses into their parts: the target of a request, and the URL of a server.
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

/// Returns nullopt if an escape is malformed, if a segment is "." or "..", or if a decoded text has
/// a zero byte or is not UTF-8.
std::optional<Target> parse_target(const std::string& target);

/// The inverse of decoding, for one segment or value: all characters but letters, digits and "-._~"
/// become %XX.
std::string escaped(const std::string& text);

/// The inverse of escaped(); nullopt if an escape is malformed, or the result has a zero byte or is
/// not UTF-8.
std::optional<std::string> unescaped(const std::string& text);

/// "http://host:port/prefix" or "https://...".
struct ServerUrl {
  bool is_encrypted = false;
  std::string host;
  std::string port;
  std::string prefix;  // empty, or "/apmt"
};

/// Throws InputError if the text is not such a URL.
ServerUrl parse_server_url(const std::string& text);

}  // namespace apmt::service
