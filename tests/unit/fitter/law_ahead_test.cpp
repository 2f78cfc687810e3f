// Tests of laws of counts that go on as simulations with larger caches foresee.
#include "fitter/laws/law_ahead.h"

#include <gtest/gtest.h>

#include <vector>

namespace apmt {
namespace {

FitPoint count_at(double procs, double value, double work = 1) { return {procs, work, value}; }

CountLaw constant_law(double value) {
  Hypothesis h;
  h.terms = {{.coefficient = value}};
  h.free_numbers = 1;
  return {{h}};
}

const std::vector<FitPoint> kPoints = {count_at(2, 100), count_at(4, 100), count_at(8, 100)};

TEST(LawAhead, ALawThatAgreesStays) {
  const CountLaw law = continued(constant_law(100), kPoints, {count_at(16, 101), count_at(32, 95)});
  EXPECT_FALSE(changes_ahead(law, kPoints));
  EXPECT_EQ(law.value(64, 1), 100);
}

TEST(LawAhead, LawsThatDisagreeAreDroppedIfOneAgrees) {
  Hypothesis falls;
  falls.terms = {{.coefficient = 800, .p_exponent = -1}};
  falls.weight = 0.7;
  CountLaw two = constant_law(100);
  two.hypotheses.front().weight = 0.3;
  two.hypotheses.insert(two.hypotheses.begin(), falls);
  const CountLaw law = continued(two, kPoints, {count_at(16, 100)});
  ASSERT_EQ(law.hypotheses.size(), 1u);
  EXPECT_EQ(law.hypotheses.front().weight, 1);
  EXPECT_EQ(law.value(64, 1), 100);
}

TEST(LawAhead, OtherwiseTheLawInterpolatesAllCounts) {
  const std::vector<FitPoint> ahead = {count_at(16, 20), count_at(32, 1)};
  const CountLaw law = continued(constant_law(100), kPoints, ahead);
  EXPECT_TRUE(changes_ahead(law, kPoints));
  for (const FitPoint& p : kPoints) EXPECT_NEAR(law.value(p.procs, 1), p.value, 1e-9) << p.procs;
  for (const FitPoint& p : ahead) EXPECT_NEAR(law.value(p.procs, 1), p.value, 1e-9) << p.procs;
  EXPECT_NEAR(law.value(8 * std::sqrt(2), 1), std::sqrt(100 * 20), 1e-6) << "a power in between";
  EXPECT_NEAR(law.value(1, 1), 100, 1e-9);
  EXPECT_NEAR(law.value(1000, 1), 1, 1e-9) << "constant beyond all counts";
  EXPECT_NEAR(law.value(1000, 7), law.value(1000 / 7., 1) * 7, 1e-9)
      << "per unit of work, only the work per process matters";
}

TEST(LawAhead, CountsThatAreSmallAnywayMayBeZero) {
  const CountLaw law = continued(constant_law(100), kPoints, {count_at(16, 0)});
  EXPECT_GT(law.value(16, 1), 0);
  EXPECT_LT(law.value(16, 1), 0.2);
}

}  // namespace
}  // namespace apmt
