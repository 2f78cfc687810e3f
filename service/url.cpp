#include "service/url.h"

#include <algorithm>

#include "base/checked_json.h"
#include "base/input_error.h"

namespace apmt::service {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::optional<std::string> decoded(const std::string& text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[i + 1]);
      const int low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  if (out.find('\0') != std::string::npos || !is_utf8(out)) return std::nullopt;
  return out;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    if (c == at)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

}  // namespace

std::optional<Target> parse_target(const std::string& target) {
  if (!target.starts_with('/')) return std::nullopt;
  Target parsed;
  const std::size_t question = std::min(target.find('?'), target.size());
  for (const std::string& piece : split(target.substr(0, question), '/')) {
    const std::optional<std::string> segment = decoded(piece, false);
    if (!segment || *segment == "." || *segment == "..") return std::nullopt;
    if (!segment->empty()) parsed.path.push_back(*segment);
  }
  if (question >= target.size()) return parsed;
  for (const std::string& pair : split(target.substr(question + 1), '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> name = decoded(pair.substr(0, equals), true);
    const std::optional<std::string> value =
        decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string(), true);
    if (!name || !value || !parsed.query.emplace(*name, *value).second) return std::nullopt;
  }
  return parsed;
}

std::optional<std::string> unescaped(const std::string& text) { return decoded(text, false); }

std::string escaped(const std::string& text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                          (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '.' ||
                          byte == '_' || byte == '~';
    if (is_plain)
      out += c;
    else
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

ServerUrl parse_server_url(const std::string& text) {
  const auto refuse = [&] {
    throw InputError(text, "is not the URL of a server", "give http://HOST:PORT or https://HOST");
  };
  ServerUrl url;
  std::string rest;
  if (text.starts_with("http://")) {
    rest = text.substr(7);
  } else if (text.starts_with("https://")) {
    rest = text.substr(8);
    url.is_encrypted = true;
  } else {
    refuse();
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  std::string host = rest.substr(0, slash);
  // IPv6 addresses are in brackets.
  const std::size_t close = host.starts_with('[') ? host.find(']') : 0;
  if (close == std::string::npos) refuse();
  const std::size_t colon = host.find(':', close);
  url.port =
      colon == std::string::npos ? (url.is_encrypted ? "443" : "80") : host.substr(colon + 1);
  url.host = host.substr(0, std::min(colon, host.size()));
  if (close > 0) url.host = url.host.substr(1, close - 1);
  const bool is_port =
      !url.port.empty() && url.port.size() <= 5 &&
      std::all_of(url.port.begin(), url.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (url.host.empty() || url.host.find('@') != std::string::npos || !is_port) refuse();
  return url;
}

}  // namespace apmt::service
