// Tests of matching kernels to devices: ranking, relative cost, shares, JSON.
#include "devices/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/input_error.h"
#include "devices/fastest.h"
#include "devices/spread.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using testing::made_device;
using testing::made_kernel;
using testing::two_idioms;
using testing::with_idioms;

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

TEST(Matches, TimesWithAndWithoutLaunchesAreNotComparedIfLaunchesMatter) {
  Device without = made_device("without");
  without.launch_s.reset();
  Device slow_to_launch = made_device("slow to launch");
  const auto probability = [&] {
    const Match m = match(one_kernel(), {without, slow_to_launch}, {});
    const KernelMatch& k = m.kernels[0];
    const bool is_compared = k.predictions[0].probability.has_value();
    EXPECT_EQ(k.ranked(), is_compared ? 2u : 1u);
    EXPECT_EQ(k.predictions[0].device, is_compared ? "without" : "slow to launch");
    EXPECT_EQ(k.predictions[1].lacks, is_compared ? "" : "launches");
    EXPECT_EQ(k.split.has_value(), is_compared);
    EXPECT_EQ(k.relative_cost(1).has_value(), is_compared);
    return is_compared;
  };
  EXPECT_TRUE(probability()) << "launches are little of the time";
  slow_to_launch.launch_s->value = 100;
  EXPECT_FALSE(probability());
  without.launch_s = slow_to_launch.launch_s;
  EXPECT_TRUE(probability()) << "both include launches";
}

TEST(Matches, TheShareThatVectorisesIsAssumedForAutomatchOnly) {
  MatchOptions options{.method = MatchMethod::kAutomatch, .data = {}, .vectorised = {}};
  EXPECT_FALSE(match(one_kernel(), {made_device()}, options).kernels[0].predictions[0].time);
  options.vectorised = 0.5;
  const Match m = match(one_kernel(), {made_device()}, options);
  EXPECT_TRUE(m.kernels[0].predictions[0].time);
  EXPECT_FALSE(m.kernels[0].split);  // there are no shares for a single device
}

TEST(Matches, ARangeFollowsFromTheSpreadOfTheCard) {
  Device measured = made_device("measured");
  measured.slow_bytes_per_s->spread = 0.2;
  const Match m = match(one_kernel(), {measured, made_device("exact")}, {});
  for (const DevicePrediction& p : m.kernels[0].predictions) {
    if (p.device == "exact") {
      EXPECT_FALSE(p.range);
      continue;
    }
    // The kernel is bound by the slow memory, whose bandwidth may be 10 % higher or lower.
    ASSERT_TRUE(p.range);
    const double moves_s = *p.slow_bytes / measured.slow_bytes_per_s->value;
    const double other_s = p.time->total_s - moves_s;
    EXPECT_NEAR(p.range->low_s, other_s + moves_s / 1.1, 1e-9);
    EXPECT_NEAR(p.range->high_s, other_s + moves_s / 0.9, 1e-9);
  }
  EXPECT_TRUE(m.kernels[0].is_open(0, 1));
  const Match far = match(one_kernel(), {measured, made_device("fast", 3)}, {});
  EXPECT_FALSE(far.kernels[0].is_open(0, 1));
}

MatchOptions with_scatter(double scatter) {
  return {.method = MatchMethod::kApmt, .data = {}, .vectorised = {}, .scatter = scatter};
}

TEST(Matches, TheFastestDeviceHasAProbability) {
  // The values of ln(time) on the two devices differ by ln(3); the standard deviation of this
  // difference is 0.5 sqrt(2).
  const Match m =
      match(one_kernel(), {made_device("slow"), made_device("fast", 3)}, with_scatter(0.5));
  const auto& p = m.kernels[0].predictions;
  EXPECT_NEAR(*p[0].probability,
              0.5 * std::erfc(-std::log(3) / (0.5 * std::sqrt(2)) / std::sqrt(2)), 1e-9);
  EXPECT_NEAR(*p[0].probability + *p[1].probability, 1, 1e-12);
  EXPECT_FALSE(match(one_kernel(), {made_device()}, {}).kernels[0].predictions[0].probability);
}

