#include "fitter/laws/readable_law.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(ReadableLaw, ATermThatContributesNothingAtAnyCountIsLeftOut) {
  std::vector<LawTerm> terms = {{.coefficient = 64, .p_exponent = -1},
                                {.coefficient = 1e-18, .p_exponent = 1},
                                {.coefficient = -2e-19},
                                {.coefficient = 1e-4, .p_exponent = 1}};
  drop_negligible(&terms, {2, 64, 1024});
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].coefficient, 64);
  EXPECT_EQ(terms[1].coefficient, 1e-4) << "it counts with 1,024 processes";
  drop_negligible(&terms, {2, 4});
  EXPECT_EQ(terms.size(), 1u);
}

TEST(ReadableLaw, TwoTermsOfWhichOneIsNothingAreOne) {
  // No single term and no power comes close enough, so the nearest pair of terms is used.
  for (const double tiny : {0.0, 1e-12}) {
    const ReadableLaw law = readable_law(times_of(
        [&](double p) { return (1 + 0.2 * std::sin(3 * std::log2(p))) / p + tiny * p * p; }));
    for (const LawTerm& term : law.terms) {
      double most = 0;
      for (double p = 2; p <= 1024; p *= 2) most = std::max(most, term.value(p, 1) * p);
      EXPECT_GT(most, 1e-4) << term.coefficient << " P^" << term.p_exponent;
    }
  }
}

TEST(ReadableLaw, NothingButZerosIsNothing) {
  EXPECT_TRUE(readable_law(times_of([](double) { return 0.0; })).terms.empty());
  EXPECT_TRUE(readable_law({}).terms.empty());
}

TEST(Formula, TermsOfOneKindAreAdded) {
  Hypothesis law;
  law.terms = {{.coefficient = 6.144e6, .shape = GridShape::kSides2},
               {.coefficient = -1.2288e7},
               {.coefficient = 128000, .p_exponent = 1},
               {.coefficient = -64000, .shape = GridShape::kSides2}};
  EXPECT_EQ(law.formula(), "6.08e6 * (px + py) - 1.2288e7 + 128000 * P");
  law.terms = {{.coefficient = 2}, {.coefficient = -2}};
  EXPECT_EQ(law.formula(), "0");
}

}  // namespace
}  // namespace apmt
