#include "fitter/readable_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace apmt {
namespace {

std::vector<std::pair<double, double>> times_of(const std::function<double(double)>& law) {
  std::vector<std::pair<double, double>> times;
  for (double p = 2; p <= 1024; p *= 2) times.emplace_back(p, law(p));
  return times;
}

TEST(ReadableLaw, OneTermWhereOneWillDo) {
  const ReadableLaw law = readable_law(times_of([](double p) { return 64 / p; }));
  ASSERT_EQ(law.terms.size(), 1u);
  EXPECT_EQ(law.terms[0].p_exponent, -1);
  EXPECT_NEAR(law.terms[0].coefficient, 64, 1e-9);
  EXPECT_NEAR(law.off, 0, 1e-12);
}

TEST(ReadableLaw, APowerThatNobodyKnowsByNameHasTwoDigits) {
  const ReadableLaw law = readable_law(times_of([](double p) { return 3 * std::pow(p, -0.8123); }));
  ASSERT_EQ(law.terms.size(), 1u);
  EXPECT_EQ(law.terms[0].p_exponent, -0.81);
  EXPECT_LT(law.off, 0.01);
}

TEST(ReadableLaw, TwoTermsWhereOneIsTooFarOff) {
  const ReadableLaw law =
      readable_law(times_of([](double p) { return 8 / p + 0.05 * std::log2(p); }));
  ASSERT_EQ(law.terms.size(), 2u);
  EXPECT_EQ(law.terms[0].p_exponent, -1);
  EXPECT_EQ(law.terms[1].log2_power, 1);
  EXPECT_NEAR(law.off, 0, 1e-9);
}

TEST(ReadableLaw, SaysHowFarOffItIs) {
  const ReadableLaw law =
      readable_law(times_of([](double p) { return p < 32 ? 64 / p : 2 * std::sqrt(p / 32); }));
  EXPECT_LE(law.terms.size(), 2u);
  EXPECT_GT(law.off, 0.05);
  EXPECT_TRUE(std::isfinite(law.off));
}

TEST(ReadableLaw, NothingButZerosIsNothing) {
  EXPECT_TRUE(readable_law(times_of([](double) { return 0.0; })).terms.empty());
  EXPECT_TRUE(readable_law({}).terms.empty());
}

}  // namespace
}  // namespace apmt
