// Tests of the refitter: requests that are combined into one, and worker processes that die.

#include "service/refitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "service/refit.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using ::testing::HasSubstr;
using testing::planted_run;
using testing::StoreInFolder;

class RefitterTest : public ::testing::Test {
 protected:
  std::unique_ptr<Refitter> refitter(const std::vector<std::string>& command,
                                     const RefitLimits& limits = {}) {
    return std::make_unique<Refitter>(*here.store, command, limits, Retention{}, &metrics,
                                      [](const LogLine&) {});
  }
  /// Waits until no fit of the application is pending, and returns why the newest one failed.
  std::string failure(std::int64_t application) {
    while (here.store->application(application)->is_pending()) std::this_thread::yield();
    return here.store->application(application)->newest->message;
  }

  StoreInFolder here;
  Metrics metrics;
};

TEST_F(RefitterTest, RequestsForAnApplicationThatWaitsAreOne) {
  const std::int64_t first = here.add(planted_run(2, 1, {"a", "m", "v"}));
  const std::int64_t second = here.add(planted_run(4, 1, {"b", "m", "v"}));
  const auto busy = refitter({"sleep", "600"});
  while (busy->waiting() != 1) std::this_thread::yield();  // the first has a worker
  for (int i = 0; i < 5; ++i) {
    busy->request(first);
    busy->request(second);
  }
  EXPECT_EQ(busy->waiting(), 2u);
}

TEST_F(RefitterTest, AWorkerThatFailsLeavesAReason) {
  const std::int64_t application = here.add(planted_run(2));
  const auto failing = refitter({"false"});
  EXPECT_EQ(failure(application), "the fit ended with exit code 1");
  here.add(planted_run(4));
  failing->request(application);
  EXPECT_EQ(failure(application), "the fit ended with exit code 1");
  EXPECT_EQ(here.store->models_of(application, 10).size(), 2u) << "one try for each change";
}

TEST_F(RefitterTest, AWorkerThatLostTheDatabaseIsStartedAgain) {
  const std::int64_t application = here.add(planted_run(2));
  const std::string mark = (here.folder.path() / "was-started").string();
  const std::string lost = "exit " + std::to_string(kDatabaseLostCode);
  // The second worker fails for good.
  const auto losing =
      refitter({"sh", "-c", "[ -e " + mark + " ] && exit 3; touch " + mark + "; " + lost});
  EXPECT_EQ(failure(application), "the fit ended with exit code 3");
  EXPECT_EQ(here.store->models_of(application, 10).size(), 1u) << "the first says nothing";
}

TEST_F(RefitterTest, AWorkerEndsAtItsLimits) {
  const std::int64_t application = here.add(planted_run(2));
  {
    const auto computing = refitter({"sh", "-c", "while :; do :; done"}, {.cpu_s = 1});
    EXPECT_EQ(failure(application), "the fit took more than 1 s of CPU time");
  }
  here.add(planted_run(4));
  const auto sleeping = refitter({"sleep", "600"}, {.wall_s = 1});
  EXPECT_THAT(failure(application), HasSubstr("it took too long"));
  EXPECT_THAT(metrics.text({}), HasSubstr("apmt_refits_total{outcome=\"died\"} "));
}

TEST_F(RefitterTest, AWorkerHoldsNoConnectionOfTheServer) {
  const std::int64_t application = here.add(planted_run(2));
  const auto looking = refitter(
      {"sh", "-c", "for d in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$d ] && exit 9; done; exit 5"});
  EXPECT_EQ(failure(application), "the fit ended with exit code 5");
}

}  // namespace
}  // namespace apmt::service
