// Kernels on devices: ranking, relative cost, shares, JSON.
#include "devices/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using testing::made_device;
using testing::made_kernel;

kernels::Analysis one_kernel() {
  kernels::Analysis a;
  a.program = "prog";
  a.kernels.push_back(made_kernel());
  return a;
}

TEST(Matches, TheFastestDeviceIsFirst) {
  Device bare = made_device("bare");
  bare.slow_bytes_per_s.reset();
  const Match m = match(one_kernel(), {made_device("slow"), bare, made_device("fast", 3)}, {});
  const KernelMatch& k = m.kernels[0];
  EXPECT_EQ(k.predictions[0].device, "fast");
  EXPECT_EQ(k.predictions[1].device, "slow");
  EXPECT_EQ(k.predictions[2].device, "bare");
  EXPECT_EQ(k.timed(), 2u);
  EXPECT_EQ(k.relative_cost(0), 1);
  EXPECT_NEAR(*k.relative_cost(1), 3, 1e-9);
  EXPECT_FALSE(k.relative_cost(2));
  EXPECT_NEAR(*k.flops_per_s(0), 4010 / k.predictions[0].time->total_s, 1e-9);
  EXPECT_NEAR(k.split->shares[0], 0.75, 1e-9);
  EXPECT_NEAR(k.split->gain_over_best, 4.0 / 3, 1e-9);
}

TEST(Matches, TheShareThatVectorisesIsAssumedForAutomatchOnly) {
  MatchOptions options{.method = MatchMethod::kAutomatch, .data = {}, .vectorised = {}};
  EXPECT_FALSE(match(one_kernel(), {made_device()}, options).kernels[0].predictions[0].time);
  options.vectorised = 0.5;
  const Match m = match(one_kernel(), {made_device()}, options);
  EXPECT_TRUE(m.kernels[0].predictions[0].time);
  EXPECT_FALSE(m.kernels[0].split);  // there are no shares for a single device
}

TEST(Matches, JsonHasEverything) {
  Device bare = made_device("bare");
  bare.frequency_hz.reset();
  const Json json = to_json(match(one_kernel(), {made_device(), bare}, {}));
  EXPECT_EQ(json["format"], "apmt-match");
  EXPECT_EQ(json["method"], "apmt");
  EXPECT_EQ(json["data"], "resident");
  EXPECT_EQ(json["devices"][0]["sources"]["here"]["kind"], "measured");
  const Json& predictions = json["kernels"][0]["predictions"];
  EXPECT_EQ(predictions[0]["bottleneck"], "slow memory");
  EXPECT_EQ(predictions[0]["relative_cost"], 1);
  EXPECT_TRUE(predictions[1]["time"].is_null());
  EXPECT_EQ(predictions[1]["why_not"], "the card of bare (all of it) has no frequency");
  EXPECT_TRUE(json["kernels"][0]["split"].is_null());
}

TEST(Matches, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_THROW(match(one_kernel(), {made_device(), made_device()}, {}), InputError);
  EXPECT_THROW(match({}, {made_device()}, {}), InputError);
}

TEST(Matches, AnEmptyKernelHasNoTime) {
  kernels::Analysis a = one_kernel();
  a.kernels[0].mix = kernels::InstructionMix{};
  a.kernels[0].floating_point = kernels::Parallelism{};
  a.kernels[0].locality = kernels::Locality{};
  a.kernels[0].synchronisation = kernels::Synchronisation{};
  const Match m = match(a, {made_device("a"), made_device("b")}, {});
  EXPECT_EQ(m.kernels[0].timed(), 0u);
  EXPECT_FALSE(m.kernels[0].predictions[0].why_not.empty());
}

}  // namespace
}  // namespace apmt::devices