TEST(Matches, TheSpreadOfACardMakesTheFastestDeviceLessProbable) {
  Device measured = made_device("measured", 1.5);
  measured.slow_bytes_per_s->spread = 0.8;
  const Match exact =
      match(one_kernel(), {made_device("slow"), made_device("measured", 1.5)}, with_scatter(0.2));
  const Match spread = match(one_kernel(), {made_device("slow"), measured}, with_scatter(0.2));
  const DevicePrediction& p = spread.kernels[0].predictions[0];
  ASSERT_EQ(p.device, "measured");
  const double of_card = std::log(p.range->high_s / p.range->low_s) / 1.34898;
  const double deviation = std::sqrt(0.2 * 0.2 + 0.2 * 0.2 + of_card * of_card);
  EXPECT_NEAR(*p.probability, 0.5 * std::erfc(-std::log(1.5) / deviation / std::sqrt(2)), 1e-5);
  EXPECT_LT(*p.probability, *exact.kernels[0].predictions[0].probability - 0.1);
}

TEST(Matches, AProbabilityNeedsTheErrorOfTheMethod) {
  const std::vector<Device> two = {with_idioms("a", 100, 400), with_idioms("b", 400, 100)};
  MatchOptions options{.method = MatchMethod::kPmac, .data = {}, .vectorised = {}};
  EXPECT_FALSE(match(two_idioms(), two, options).kernels[0].predictions[0].probability);
  options.scatter = 0.5;
  EXPECT_TRUE(match(two_idioms(), two, options).kernels[0].predictions[0].probability);
  EXPECT_EQ(MatchOptions{}.method_scatter(), kMethodScatter);
}

TEST(Fastest, EqualTimesAreEquallyProbable) {
  for (const double p : shortest_probabilities({{2, 0.5}, {2, 0.5}, {2, 0.5}, {2, 0.5}}))
    EXPECT_NEAR(p, 0.25, 1e-12);
  EXPECT_EQ(shortest_probabilities({{2, 0.5}}), std::vector<double>{1});
}

TEST(Fastest, ProbabilitiesAreTheSharesOfRandomTimes) {
  const std::vector<UncertainTime> times = {{1, 0.3}, {1.2, 0.6}, {1.5, 0.1}, {4, 1.2}};
  const std::vector<double> probabilities = shortest_probabilities(times);
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  std::vector<int> wins(times.size());
  constexpr int kTrials = 100'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> drawn;
    for (const UncertainTime& t : times)
      drawn.push_back(t.median_s * std::exp(t.scatter * normal(random)));
    ++wins[static_cast<std::size_t>(std::min_element(drawn.begin(), drawn.end()) - drawn.begin())];
  }
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(probabilities[i], static_cast<double>(wins[i]) / kTrials, 0.01) << i;
}

TEST(Spreads, MoveEveryFigureToTheSameEnd) {
  Device d = made_device();
  const auto spread = [](MaybeFigure* figure) { (*figure)->spread = 0.5; };
  EXPECT_FALSE(fast_end(d)) << "a card without spreads";
  for (MaybeFigure* figure : {&d.frequency_hz, &d.slow_latency_s, &d.synchronisation_s, &d.launch_s,
                              &d.in_double.peak_all, &d.to_device.bytes_per_s})
    spread(figure);
  d.idioms["stream"].points = {{1000, 100, 0.2}};
  const Device fast = *fast_end(d), slow = *slow_end(d);
  EXPECT_DOUBLE_EQ(fast.frequency_hz->value, 1.25 * d.frequency_hz->value);
  EXPECT_DOUBLE_EQ(slow.in_double.peak_all->value, 0.75 * d.in_double.peak_all->value);
  EXPECT_DOUBLE_EQ(fast.slow_latency_s->value, 0.75 * d.slow_latency_s->value);
  EXPECT_DOUBLE_EQ(slow.launch_s->value, 1.25 * d.launch_s->value);
  EXPECT_DOUBLE_EQ(slow.synchronisation_s->value, 1.25 * d.synchronisation_s->value);
  EXPECT_DOUBLE_EQ(fast.to_device.bytes_per_s->value, 1.25 * d.to_device.bytes_per_s->value);
  EXPECT_DOUBLE_EQ(fast.idioms.at("stream").points[0].bytes_per_s, 110);
  EXPECT_DOUBLE_EQ(fast.fast_bytes_per_s->value, d.fast_bytes_per_s->value);  // has no spread
  EXPECT_DOUBLE_EQ(fast.cores->value, d.cores->value);
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
  EXPECT_TRUE(predictions[0]["probability"].is_null()) << "there is no other device with a time";
  EXPECT_EQ(json["scatter"], kMethodScatter);
  EXPECT_TRUE(predictions[1]["time"].is_null());
  EXPECT_EQ(predictions[1]["why_not"], "the card of bare (all of it) has no frequency");
  EXPECT_TRUE(json["kernels"][0]["split"].is_null());
}

