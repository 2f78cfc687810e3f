// Runs the tests. Exits with 77 if all of them were skipped.
#include <gtest/gtest.h>

namespace {

constexpr int kSkipped = 77;

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  if (failed == 0 && all.skipped_test_count() > 0 && all.successful_test_count() == 0)
    return kSkipped;
  return failed;
}
