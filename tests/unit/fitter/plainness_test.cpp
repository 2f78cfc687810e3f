// Tests of the probability that the time of a kernel follows a plain law, such as 1/P, and not a
// curve. This probability is estimated from all kernels of a program together.
#include <gtest/gtest.h>

#include <cmath>

#include "fitter/times/recipe.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

const double kUsual = recipe_priors("leaf", false).plain_weight;

TimeLaw kernel(double (*seconds)(double), const char* prior = "leaf") {
  TimeLaw law;
  law.kind = TimeLaw::Kind::kRecipe;
  law.prior = prior;
  for (const double procs : {2.0, 4.0, 8.0, 16.0, 32.0})
    law.points.push_back({procs, 1, seconds(procs), 0.01, 0, 5});
  return law;
}
TimeLaw plain() {
  return kernel([](double p) { return 1 / p; });
}
/// The efficiency changes at every scale: the curve is not a sum of two powers.
TimeLaw curved() {
  return kernel([](double p) { return std::pow(p, -1.2 + 0.1 * std::log(p)); });
}

std::vector<double> pooled(std::vector<TimeLaw> laws) {
  std::vector<TimeLaw*> pointers;
  for (TimeLaw& law : laws) pointers.push_back(&law);
  pool_plainness(pointers);
  std::vector<double> weights;
  for (const TimeLaw& law : laws) weights.push_back(law.plain_weight.value_or(-1));
  return weights;
}

TEST(Plainness, PlainKernelsMakeTheNextOnePlain) {
  const std::vector<double> three = pooled({plain(), plain(), plain()});
  for (const double weight : three) EXPECT_GT(weight, kUsual);
  const std::vector<double> six = pooled(std::vector<TimeLaw>(6, plain()));
  EXPECT_GT(six[0], three[0]);
  EXPECT_LT(six[0], 1);
}

TEST(Plainness, CurvedKernelsMakeItCurved) {
  for (const double weight : pooled({curved(), curved(), curved()})) EXPECT_LT(weight, kUsual);
}

TEST(Plainness, AKernelIsToldByTheOthersOnly) {
  const std::vector<double> weights = pooled({plain(), plain(), curved()});
  // A kernel's weight depends on the other kernels only. One of the kernels other than kernel 0 is
  // curved; of the kernels other than kernel 2, none is.
  EXPECT_LT(weights[0], weights[2]);
  EXPECT_DOUBLE_EQ(weights[0], weights[1]);
  EXPECT_DOUBLE_EQ(pooled({plain(), curved()})[1], pooled({plain(), plain()})[1]);
}

TEST(Plainness, NobodyTellsALoneKernelNorWhatIsNone) {
  EXPECT_EQ(pooled({plain()})[0], -1);
  EXPECT_TRUE(pooled({}).empty());
  TimeLaw whole = plain();
  whole.prior = "total";
  TimeLaw exact = plain();
  exact.kind = TimeLaw::Kind::kExact;
  for (const double weight : pooled({plain(), whole, exact})) EXPECT_EQ(weight, -1);
}

}  // namespace
}  // namespace apmt