TEST(Matches, ByPmacIdiomsTakeTheirBytesOverTheirBandwidth) {
  const MatchOptions options{.method = MatchMethod::kPmac, .data = {}, .vectorised = {}};
  const Match m =
      match(two_idioms(), {with_idioms("a", 100, 400), with_idioms("b", 400, 100)}, options);
  const KernelMatch& k = m.kernels[0];
  ASSERT_EQ(k.timed(), 2u);
  EXPECT_EQ(k.predictions[0].device, "b");  // 20 + 40 seconds, against 80 + 10
  EXPECT_NEAR(k.predictions[0].time->total_s, 60, 1e-9);
  EXPECT_NEAR(k.predictions[1].time->total_s, 90, 1e-9);
  EXPECT_THAT(k.predictions[0].notes,
              ::testing::Contains("75 % of the kernel's references belong to idioms; only these "
                                  "have a time"));
  ASSERT_EQ(k.idioms.size(), 2u);
  EXPECT_EQ(k.idioms[0].block.place, "work.c:8");
  EXPECT_EQ(k.idioms[0].block.footprint_bytes, 2'000);
  EXPECT_EQ(k.idioms[0].best(), 1u);
  EXPECT_EQ(k.idioms[1].best(), 0u);
  const Json json = to_json(m);
  EXPECT_EQ(json["method"], "pmac");
  EXPECT_EQ(json["kernels"][0]["idioms"][0]["best"], "b");
  EXPECT_EQ(json["kernels"][0]["idioms"][1]["seconds"]["a"], 10);
}

TEST(Matches, ByPmacIdiomsTransfersAreAdded) {
  const MatchOptions options{
      .method = MatchMethod::kPmac, .data = DataPlace::kPerCall, .vectorised = {}};
  const Match m = match(two_idioms(), {with_idioms("a", 100, 400)}, options);
  // In each of two calls, 6,400 bytes go to the device at 640 bytes per second and back at 320.
  EXPECT_NEAR(*m.kernels[0].predictions[0].time->transfer_s, 60, 1e-9);
  EXPECT_NEAR(m.kernels[0].predictions[0].time->total_s, 150, 1e-9);
  Device small = with_idioms("a", 100, 400);
  small.to_device.curve =
      Curve{.points = {{1, 640, 0}, {6'000, 640, 0}}, .pieces = {}, .origin = {}};
  EXPECT_THAT(match(two_idioms(), {small}, options).kernels[0].predictions[0].notes,
              ::testing::Contains("transfers are larger than any that was measured"));
}

/// The kernel accesses no line for the first time, because another kernel touched its data before.
TEST(Matches, ByPmacIdiomsDataOfAnotherKernelMove) {
  const MatchOptions options{
      .method = MatchMethod::kPmac, .data = DataPlace::kOnce, .vectorised = {}};
  kernels::Analysis a = two_idioms();
  a.kernels[0].locality->cold = 0;
  for (kernels::LoopFacts& loop : a.kernels[0].loops) loop.footprint_bytes = 6400;
  const Device d = with_idioms("a", 100, 400);
  EXPECT_NEAR(*match(a, {d}, options).kernels[0].predictions[0].time->transfer_s, 30, 1e-9);
  Device no_link = d;
  no_link.from_device.bytes_per_s.reset();
  EXPECT_THAT(match(a, {no_link}, options).kernels[0].predictions[0].why_not,
              ::testing::HasSubstr("transfers have no time"));
}

TEST(Matches, ByPmacIdiomsWhatIsMissingIsNamed) {
  const MatchOptions options{.method = MatchMethod::kPmac, .data = {}, .vectorised = {}};
  const auto why_not = [&](const kernels::Analysis& a, const Device& d) {
    const Match m = match(a, {d}, options);
    EXPECT_FALSE(m.kernels[0].predictions[0].time);
    return m.kernels[0].predictions[0].why_not;
  };
  Device no_gather = with_idioms("a", 100, 400);
  no_gather.idioms.erase("gather");
  EXPECT_EQ(why_not(two_idioms(), no_gather),
            "the card of a (all of it) has no bandwidth of the idiom gather");
  EXPECT_EQ(why_not(one_kernel(), with_idioms("a", 100, 400)),
            "the analysis lacks loops (apmt analyze --with synchronisation,footprint)");
  kernels::Analysis bare = two_idioms();
  bare.kernels[0].loops[0].footprint_bytes.reset();
  EXPECT_EQ(why_not(bare, with_idioms("a", 100, 400)),
            "the analysis lacks footprints (apmt analyze --with synchronisation,footprint)");
  kernels::Analysis none = two_idioms();
  none.kernels[0].loops[0].idioms.clear();
  EXPECT_EQ(why_not(none, with_idioms("a", 100, 400)), "no loop of the kernel is an idiom");
}

TEST(Matches, ByPmacIdiomsTransfersMayOverlapWithWork) {
  MatchOptions options{.method = MatchMethod::kPmac, .data = DataPlace::kPerCall, .vectorised = {}};
  options.do_overlap = true;
  const Match m = match(two_idioms(), {with_idioms("a", 100, 400)}, options);
  // The gather works for 80 seconds and the stream for 10; each moves half of the data in 30.
  EXPECT_NEAR(*m.kernels[0].predictions[0].time->transfer_s, 60, 1e-9);
  EXPECT_NEAR(m.kernels[0].predictions[0].time->total_s, 80 + 30, 1e-9);
  EXPECT_EQ(to_json(m)["overlap"], true);
}

TEST(Matches, DataMayMoveInEachTimeStep) {
  MatchOptions options{.method = MatchMethod::kPmac, .data = DataPlace::kPerStep, .vectorised = {}};
  options.steps = 5;
  const Device a = with_idioms("a", 100, 400);
  const Match m = match(two_idioms(), {a}, options);
  EXPECT_NEAR(*m.kernels[0].predictions[0].time->transfer_s, 5 * 30, 1e-9);
  EXPECT_NEAR(m.kernels[0].predictions[0].time->total_s, 90 + 5 * 30, 1e-9);
  EXPECT_EQ(to_json(m)["data"], "per-step");
  EXPECT_EQ(to_json(m)["steps"], 5);
  options.method = MatchMethod::kApmt;
  EXPECT_NEAR(*match(two_idioms(), {a}, options).kernels[0].predictions[0].time->transfer_s, 5 * 30,
              1e-9);
}

TEST(Matches, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_THROW(match(one_kernel(), {made_device(), made_device()}, {}), InputError);
  EXPECT_THROW(match({}, {made_device()}, {}), InputError);
  const auto is_refused = [](MatchOptions options) {
    EXPECT_THROW(match(two_idioms(), {with_idioms("a", 100, 400)}, options), InputError);
  };
  is_refused({.method = MatchMethod::kPmac, .data = DataPlace::kPerStep, .vectorised = {}});
  MatchOptions steps;
  steps.steps = 5;
  is_refused(steps);
  MatchOptions overlap;  // of apmt's own method
  overlap.do_overlap = true;
  is_refused(overlap);
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
