// Tests that training with ten thousand examples of forty features takes less than a minute of CPU
// time. The test uses CPU time because, unlike elapsed time, it does not depend on other programs.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "devices/learned/svm.h"
#include "devices/learned/training.h"
#include "tests/unit/learned/planted.h"

namespace apmt::learned {
namespace {

TEST(LearningSpeed, TenThousandExamplesWithinAMinute) {
  const Lesson lesson = planted_lesson(1, 10000, 40, 0.05);
  for (const LearnerKind kind :
       {LearnerKind::kNnge, LearnerKind::kForest, LearnerKind::kNeighbour, LearnerKind::kSvm}) {
    if (kind == LearnerKind::kSvm && !has_svm()) continue;
    const std::clock_t before = std::clock();
    const Trained trained = train(lesson, {.kind = kind});
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    std::printf("%s: %.1f s, %zu features\n", to_string(kind).c_str(), seconds,
                trained.features.size());
    EXPECT_LT(seconds, 60) << to_string(kind);
  }
}

}  // namespace
}  // namespace apmt::learned
