// Tests of the share of the noise that all times of a program have in common, estimated from
// repetitions.
#include <gtest/gtest.h>

#include <cmath>

#include "fitter/prediction/model_draws.h"

namespace apmt {
namespace {

constexpr double kNothingKnown = 0.25;

/// Kernels that take one second each, with 5 % of noise, at P = 2 and 4. The noise of the elapsed
/// time is `rel_sigma`.
Model model_of(int kernels, int repetitions, double rel_sigma) {
  Model m;
  for (const int procs : {2, 4}) {
    ModelPoint p;
    p.procs = procs;
    p.repetitions = repetitions;
    p.elapsed_s = kernels;
    p.rel_sigma = rel_sigma;
    m.points.push_back(p);
  }
  for (int i = 0; i < kernels; ++i) {
    KernelModel k;
    for (const double procs : {2.0, 4.0})
      k.law.points.push_back({procs, 1, 1, 0.05, 0, repetitions});
    m.kernels.push_back(k);
  }
  return m;
}

TEST(SharedNoise, IsUsualWithoutRepetitions) {
  EXPECT_DOUBLE_EQ(shared_noise(model_of(4, 1, 0)), kNothingKnown);
  EXPECT_DOUBLE_EQ(shared_noise(Model()), kNothingKnown);
}

TEST(SharedNoise, IsNothingWhereEachTimeVariesByItself) {
  const double by_itself = 0.05 / std::sqrt(4);
  EXPECT_LT(shared_noise(model_of(4, 3, by_itself)), 0.06);
  EXPECT_LT(shared_noise(model_of(4, 20, by_itself)), 0.01);
  EXPECT_DOUBLE_EQ(shared_noise(model_of(4, 3, 0)), 0);  // the noise of the kernels cancels out
}

TEST(SharedNoise, IsAllWhereAllTimesVaryTogether) {
  EXPECT_NEAR(shared_noise(model_of(4, 20, 0.05)), 1, 0.04);
  EXPECT_DOUBLE_EQ(shared_noise(model_of(4, 3, 0.5)), 1);
}

TEST(SharedNoise, CannotBeReadOffOneTimeNorOffQuietOrOversubscribedRuns) {
  EXPECT_DOUBLE_EQ(shared_noise(model_of(1, 3, 0.05)), kNothingKnown);
  Model quiet = model_of(4, 3, 0);
  for (KernelModel& k : quiet.kernels)
    for (FitPoint& p : k.law.points) p.rel_sigma = 0;
  EXPECT_DOUBLE_EQ(shared_noise(quiet), kNothingKnown);
  Model oversubscribed = model_of(4, 3, 0.05);
  for (ModelPoint& p : oversubscribed.points) p.oversubscribed = true;
  EXPECT_DOUBLE_EQ(shared_noise(oversubscribed), kNothingKnown);
}

TEST(SharedNoise, ErrorsOfSamplingAreEachTimesOwn) {
  Model m = model_of(4, 20, 0.03);
  for (KernelModel& k : m.kernels)
    for (FitPoint& p : k.law.points) p.rel_sampling = 0.04;  // of the 5 %; leaves 3 % of noise
  EXPECT_NEAR(shared_noise(m), 1, 0.04);
}

}  // namespace
}  // namespace apmt
