#include "tests/fuzz/request_grammar.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "service/packed.h"
#include "tests/fuzz/planted_service.h"

namespace apmt::fuzz {
namespace {

using service::escaped;
using service::Route;

constexpr std::string_view kEnd = "\r\n";

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j > bytes.size() - i ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
  }
  return text;
}

const std::vector<std::string>& values_for(const std::string& parameter) {
  static const std::map<std::string, std::vector<std::string>> kValues = {
      {"procs", {"16", "3", "2,4,1024", "1", "16777216", "0", "1,,2", "64,64"}},
      {"set", {"n=4096", "n=1", "n=1e200", "m=3", "n=0", "n=1024,m=2", "=1", "n=nan"}},
      {"scaling", {"weak", "strong", "both"}},
      {"confidence", {"80", "99", "1", "50.5", "100", "-1"}},
      {"deadline_s", {"10", "1e-3", "1e6", "0", "-5", "1e308"}},
      {"budget_core_hours", {"100", "1e-9", "1e300", "0"}},
      {"before", {"1", "2", "3", "4", "5", "6", "99"}},
      {"after", {"1", "2", "3", "0", "4", "1073741824"}},
      {"most", {"1", "2", "1000", "1001", "0"}},
      {"name",
       {kOpenName, "alone", "new", "", "<script>alert(1)</script>", "\xc3\xa9\xe2\x82\xac"}},
      {"machine", {"machine", "other", "'\"><img src=x>", ""}},
      {"version", {"v1", "v2", "v3", "<svg onload=x>", ""}},
      {"reason", {"noisy", "<script>alert(2)</script>", "'; DROP TABLE runs; --"}}};
  static const std::vector<std::string> kOthers = {"1", "x", "", "\xff"};
  const auto found = kValues.find(parameter);
  return found == kValues.end() ? kOthers : found->second;
}

constexpr std::string_view kLength = "Content-Length: ";

std::size_t length_in(const std::string& header) {
  std::size_t length = 0;
  std::from_chars(header.data() + kLength.size(), header.data() + header.size(), length);
  return length;
}

}  // namespace

std::string* RawRequest::header(std::string_view name) {
  for (std::string& each : headers)
    if (each.starts_with(name) && each.substr(name.size(), 1) == ":") return &each;
  return nullptr;
}

void RawRequest::set_header(const std::string& name, const std::string& value) {
  if (std::string* found = header(name))
    *found = name + ": " + value;
  else
    headers.push_back(name + ": " + value);
}

std::vector<RawRequest> split_requests(std::string_view bytes) {
  std::vector<RawRequest> requests;
  while (!bytes.empty()) {
    RawRequest request;
    std::size_t length = 0;
    bool is_first = true;
    while (true) {
      const std::size_t end = std::min(bytes.find(kEnd), bytes.size());
      const std::string line(bytes.substr(0, end));
      bytes.remove_prefix(std::min(end + kEnd.size(), bytes.size()));
      if (line.empty()) break;
      if (is_first)
        request.line = line;
      else if (line.starts_with(kLength))
        length = length_in(line);
      else
        request.headers.push_back(line);
      is_first = false;
    }
    request.body = bytes.substr(0, length);
    bytes.remove_prefix(std::min(length, bytes.size()));
    requests.push_back(std::move(request));
  }
  return requests;
}

std::string joined(const std::vector<RawRequest>& requests) {
  std::string bytes;
  for (const RawRequest& request : requests) {
    bytes.append(request.line).append(kEnd);
    for (const std::string& header : request.headers) bytes.append(header).append(kEnd);
    if (!request.body.empty())
      bytes.append(kLength).append(std::to_string(request.body.size())).append(kEnd);
    bytes.append(kEnd).append(request.body);
  }
  return bytes;
}

std::string RequestGrammar::value_of(const std::string& parameter) {
  return escaped(any_of(values_for(parameter)));
}

std::string RequestGrammar::target(const Route& route) {
  static const std::vector<std::string> kIds = {"1", "1", "1", "2", "2",  "3",
                                                "4", "5", "6", "0", "-1", "9223372036854775808"};
  static const std::vector<service::NewRun> kRuns = open_runs();
  std::string target;
  for (std::string_view rest = route.pattern; !rest.empty();) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    target += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    target += rest.starts_with("{run}") ? any_of(kRuns).id : any_of(kIds);
    rest.remove_prefix(rest.find('}') + 1);
  }
  char before = '?';
  for (const service::Parameter& parameter : route.query) {
    const bool is_slow = std::string_view(parameter.name) == "deadline_s";
    if (parameter.is_required ? one_in(20) : !one_in(is_slow ? 20 : 2)) continue;
    (target += before) += std::string(parameter.name) + "=" + value_of(parameter.name);
    before = '&';
  }
  return target;
}

std::string RequestGrammar::authorization() {
  // The token `keeper` is used most often, because with every other token more requests are
  // refused.
  const std::vector<PlantedToken>& tokens = planted_tokens();
  const PlantedToken& token = one_in(2) ? tokens[0] : any_of(tokens);
  switch (random_() % 8) {
    case 0:
      return "Basic " + base64(token.id() + ":" + token.secret());
    case 1:
      return "Basic " + base64("me:" + token.text());
    default:
      return "Bearer " + token.text();
  }
}

std::string RequestGrammar::profile() {
  static const std::vector<std::string> kProfiles = [] {
    std::vector<std::string> list;
    for (const int procs : {1, 2, 3})
      list.push_back(service::canonical_bytes(planted_profile(procs, 9)));
    list.push_back(service::canonical_bytes(rich_profile()));
    return list;
  }();
  return any_of(kProfiles);
}

RawRequest RequestGrammar::request() {
  // With sanitizers, the two slow routes below take a hundred times as long as others.
  const Route& route = any_of(service::routes());
  const std::string_view pattern = route.pattern;
  const bool is_slow = pattern.ends_with("/ask") || pattern.ends_with("openapi.json");
  return is_slow && !one_in(20) ? request() : request(route);
}

RawRequest RequestGrammar::request(const Route& route) {
  RawRequest request;
  request.line = std::string(route.method) + " " + target(route) + " HTTP/1.1";
  request.headers = {"Host: x"};
  if (!one_in(12)) request.set_header("Authorization", authorization());
  if (one_in(12)) request.set_header("Sec-Fetch-Site", one_in(2) ? "cross-site" : "same-origin");
  if (!route.takes_profile) return request;
  request.body = profile();
  if (one_in(2)) {
    request.body = service::pack(request.body);
    request.set_header("Content-Encoding", "deflate");
  }
  if (one_in(12)) request.set_header("Expect", "100-continue");
  return request;
}

}  // namespace apmt::fuzz
