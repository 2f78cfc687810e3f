// Tests of a program's idioms on its host and on devices, through match().
#include "devices/program_idioms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "devices/match.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using ::testing::ElementsAre;
using testing::figure;
using ::testing::HasSubstr;
using testing::two_idioms;
using testing::with_idioms;

/// Of the references of two_idioms(), 95 % hit L1 and 5 % move a line from the memory.
Device host() {
  Device d;
  d.label = d.name = "host";
  d.kind = "cpu";
  d.levels = {{"L1", figure(1000), {}, figure(1000)}, {"memory", {}, {}, figure(100)}};
  return d;
}

// The seconds of two_idioms() on host().
constexpr double kGather = 950 * 8 / 1000.0 + 50 * 64 / 100.0;
constexpr double kStream = kGather / 2;

MatchOptions on(const IdiomHost& host) {
  MatchOptions options{.method = MatchMethod::kPmac, .data = {}, .vectorised = {}};
  options.host = host;
  return options;
}

/// The gather takes 80 seconds on device a and 20 on device b, the stream 10 and 40.
std::vector<Device> two_devices() {
  return {with_idioms("a", 100, 400), with_idioms("b", 400, 100)};
}

ProgramIdioms idioms_of(const kernels::Analysis& analysis, const std::vector<Device>& devices,
                        const MatchOptions& options) {
  return match(analysis, devices, options).program_idioms.value();
}

