// make_request_seeds FOLDER: writes seeds of fuzz_requests, each of which is a connection: for
// every pair of an address and a token, one with a single request; and two with pushes.

#include <filesystem>
#include <fstream>

#include "tests/fuzz/planted_service.h"
#include "tests/fuzz/request_grammar.h"

namespace {

using namespace apmt::fuzz;

void write(const std::filesystem::path& file, const std::vector<RawRequest>& requests) {
  std::ofstream(file, std::ios::binary) << joined(requests);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  RequestGrammar grammar(1);
  int number = 0;
  for (const apmt::service::Route& route : apmt::service::routes())
    for (const PlantedToken& token : planted_tokens()) {
      RawRequest request = grammar.request(route);
      request.set_header("Authorization", "Bearer " + token.text());
      write(folder / ("seed-" + std::to_string(number++)), {request});
    }
  // A run is pushed and shown on a page, and a run is taken out.
  const std::string keeper = "Bearer " + planted_tokens()[0].text();
  const RawRequest push{"POST /api/v1/runs?name=new&version=v HTTP/1.1",
                        {"Host: x", "Authorization: " + keeper},
                        grammar.profile()};
  const RawRequest page{"GET /?after=5 HTTP/1.1", {"Host: x", "Authorization: " + keeper}, ""};
  const RawRequest take_out{"DELETE /api/v1/runs/" + open_runs()[0].id + "?reason=noisy HTTP/1.1",
                            {"Host: x", "Authorization: " + keeper},
                            ""};
  write(folder / "seed-push", {push, page, push, take_out, take_out});
  RawRequest chunked = push;
  chunked.set_header("Transfer-Encoding", "chunked");
  chunked.body = "2\r\n{}\r\n0\r\n\r\n";
  std::ofstream(folder / "seed-chunked", std::ios::binary) << chunked.line << "\r\n"
                                                           << chunked.headers[0] << "\r\n"
                                                           << chunked.headers[1] << "\r\n"
                                                           << chunked.headers[2] << "\r\n\r\n"
                                                           << chunked.body;
  return 0;
}
