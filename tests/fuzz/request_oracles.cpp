#include "tests/fuzz/request_oracles.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "service/routes.h"
#include "tests/fuzz/planted_service.h"

namespace apmt::fuzz {
namespace {

using service::HttpRequest;
using service::HttpResponse;
using service::Role;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Decodes Base64 and skips all other characters. Does not use the service's decoder, because that
/// is being tested.
std::string bytes_in(std::string_view base64) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

/// The valid token whose secret the request has, or nullptr.
const PlantedToken* holder_of(const HttpRequest& request) {
  const std::string& given = request.authorization;
  const std::string decoded = given.starts_with("Basic ") ? bytes_in(given.substr(6)) : "";
  for (const PlantedToken& token : planted_tokens())
    if (token.is_valid && (contains(given, token.secret()) || contains(decoded, token.secret())))
      return &token;
  return nullptr;
}

bool is_public(const HttpResponse& response) {
  static const std::string kOpenapi = format_json(service::openapi());
  return response.body == kOpenapi || response.body == format_json(Json{{"status", "ok"}});
}

/// Only the values in a tag may come from clients: its name must be one that apmt writes, no
/// attribute may run a script, and links must stay on the server.
std::string fault_of_tag(std::string_view tag) {
  static const std::set<std::string_view> kTags = {
      "!DOCTYPE", "html", "head",    "meta",     "link", "title", "style", "body",
      "header",   "nav",  "ul",      "li",       "a",    "h1",    "h2",    "main",
      "section",  "p",    "dl",      "dt",       "dd",   "div",   "table", "thead",
      "tbody",    "tr",   "th",      "td",       "span", "code",  "svg",   "path",
      "circle",   "line", "polygon", "polyline", "rect", "g",     "text",  "desc"};
  const bool ends = tag.starts_with('/');
  if (ends) tag.remove_prefix(1);
  const std::size_t name = std::min(tag.find_first_of(" \n/"), tag.size());
  if (!kTags.contains(tag.substr(0, name))) return "a strange tag: " + std::string(tag);
  tag.remove_prefix(name);
  while (true) {
    const std::size_t equals = tag.find("=\"");
    if (equals == std::string_view::npos) return "";
    const std::size_t end = tag.find('"', equals + 2);
    if (end == std::string_view::npos) return "an attribute is not closed";
    const std::size_t begin = std::min(tag.find_first_not_of(" \n"), equals);
    const std::string_view attribute = tag.substr(begin, equals - begin);
    const std::string_view value = tag.substr(equals + 2, end - equals - 2);
    if (attribute.starts_with("on")) return "an attribute runs a script";
    if (attribute == "href" && !value.starts_with('/') && value != "data:,")
      return "a link to elsewhere: " + std::string(value);
    tag.remove_prefix(end + 1);
  }
}

std::string fault_of_page(std::string_view page) {
  if (contains(page, kPlantedScript)) return "a script of a client is in a page";
  // The page of a report has a script, and many more tags of its own.
  if (contains(page, "</footer>\n<script>")) return "";
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string_view::npos) return "a tag is not closed";
    if (std::string fault = fault_of_tag(page.substr(at + 1, end - at - 1)); !fault.empty())
      return fault;
  }
  return "";
}

std::string fault_of_form(const HttpResponse& response) {
  static const std::set<int> kStatuses = {200, 201, 400, 401, 403, 404, 405,
                                          409, 413, 415, 422, 429, 431};
  if (!kStatuses.contains(response.status)) return "the status";
  for (const auto& [name, value] : response.headers)
    if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20; }))
      return "a control character in the header " + name;
  if (response.type == "application/json")
    return Json::accept(response.body) ? "" : "the JSON is none";
  if (response.type.starts_with("text/html")) return fault_of_page(response.body);
  return response.type.starts_with("text/plain") ? "" : "the type";
}

}  // namespace

std::string fault_of(const HttpRequest& request, const HttpResponse& response, bool changed) {
  if (std::string fault = fault_of_form(response); !fault.empty()) return fault;
  const PlantedToken* const holder = holder_of(request);
  const bool is_done = response.status < 300;
  const bool sees_all = holder != nullptr && holder->scope.is_all();
  // If a request contains the marker, the response may quote it.
  if (!sees_all && contains(response.body, kMarker) && !contains(request.target, kMarker) &&
      !contains(request.body, kMarker))
    return "a secret of the store";
  if (holder == nullptr && is_done && !is_public(response)) return "answered without a token";
  const bool may_change = is_done && holder != nullptr && holder->role != Role::kReader &&
                          request.authorization.starts_with("Bearer ") &&
                          request.fetch_site != "cross-site";
  if (changed && !may_change) return "a change without the right to it";
  if (changed && !sees_all) {
    const auto application = Json::parse(response.body).at("application").get<int>();
    if (application >= 3 && application <= 5) return "a change of another application";
  }
  if (request.method == "DELETE" && is_done && holder->role != Role::kKeeper)
    return "a run was taken out by somebody else than a keeper";
  return "";
}

}  // namespace apmt::fuzz
