#include "service/rate_limit.h"

#include <gtest/gtest.h>

namespace apmt::service {
namespace {

using std::chrono::milliseconds;

TEST(RateLimit, AllowsABurstAndThenTheRate) {
  RateLimit limit(10, 3);
  const RateLimit::Clock::time_point start{};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", start));
  EXPECT_FALSE(limit.take("a", start));
  EXPECT_FALSE(limit.take("a", start + milliseconds(99)));
  EXPECT_TRUE(limit.take("a", start + milliseconds(201)));
  EXPECT_TRUE(limit.take("a", start + milliseconds(201)));
  EXPECT_FALSE(limit.take("a", start + milliseconds(201)));
}

TEST(RateLimit, ClientsDoNotShareABucket) {
  RateLimit limit(1, 1);
  const RateLimit::Clock::time_point start{};
  EXPECT_TRUE(limit.take("a", start));
  EXPECT_FALSE(limit.take("a", start));
  EXPECT_TRUE(limit.take("b", start));
}

TEST(RateLimit, ManyClientsDoNotResetABucketThatIsEmpty) {
  RateLimit limit(1, 2);
  const RateLimit::Clock::time_point start{};
  for (int i = 0; i < 9'999; ++i) limit.take(std::to_string(i), start);
  const RateLimit::Clock::time_point later = start + std::chrono::hours(1);
  EXPECT_TRUE(limit.take("a", later));
  EXPECT_TRUE(limit.take("a", later));
  EXPECT_TRUE(limit.take("one more", later)) << "those that have refilled are forgotten";
  EXPECT_FALSE(limit.take("a", later));
}

TEST(RateLimit, ZeroIsNoLimit) {
  RateLimit limit(0, 1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.take("a", {}));
}

}  // namespace
}  // namespace apmt::service
