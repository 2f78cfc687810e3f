// Tests with randomly changed requests: each must get a response, and the store must stay intact.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "service/packed.h"
#include "service/service.h"
#include "service/store_care.h"
#include "service/tokens.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using testing::planted_run;
using testing::StoreInFolder;

class Mutator {
 public:
  /// Changes, removes, repeats or inserts a few bytes.
  std::string mutated(std::string text) {
    for (int changes = 1 + below(4); changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(below(static_cast<int>(text.size()) + 1));
      switch (below(4)) {
        case 0:
          if (at < text.size()) text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, static_cast<std::size_t>(below(8)));
          break;
        case 2:
          text.insert(at, text.substr(at, static_cast<std::size_t>(below(16))));
          break;
        default:
          text.insert(at, kPieces[static_cast<std::size_t>(below(std::size(kPieces)))]);
      }
    }
    return text;
  }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

 private:
  static constexpr const char* kPieces[] = {
      "..",  "/",        "%2e",  "%00",     "'",      "\"",      "&",   "=",
      "-1",  "1e999",    "null", "[[[",     "{}",     "\\u0000", "%",   "?",
      ";--", "<script>", "\xff", "Bearer ", "Basic ", "NaN",     "0x7", "99999999999"};
  std::mt19937 random_{11};
};

class MutatedRequests : public ::testing::Test {
 protected:
  MutatedRequests() {
    configuration.requests_per_s = 0;
    configuration.failures_per_s = 0;
    const NewToken keeper = make_token("k", Role::kKeeper, std::nullopt);
    here.store->add_token(keeper.stored, "me");
    token = "Bearer " + keeper.text;
    for (const int procs : {2, 4}) here.add(planted_run(procs));
    service =
        std::make_unique<Service>(*here.store, configuration,
                                  std::vector<std::string>{"sleep", "600"}, [](const LogLine&) {});
  }
  int ask(HttpRequest request) {
    Admission admission = service->admit(request);
    if (admission.refusal) return admission.refusal->status;
    request.caller = admission.caller;
    if (admission.most_body_bytes == 0) request.body.clear();
    return service->answer(request).status;
  }

  StoreInFolder here;
  Configuration configuration;
  std::string token;
  Mutator mutator;
  std::unique_ptr<Service> service;
};

TEST_F(MutatedRequests, AddressesAndTokens) {
  std::vector<std::string> targets;
  for (const Route& route : routes()) targets.push_back(route.pattern);
  targets.insert(targets.end(), {"/api/v1/applications/1/predict?procs=64,128&set=n=4096",
                                 "/api/v1/applications?name=planted&most=3&after=0",
                                 "/api/v1/applications/1/ask?deadline_s=10",
                                 "/api/v1/runs?name=a%20b&machine=c+d&version=e"});
  int good = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string& target = targets[static_cast<std::size_t>(i) % targets.size()];
    HttpRequest request{mutator.below(20) == 0 ? mutator.mutated("GET") : "GET",
                        mutator.mutated(target),
                        "192.0.2.1",
                        mutator.below(2) == 0 ? token : mutator.mutated(token),
                        "",
                        "",
                        "",
                        {}};
    const int status = ask(request);
    ASSERT_TRUE(status >= 200 && status < 600 && status != 500) << request.target << ": " << status;
    good += status == 200 ? 1 : 0;
  }
  EXPECT_GT(good, 0) << "all were refused at once";
  EXPECT_EQ(here.store->count_runs(), 2);
}

TEST_F(MutatedRequests, Profiles) {
  const std::string text = planted_run(3).profile;
  const std::string packed = pack(text);
  int accepted = 0;
  for (int i = 0; i < 600; ++i) {
    const bool is_packed = i % 3 == 0;
    const int status = ask({"POST",
                            "/api/v1/runs",
                            "192.0.2.1",
                            token,
                            is_packed ? "deflate" : "",
                            "",
                            mutator.mutated(is_packed ? packed : text),
                            {}});
    ASSERT_TRUE(status == 201 || status == 200 || status == 422) << status;
    accepted += status == 201 ? 1 : 0;
  }
  EXPECT_EQ(here.store->count_runs(), 2 + accepted);
  service.reset();
  EXPECT_THAT(faults_of(here.address), ::testing::IsEmpty());
}

}  // namespace
}  // namespace apmt::service
