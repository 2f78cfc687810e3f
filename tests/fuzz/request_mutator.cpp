// A libFuzzer mutator for connections: it changes one part of one request (address, token, header,
// body, the JSON within a compressed body) and keeps the rest valid, or adds and removes requests.

#include <algorithm>

#include "base/input_error.h"
#include "service/packed.h"
#include "tests/fuzz/json_mutations.h"
#include "tests/fuzz/request_grammar.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace apmt::fuzz {
namespace {

constexpr std::size_t kMostRequests = 6;
constexpr std::size_t kMostBody = 1 << 16;
constexpr const char* kSlow[] = {"/predict", "/ask", "/diff", "/compare", "/report", "openapi"};

std::string changed_bytes(std::string text, std::size_t more = 16) {
  const std::size_t size = text.size();
  text.resize(size + more);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

/// Changes the address, which is between the two blanks of a request line.
void change_target(RawRequest* request, RequestGrammar& grammar) {
  const std::size_t begin = std::min(request->line.find(' '), request->line.size());
  const std::size_t end = std::max(begin, std::min(request->line.rfind(' '), request->line.size()));
  if (begin == end) return;
  std::string target = request->line.substr(begin + 1, end - begin - 1);
  const std::size_t equals = target.rfind('=');
  if (equals != std::string::npos && grammar.one_in(2)) {
    // Replaces the value of the last parameter, and all that follows it.
    const std::size_t name = target.find_last_of("?&", equals) + 1;
    target = target.substr(0, equals + 1) + grammar.value_of(target.substr(name, equals - name));
  } else {
    target = changed_bytes(target);
  }
  request->line = request->line.substr(0, begin + 1) + target + request->line.substr(end);
}

void change_header(RawRequest* request, RequestGrammar& grammar) {
  static const std::vector<std::string> kMore = {
      "Transfer-Encoding: chunked", "Connection: close",
      "Connection: keep-alive",     "Content-Encoding: gzip",
      "Content-Encoding: deflate",  "Content-Encoding: br",
      "Content-Length: 5",          "Content-Length: 18446744073709551615",
      "Expect: 100-continue",       "Sec-Fetch-Site: cross-site",
      "Authorization: Basic ",      "Upgrade: h2c"};
  std::vector<std::string>& headers = request->headers;
  if (headers.empty() || grammar.one_in(4)) return headers.push_back(grammar.any_of(kMore));
  std::string& chosen = grammar.any_of(headers);
  if (grammar.one_in(3))
    headers.erase(headers.begin() + (&chosen - headers.data()));
  else
    chosen = changed_bytes(chosen);
}

/// Changes a value of a JSON body, which may be compressed.
void change_json(RawRequest* request, RequestGrammar& grammar) {
  const std::string* const encoding = request->header("Content-Encoding");
  std::string text = request->body;
  try {
    if (encoding != nullptr) text = service::unpack(text, kMostBody, "body");
  } catch (const InputError&) {
    text = grammar.profile();
  }
  const std::optional<std::string> changed = mutated_json(text, grammar.random());
  text = changed.value_or(grammar.profile());
  request->body = encoding != nullptr ? service::pack(text) : text;
}

void change(RawRequest* request, RequestGrammar& grammar) {
  switch (grammar.random()() % 8) {
    case 0:
      request->set_header("Authorization", grammar.authorization());
      break;
    case 1:
      change_header(request, grammar);
      break;
    case 2:
      if (!request->body.empty()) request->body = changed_bytes(request->body);
      break;
    case 3:
      request->line = changed_bytes(request->line);
      break;
    case 4:
    case 5:
      if (!request->body.empty()) return change_json(request, grammar);
      [[fallthrough]];
    default:
      change_target(request, grammar);
  }
}

/// With sanitizers, these requests take ten to a hundred times as long as others.
bool is_slow(const RawRequest& request) {
  return std::any_of(std::begin(kSlow), std::end(kSlow), [&](const char* part) {
    return request.line.find(part) != std::string::npos;
  });
}

std::string mutated(std::string_view bytes, RequestGrammar& grammar) {
  std::vector<RawRequest> requests = split_requests(bytes);
  for (RawRequest& request : requests)
    if (is_slow(request) && !grammar.one_in(4)) request = grammar.request();
  const std::size_t kind = grammar.random()() % 10;
  if (requests.empty() || (kind == 0 && requests.size() < kMostRequests))
    requests.push_back(grammar.request());
  else if (kind == 1)
    grammar.any_of(requests) = grammar.request();
  else if (kind == 2 && requests.size() > 1)
    requests.erase(requests.begin());
  else if (kind == 3)
    std::swap(grammar.any_of(requests), grammar.any_of(requests));
  else
    change(&grammar.any_of(requests), grammar);
  return joined(requests);
}

}  // namespace
}  // namespace apmt::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  apmt::fuzz::RequestGrammar grammar(seed);
  if (grammar.one_in(8)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      apmt::fuzz::mutated({reinterpret_cast<const char*>(data), size}, grammar);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
