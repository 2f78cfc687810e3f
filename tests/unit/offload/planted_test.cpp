// Tests of offloading a planted program to a planted device (the times of both are closed forms),
// and of properties that hold for any card.
#include "tests/unit/offload/planted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/offload/offload.h"
#include "devices/spread.h"
#include "reports/devices/offload.h"
#include "reports/render.h"
#include "tests/unit/devices/any_card.h"

namespace apmt::devices {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace testing;

constexpr double kClose = 0.02;  // largest relative error of an answer that counts as exact

const Experiment& experiment() {
  static const Experiment e = planted_experiment();
  return e;
}
const Model& model() {
  static const Model m = planted_model(experiment());
  return m;
}

Offload offloaded(const std::vector<int>& procs, const Device& device,
                  OffloadOptions options = {}) {
  std::vector<Scenario> scenarios;
  for (const int p : procs) scenarios.push_back(at(p));
  return offload(model(), experiment(), device, scenarios, options);
}

const KernelPort& port_of(const OffloadAt& at, const Offload& o, const std::string& name) {
  for (const KernelPort& port : at.ports)
    if (o.kernels[port.kernel].name == name) return port;
  throw std::runtime_error("no port of " + name);
}

/// One rank per device: as many devices as ranks.
OffloadOptions one_rank_each() { return {.port = {}, .per_node = 64}; }

class PlantedData : public ::testing::TestWithParam<DataPlace> {
 protected:
  static OffloadOptions options() {
    OffloadOptions options = one_rank_each();
    options.port.data = GetParam();
    return options;
  }
  /// Seconds that the best ports save, without messages. If one kernel stays on the host, it may
  /// share its points with the other.
  static double saved_s(double points, double launch_s = 1e-5) {
    const double more_s = data_s(points, GetParam()) + kCalls * (launch_s - 1e-5);
    const double sweep = sweep_s(points) - device_s(points, 2) - more_s;
    const double solve = solve_s(points) - device_s(points, 40) - more_s;
    const double shared = GetParam() == DataPlace::kPerCall ? 0 : shared_s(points);
    return std::max({0.0, sweep + solve, sweep - shared, solve - shared});
  }
};
const std::string kPlaceNames[] = {"Resident", "Once", "PerCall"};
INSTANTIATE_TEST_SUITE_P(EachWay, PlantedData,
                         ::testing::Values(DataPlace::kResident, DataPlace::kOnce,
                                           DataPlace::kPerCall),
                         [](const auto& of) { return kPlaceNames[static_cast<int>(of.param)]; });

TEST_P(PlantedData, TimesAreExact) {
  for (const int procs : {2, 8, 32, 128, 512}) {
    const Offload o = offloaded({procs}, planted_device(), options());
    const OffloadAt& a = o.at[0];
    const double points = kPoints / procs;
    const double data = data_s(points, GetParam()), messages = messages_s(GetParam());
    ASSERT_EQ(a.ranks_per_device, 1);
    const KernelPort& sweep = port_of(a, o, "sweep");
    const KernelPort& solve = port_of(a, o, "solve");
    EXPECT_NEAR(*sweep.device_s / (device_s(points, 2) + data), 1, kClose) << procs;
    EXPECT_NEAR(*solve.device_s / (device_s(points, 40) + data), 1, kClose) << procs;
    EXPECT_NEAR(*sweep.parts.transfer_s, data, kClose * data) << procs;
    EXPECT_NEAR(a.transfer_s, messages, kClose * messages) << procs;
    const double host = sweep_s(points) + solve_s(points) + 0.2 + 1e-2 + 0.1;
    EXPECT_NEAR(a.host.time_s / host, 1, kClose) << procs;
    const double ported = host - saved_s(points) + messages;
    EXPECT_NEAR(a.ported.time.time_s / ported, 1, kClose) << procs;
    EXPECT_NEAR(a.ported.speedup.value / (host / ported), 1, kClose) << procs;
    EXPECT_LE(a.ported.time.low_s, a.ported.time.time_s);
    EXPECT_GE(a.ported.time.high_s, a.ported.time.time_s);
    EXPECT_THAT(o.left, Contains(HasSubstr("serial stays on the host: it was not analysed")));
  }
}

/// With less and less work per rank, launches and transfers finally cost more than the ports save;
/// the test checks at which process count. With the dearest launches, the gain ends at fewer than
/// half as many processes as with the cheapest.
TEST_P(PlantedData, TheGainEndsWhereLaunchesAndTransfersCostMore) {
  for (const double launch_s : {5e-6, 1e-5, 1.2e-5, 3e-5}) {
    Device device = planted_device();
    device.launch_s = figure(launch_s);
    double end = 2;
    while (saved_s(kPoints / end, launch_s) > messages_s(GetParam())) end *= 1.0001;
    const Offload o = offloaded({64}, device, options());
    ASSERT_TRUE(o.gain_end.procs) << o.gain_end.why_not;
    EXPECT_NEAR(o.gain_end.procs->procs / end, 1, kClose) << launch_s;
    EXPECT_LE(o.gain_end.procs->low, o.gain_end.procs->procs);
    const int beyond = static_cast<int>((1 + kClose) * end);
    const Offload there = offloaded({beyond}, device, options());
    EXPECT_EQ(there.at[0].worth_it(), 0u) << launch_s;
    EXPECT_EQ(there.at[0].ported.time.time_s, there.at[0].host.time_s);
    EXPECT_EQ(there.at[0].ported.speedup.value, 1);
    const int before = static_cast<int>((1 - kClose) * end);
    EXPECT_GT(offloaded({before}, device, options()).at[0].ported.speedup.value, 1) << launch_s;
  }
}

TEST(PlantedProgram, TheOrderIsBySavedTime) {
  const Offload o = offloaded({8}, planted_device(), one_rank_each());
  const OffloadAt& a = o.at[0];
  ASSERT_EQ(a.worth_it(), 2u);
  EXPECT_EQ(o.kernels[a.ports[0].kernel].name, "sweep");
  EXPECT_EQ(o.kernels[a.ports[1].kernel].name, "solve");
  EXPECT_EQ(a.ports[0].after->time.time_s, a.ports[0].alone->time.time_s);
  EXPECT_GT(a.ports[1].after->speedup.value, a.ports[0].after->speedup.value);
  EXPECT_GT(a.ports[1].after->speedup.value, a.ports[1].alone->speedup.value);
}

TEST(PlantedProgram, RanksOfADeviceTakeTurns) {
  const Offload one = offloaded({32}, planted_device(), {.port = {}, .per_node = 32});
  const Offload four = offloaded({32}, planted_device(), {.port = {}, .per_node = 8});
  EXPECT_EQ(four.at[0].ranks_per_device, 4);
  EXPECT_NEAR(*port_of(four.at[0], four, "sweep").device_s,
              4 * *port_of(one.at[0], one, "sweep").device_s, 1e-9);
  EXPECT_NEAR(four.at[0].transfer_s, 4 * one.at[0].transfer_s, 1e-9);
}

/// The points of one rank fit into the cache, those of four ranks do not. So each call loads its
/// points from the slow memory, and no more than these: no time is below that of these bytes.
TEST(PlantedProgram, RanksOfADeviceShareItsCaches) {
  Device device = planted_device();
  device.fast_bytes = figure(2 * 8 * kPoints / 32);
  const double moved_s = 8 * kPoints / 32 * kCalls / device.slow_bytes_per_s->value;
  const Offload one = offloaded({32}, device, {.port = {}, .per_node = 32});
  const Offload four = offloaded({32}, device, {.port = {}, .per_node = 8});
  EXPECT_LT(*port_of(one.at[0], one, "sweep").parts.fast_memory_s, moved_s);
  EXPECT_LT(port_of(one.at[0], one, "sweep").parts.slow_memory_s, 0.1 * moved_s);
  const double slow_s = port_of(four.at[0], four, "sweep").parts.slow_memory_s.value();
  EXPECT_NEAR(slow_s / moved_s, 1, kClose);
  EXPECT_GE(*port_of(four.at[0], four, "sweep").device_s, 4 * moved_s);
}

/// With one kernel on each side, the points may move both ways in each call. The time contains
/// this, the fast end of its interval does not.
TEST(PlantedProgram, KernelsOnBothSidesMayShareTheirData) {
  const Offload o = offloaded({8}, planted_device(), one_rank_each());
  const OffloadAt& a = o.at[0];
  const double points = kPoints / 8;
  ASSERT_EQ(a.worth_it(), 2u);
  EXPECT_EQ(a.shared_s, 0) << "nothing is left to share with";
  for (const auto& [name, flops] : {std::pair("sweep", 2.0), std::pair("solve", 40.0)}) {
    const KernelPort& port = port_of(a, o, name);
    const double unshared =
        a.host.time_s - port.host.time_s + device_s(points, flops) + messages_s();
    EXPECT_NEAR(port.alone->time.time_s / (unshared + shared_s(points)), 1, kClose);
    EXPECT_NEAR(port.alone->time.low_s / unshared, 1, kClose);
    EXPECT_GE(port.alone->time.high_s, port.alone->time.time_s);
    EXPECT_TRUE(port.is_worth_it_unshared);
  }
  EXPECT_THAT(render_text(make_offload_report(o)), HasSubstr("Which kernels share data is not"));
  Device cpu = planted_device();
  cpu.kind = "cpu";
  cpu.loop_start_s.reset();
  cpu.in_double.peak_all = figure(1e9);  // only sweep() is worth it
  const Offload near = offloaded({8}, cpu, one_rank_each());
  ASSERT_EQ(near.at[0].worth_it(), 1u);
  EXPECT_EQ(near.at[0].shared_s, 0) << "a CPU reads the same memory";
}

/// solve() takes longer on this device. Yet it is ported if this costs less than the points that it
/// may share with sweep(). The report says on what this depends.
TEST(PlantedProgram, AKernelMayBePortedForTheDataThatItShares) {
  Device device = planted_device();
  device.in_double.peak_all = figure(40 * kPoints / 8 * kCalls / 0.55);
  const auto a = [&] { return offloaded({8}, device, one_rank_each()); };
  const Offload shared = a();
  const KernelPort& solve = port_of(shared.at[0], shared, "solve");
  ASSERT_GT(*solve.device_s, solve.host.time_s);
  EXPECT_TRUE(solve.is_worth_it);
  EXPECT_FALSE(solve.is_worth_it_unshared);
  EXPECT_THAT(render_text(make_offload_report(shared)),
              HasSubstr("The port of solve is worth it only if kernels share data"));
  device.to_device.bytes_per_s = device.from_device.bytes_per_s = figure(1e13);
  const Offload quick = a();
  EXPECT_FALSE(port_of(quick.at[0], quick, "solve").is_worth_it);
  EXPECT_GT(quick.at[0].shared_s, 0);
}

TEST(PlantedProgram, WhatPortsMustReachGivesTheWantedSpeedUp) {
  OffloadOptions options = one_rank_each();
  options.port.wanted_speedup = 2;
  const Offload o = offloaded({8}, planted_device(), options);
  const OffloadAt& a = o.at[0];
  double host_s = 0, equally_s = 0;
  for (const KernelPort& port : a.ports) {
    host_s += port.host.time_s;
    equally_s += *port.required->equally_s;
    EXPECT_NEAR(port.host.time_s / *port.required->equally_s, *a.equal_factor, 1e-9);
    const double with_others =
        a.ported.time.time_s - *port.device_s + *port.required->others_best_s;
    EXPECT_NEAR(with_others, a.host.time_s / 2, 1e-9);
  }
  EXPECT_NEAR(a.host.time_s - host_s + a.transfer_s + equally_s, a.host.time_s / 2, 1e-9);
  options.port.wanted_speedup = 1000;
  const Offload beyond = offloaded({8}, planted_device(), options);
  EXPECT_FALSE(beyond.at[0].equal_factor);
  EXPECT_FALSE(beyond.at[0].ports[0].required->others_best_s);
  EXPECT_LT(*beyond.at[0].most_speedup, 1000);
  EXPECT_THAT(render_text(make_offload_report(beyond)), HasSubstr("cannot become 1000 times"));
}

TEST(PlantedProgram, DataThatMoveAtEachCallCostMore) {
  OffloadOptions options = one_rank_each();
  const double resident = offloaded({8}, planted_device(), options).at[0].ported.time.time_s;
  options.port.data = DataPlace::kOnce;
  const double once = offloaded({8}, planted_device(), options).at[0].ported.time.time_s;
  options.port.data = DataPlace::kPerCall;
  const OffloadAt per_call = offloaded({8}, planted_device(), options).at[0];
  EXPECT_LT(resident, once);
  EXPECT_LT(once, per_call.ported.time.time_s);
  EXPECT_EQ(per_call.transfer_s, 0) << "the data are on the host when MPI needs them";
}

TEST(PlantedProgram, MessagesLargerThanAnyMeasuredTransferAreNoted) {
  const auto measured_up_to = [](double bytes) {
    Device d = planted_device();
    d.to_device.curve =
        Curve{.points = {{1, 1e10, 0}, {bytes, 1e10, 0}}, .pieces = {}, .origin = {}};
    return offloaded({8}, d, one_rank_each()).warnings;
  };
  const auto larger = HasSubstr("messages of MPI are larger than any transfer that was measured");
  EXPECT_THAT(measured_up_to(2 * kMessageBytes), ::testing::Not(Contains(larger)));
  EXPECT_THAT(measured_up_to(0.5 * kMessageBytes), Contains(larger));
}

TEST(PlantedProgram, TheSpreadOfTheCardWidensTheIntervals) {
  Device d = planted_device();
  for (MaybeFigure* figure : {&d.frequency_hz, &d.in_double.peak_all, &d.slow_bytes_per_s,
                              &d.launch_s, &d.to_device.bytes_per_s})
    (*figure)->spread = 0.4;
  const Offload exact = offloaded({32}, planted_device(), one_rank_each());
  const Offload measured = offloaded({32}, d, one_rank_each());
  const Offload fast = offloaded({32}, *fast_end(d), one_rank_each());
  const Offload slow = offloaded({32}, *slow_end(d), one_rank_each());
  const PortedProgram& p = measured.at[0].ported;
  EXPECT_EQ(p.time.time_s, exact.at[0].ported.time.time_s);
  EXPECT_LT(fast.at[0].ported.time.time_s, slow.at[0].ported.time.time_s);
  EXPECT_LE(p.time.low_s, fast.at[0].ported.time.time_s);
  EXPECT_GE(p.time.high_s, slow.at[0].ported.time.time_s);
  EXPECT_LE(p.speedup.low, slow.at[0].ported.speedup.value);
  EXPECT_GE(p.speedup.high, fast.at[0].ported.speedup.value);
  for (const KernelPort& port : measured.at[0].ports) {
    const std::string& name = measured.kernels[port.kernel].name;
    ASSERT_TRUE(port.device_range) << name;
    EXPECT_EQ(port.device_range->low_s, *port_of(fast.at[0], fast, name).device_s);
    EXPECT_EQ(port.device_range->high_s, *port_of(slow.at[0], slow, name).device_s);
    EXPECT_FALSE(port_of(exact.at[0], exact, name).device_range);
  }
  EXPECT_EQ(measured.gain_end.procs->procs, exact.gain_end.procs->procs);
  EXPECT_LE(measured.gain_end.procs->low, slow.gain_end.procs->procs);
  EXPECT_GE(measured.gain_end.procs->high.value_or(1e9), fast.gain_end.procs->procs);
  EXPECT_LT(slow.gain_end.procs->procs, fast.gain_end.procs->procs);
  EXPECT_THAT(render_text(make_offload_report(measured)),
              HasSubstr("the spread of the card's measurements"));
}

HostTimes host_at(const Predictor& predictor, int procs, int ranks_per_device) {
  HostTimes host{.times = predictor.kernel_times(at(procs)), .messages = {}};
  host.work_per_rank = host.times.drawn.work / procs;
  host.ranks_per_device = ranks_per_device;
  std::vector<std::string> unknown;
  host.messages = messages_of(model(), procs, host.times.drawn.work, &unknown);
  EXPECT_TRUE(unknown.empty());
  return host;
}

/// The test improves one figure at a time: if that never makes the program slower, several better
/// figures together do not either.
TEST(AnyCards, AFasterDeviceNeverGivesASlowerProgram) {
  const Portables portables = portables_of(experiment(), model());
  const Predictor predictor(model());
  for (const int procs : {4, 64, 1024}) {
    const HostTimes host = host_at(predictor, procs, 1 + procs % 3);
    for (unsigned seed = 0; seed < 24; ++seed) {
      AnyCard cards(planted_device(), seed);
      const Device slow = cards.slow();
      const PortOptions options{.data = static_cast<DataPlace>(seed % 3), .wanted_speedup = {}};
      const OffloadAt a = port_at(host, portables.kernels, slow, options);
      const auto best_a = best_speedups(host, portables.kernels, slow, options);
      EXPECT_LE(a.ported.time.time_s, a.host.time_s * (1 + 1e-9)) << "ports that lose are not made";
      for (int which = 0; const auto fast = cards.faster(slow, which); ++which) {
        SCOPED_TRACE(std::to_string(procs) + " processes, card " + std::to_string(seed) +
                     ", figure " + std::to_string(which));
        const OffloadAt b = port_at(host, portables.kernels, *fast, options);
        EXPECT_LE(b.ported.time.time_s, a.ported.time.time_s * (1 + 1e-9));
        const auto best_b = best_speedups(host, portables.kernels, *fast, options);
        for (std::size_t k = 0; k < kDraws; ++k) EXPECT_GE((*best_b)[k], (*best_a)[k] * (1 - 1e-9));
      }
    }
  }
}

TEST(AnyCards, WhatIsNotPortedKeepsItsTime) {
  const Portables portables = portables_of(experiment(), model());
  const Predictor predictor(model());
  for (const int procs : {4, 64, 1024}) {
    const HostTimes host = host_at(predictor, procs, 2);
    double kernels_s = 0;  // of the two kernels that have an analysis
    for (const PortableKernel& kernel : portables.kernels)
      for (const auto& [index, share] : kernel.shares_of)
        kernels_s += share * host.times.kernels_s[index];
    const double rest_s = host.times.whole.time_s - kernels_s;
    for (unsigned seed = 100; seed < 160; ++seed) {
      const Device card = AnyCard(planted_device(), seed).slow();
      const OffloadAt a = port_at(host, portables.kernels, card, {});
      const double bytes = 8 * kPoints / procs;
      const double shared_s =
          2 * kCalls * (*card.to_device.seconds(bytes) + *card.from_device.seconds(bytes));
      EXPECT_NEAR(a.shared_s, a.worth_it() == 1 ? shared_s : 0, 1e-6 * shared_s);
      double ported_s = a.worth_it() > 0 ? a.transfer_s + a.shared_s : 0, saved_s = -ported_s;
      for (const KernelPort& port : a.ports) {
        ported_s += port.is_worth_it ? *port.device_s : port.host.time_s;
        if (port.is_worth_it) saved_s += port.host.time_s - *port.device_s;
      }
      EXPECT_NEAR(a.ported.time.time_s, rest_s + ported_s, 1e-9 * a.host.time_s);
      EXPECT_NEAR(a.host.time_s - a.ported.time.time_s, saved_s, 1e-9 * a.host.time_s);
      // No choice of kernels is better.
      for (const bool first : {false, true})
        for (const bool second : {false, true}) {
          double other_s = rest_s + (first || second ? a.transfer_s : 0);
          other_s += first != second ? shared_s : 0;
          other_s += first ? *a.ports[0].device_s : a.ports[0].host.time_s;
          other_s += second ? *a.ports[1].device_s : a.ports[1].host.time_s;
          EXPECT_LE(a.ported.time.time_s, other_s * (1 + 1e-9));
        }
    }
  }
}

TEST(OffloadReports, NameTheProblemSizes) {
  Offload o = offloaded({8, 64}, planted_device(), one_rank_each());
  EXPECT_EQ(o.at[1].params.at("n"), kPoints);
  const std::string text = render_text(make_offload_report(o));
  EXPECT_THAT(text, ::testing::ContainsRegex("problem +n = 4194304"));
  EXPECT_THAT(text, ::testing::Not(::testing::ContainsRegex("processes +n ")));
  o.at[0].params["n"] = 100;
  EXPECT_THAT(render_text(make_offload_report(o)), ::testing::ContainsRegex(" 8 +100 "));
}

TEST(OffloadReports, SayWhatIsExtrapolatedAndByHowMuch) {
  const Offload o = offloaded({8, 64}, planted_device(), one_rank_each());
  EXPECT_EQ(o.at[0].ports[0].extrapolation, 1);
  EXPECT_NEAR(o.at[1].ports[0].extrapolation, 8, 1e-9);
  const std::string text = render_text(make_offload_report(o));
  EXPECT_THAT(text, HasSubstr("extrapolated to 8 times less"));
  EXPECT_THAT(text, HasSubstr("The gain is gone from about"));
  EXPECT_GT(o.gain_end.extrapolation, 1);
  EXPECT_THAT(text, HasSubstr(", extrapolated to 207"));
  EXPECT_THAT(text, HasSubstr("serial stays on the host"));
  const Json json = to_json(o);
  EXPECT_EQ(json["format"], "apmt-offload");
  EXPECT_EQ(json["at"][1]["kernels"][0]["name"], "sweep");
  EXPECT_EQ(json["at"][0]["kernels"][0]["required"], nullptr);
  EXPECT_EQ(json["gain_end"]["procs"], o.gain_end.procs->procs);
}

}  // namespace
}  // namespace apmt::devices
