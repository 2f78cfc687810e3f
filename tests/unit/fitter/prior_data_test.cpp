// Tests of configs/priors.yaml as the program reads it.
#include "fitter/prior_data.h"

#include <gtest/gtest.h>

#include "base/fraction.h"
#include "base/input_error.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {
namespace {

TEST(PriorData, NumbersAndFractionsAreNumbers) {
  EXPECT_EQ(prior_data().at("format"), "apmt-priors");
  EXPECT_EQ(prior_data().at("times").at("counts"), 0.5);
  EXPECT_EQ(prior_data().at("times").at("leaf").at("slope"), Json({-0.7, 0.4}));
}

TEST(PriorData, EveryKindOfTimeIsComplete) {
  for (const char* kind : {"total", "leaf", "communication", "waiting", "start", "end", "off-cpu"})
    for (const bool in_work : {false, true}) {
      const RecipePriors p = recipe_priors(kind, in_work);
      EXPECT_LE(p.two_terms, 1) << kind;
      EXPECT_GT(p.slope.sd * p.logit_share.sd * p.fall.sd * p.rise.sd, 0) << kind;
      EXPECT_GT(p.logit_second.sd * p.noise.sd * p.size_scatter.sd, 0) << kind;
      EXPECT_GT(p.widening * p.discrepancy * p.plain_weight, 0) << kind;
      double sum = p.plain.empty() ? 1 : 0;
      for (const PlainLaw& law : p.plain) sum += law.weight;
      EXPECT_NEAR(sum, 1, 1e-12) << kind;
    }
  for (const char* no_kind : {"all", "in_work", "counts", "nonsense"})
    EXPECT_THROW(recipe_priors(no_kind, false), InputError) << no_kind;
}

TEST(Fractions, AreNumbersOrRatios) {
  EXPECT_DOUBLE_EQ(fraction("-2/3").value(), -2.0 / 3);
  EXPECT_DOUBLE_EQ(fraction("0.25").value(), 0.25);
  for (const char* wrong : {"", "x", "1/", "1/0", "1/2/3", "2 ", "nan", "1/inf", "3/nan"})
    EXPECT_FALSE(fraction(wrong).has_value()) << wrong;
}

}  // namespace
}  // namespace apmt