TEST(ProgramIdioms, TheHostsTimeFollowsFromItsHitClasses) {
  kernels::Analysis a = two_idioms();
  EXPECT_NEAR(idioms_of(a, two_devices(), on({host()})).on_host[0].seconds, kGather, 1e-9);
  // Half of the references hit L1 (10 lines), 45 % hit L2 (100 lines).
  a.kernels[0].locality->distances = {{0, 0, 1'000}, {50, 50, 900}};
  IdiomHost two_levels{host()};
  two_levels.card.levels = {{"L1", figure(640), {}, figure(1000)},
                            {"L2", figure(6400), {}, figure(500)},
                            {"memory", {}, {}, figure(100)}};
  const ProgramIdioms idioms = idioms_of(a, two_devices(), on(two_levels));
  EXPECT_NEAR(idioms.on_host[0].seconds, 500 * 8 / 1000.0 + 450 * 64 / 500.0 + 50 * 64 / 100.0,
              1e-9);
  EXPECT_NEAR(idioms.host_s, 1.5 * idioms.on_host[0].seconds, 1e-9);
}

TEST(ProgramIdioms, AreAddedUpForEachDeviceAndEachChoice) {
  kernels::Analysis a = two_idioms();
  a.kernels.push_back(a.kernels[0]);
  const ProgramIdioms idioms = idioms_of(a, two_devices(), on({host()}));
  ASSERT_EQ(idioms.on_host.size(), 2u);
  EXPECT_EQ(idioms.on_host[0].idiom, "gather");
  EXPECT_EQ(idioms.on_host[0].instances, 2u);
  EXPECT_NEAR(idioms.host_s, 2 * (kGather + kStream), 1e-9);
  EXPECT_FALSE(idioms.coverage);
  ASSERT_EQ(idioms.ports.size(), 5u);
  const double expected_s[] = {80 + 10, 20 + 40, kGather + 10, 20 + kStream, 20 + 10};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(idioms.ports[i].total_s, 2 * expected_s[i], 1e-9) << i;
    EXPECT_EQ(idioms.ports[i].is_blind, i < 2);
    EXPECT_FALSE(idioms.ports[i].saved_share);
  }
  EXPECT_NEAR(idioms.ports[0].seconds.at("gather"), 2 * 80, 1e-9);
  EXPECT_NEAR(idioms.ports[4].seconds.at("stream"), 2 * 10, 1e-9);
  EXPECT_THAT(idioms.ports[3].devices, ElementsAre("b"));
  EXPECT_THAT(idioms.ports[4].devices, ElementsAre("a", "b"));
  EXPECT_THAT(idioms.best_blind()->devices, ElementsAre("b"));
  EXPECT_EQ(idioms.ports[0].instances, 4u);
  EXPECT_EQ(idioms.ports[2].instances, 2u);  // the streams
  EXPECT_EQ(idioms.ports[4].instances, 4u);
  EXPECT_EQ(idioms_of(a, {two_devices()[0]}, on({host()})).ports.size(), 2u);
}

TEST(ProgramIdioms, TheSavedShareFollowsFromTheCoverage) {
  const ProgramIdioms idioms =
      idioms_of(two_idioms(), two_devices(), on({.card = host(), .coverage = 0.6}));
  EXPECT_NEAR(*idioms.coverage, 0.6, 1e-12);
  EXPECT_NEAR(*idioms.on_host[0].coverage, 0.4, 1e-12);
  EXPECT_NEAR(*idioms.on_host[1].coverage, 0.2, 1e-12);
  const double host_s = kGather + kStream;
  EXPECT_NEAR(*idioms.best().saved_share, 0.6 * (1 - 30 / host_s), 1e-12);
  EXPECT_NEAR(*idioms.ports[0].saved_share, 0.6 * (1 - 90 / host_s), 1e-12);
  EXPECT_LT(*idioms.ports[0].saved_share, 0);
}

TEST(ProgramIdioms, MeasuredSharesOfKernelsGiveTheCoverage) {
  kernels::Analysis a = two_idioms();
  a.kernels.push_back(a.kernels[0]);
  const ProgramIdioms idioms = idioms_of(
      a, two_devices(), on({.card = host(), .coverage = {}, .kernel_shares = {0.4, 0.08}}));
  // 75 % of each kernel's references belong to its idioms, two thirds of these to the gather.
  EXPECT_NEAR(*idioms.coverage, 0.75 * 0.48, 1e-12);
  EXPECT_NEAR(*idioms.on_host[0].coverage, 0.5 * 0.48, 1e-12);
  EXPECT_NEAR(*idioms.best().saved_share,
              0.48 * (0.5 * (1 - 20 / kGather) + 0.25 * (1 - 10 / kStream)), 1e-12);
}

TEST(ProgramIdioms, TransfersAndOverlapDecideWhatStaysOnTheHost) {
  MatchOptions options = on({host()});
  const std::vector<Device> a = {two_devices()[0]};
  options.data = DataPlace::kOnce;  // 15 seconds for each idiom
  EXPECT_NEAR(idioms_of(two_idioms(), a, options).ports[0].total_s, 80 + 10 + 2 * 15, 1e-9);
  EXPECT_NEAR(idioms_of(two_idioms(), a, options).best().total_s, kGather + kStream, 1e-9);
  options.do_overlap = true;
  EXPECT_NEAR(idioms_of(two_idioms(), a, options).ports[0].total_s, 80 + 15, 1e-9);
  EXPECT_NEAR(idioms_of(two_idioms(), a, options).best().total_s, kGather + 15, 1e-9);
}

TEST(ProgramIdioms, WhatADeviceCannotRunStaysOnTheHost) {
  std::vector<Device> a = {two_devices()[0]};
  a[0].idioms.erase("gather");
  const ProgramIdioms idioms = idioms_of(two_idioms(), a, on({host()}));
  EXPECT_NEAR(idioms.ports[0].total_s, kGather + 10, 1e-9);
  EXPECT_EQ(idioms.best_blind()->instances, 1u);
  EXPECT_THAT(idioms.stay,
              ElementsAre("the card of a (all of it) has no bandwidth of the idiom gather"));
  MatchOptions options = on({host()});
  options.data = DataPlace::kOnce;
  a = {two_devices()[0]};
  a[0].from_device = {};
  const ProgramIdioms moved = idioms_of(two_idioms(), a, options);
  EXPECT_NEAR(moved.ports[0].total_s, kGather + kStream, 1e-9);
  EXPECT_EQ(moved.best_blind(), nullptr);
  EXPECT_THAT(moved.stay, ElementsAre("transfers to a (all of it) have no time: not on the card"));
}

TEST(ProgramIdioms, WhatTheHostsTimeNeedsIsNamed) {
  const auto refusal = [](const kernels::Analysis& a, const IdiomHost& host) -> std::string {
    try {
      match(a, two_devices(), on(host));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  IdiomHost bare{host()};
  bare.card.levels[1].bytes_per_s.reset();
  EXPECT_THAT(refusal(two_idioms(), bare), HasSubstr("lacks the bandwidth of a memory level"));
  bare.card.levels.clear();
  EXPECT_THAT(refusal(two_idioms(), bare), HasSubstr("has no memory levels"));
  kernels::Analysis a = two_idioms();
  a.kernels[0].locality.reset();
  EXPECT_THAT(refusal(a, {host()}), HasSubstr("lacks stack distances"));
  a = two_idioms();
  a.kernels[0].mix.reset();
  EXPECT_EQ(refusal(a, {host()}), "");
  EXPECT_THAT(refusal(a, {.card = host(), .coverage = {}, .kernel_shares = {1}}),
              HasSubstr("lacks counts of instructions"));
  MatchOptions other = on({host()});
  other.method = MatchMethod::kApmt;
  EXPECT_THROW(match(two_idioms(), two_devices(), other), InputError);
  a.kernels[0].loops.clear();
  EXPECT_FALSE(match(a, two_devices(), on({host()})).program_idioms);
}

TEST(ProgramIdioms, AreInTheJson) {
  const Json json =
      to_json(match(two_idioms(), two_devices(), on({.card = host(), .coverage = 0.6})));
  EXPECT_EQ(json["host"]["label"], "host");
  const Json& idioms = json["program_idioms"];
  EXPECT_EQ(idioms["on_host"][1]["idiom"], "stream");
  EXPECT_EQ(idioms["ports"][0]["blind"], true);
  EXPECT_EQ(idioms["ports"][0]["seconds"]["gather"], 80);
  EXPECT_EQ(idioms["ports"][4]["devices"], Json({"a", "b"}));
  EXPECT_GT(idioms["ports"][4]["saved_share"], 0);
}

}  // namespace
}  // namespace apmt::devices
