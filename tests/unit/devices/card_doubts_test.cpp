// Tests of the reasons to doubt a card.
#include "devices/card_doubts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using ::testing::ElementsAre;
using testing::figure;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::made_device;
using ::testing::SizeIs;

TEST(CardDoubts, ACardWithoutContradictionsHasNone) {
  EXPECT_THAT(doubts_of(made_device()), IsEmpty());
  for (const char* name : {"gtx1080", "h100-sxm", "epyc-9654", "k40c", "knl"})
    EXPECT_THAT(
        doubts_of(read_device(source_dir() + "/configs/devices/" + std::string(name) + ".yaml")),
        IsEmpty())
        << name;
}

TEST(CardDoubts, SpreadsAboveTheWantedOneAreCounted) {
  Device d = made_device();
  d.launch_s->spread = 1.5;
  d.slow_latency_s->spread = 0.07;
  d.fast_bytes_per_s->spread = kWantedSpread;
  d.idioms["stream"].points = {{1024, 1e9, 0.2}, {2048, 1e9, 0.05}};
  EXPECT_THAT(
      doubts_of(d),
      ElementsAre(
          "the spread of 3 of 5 measured figures stayed above 3 % (of idioms: "
          "5 %) until their time was over, most of all launch_s (150 %), stream at 1.02 kB (20 %), "
          "slow_latency_s (7 %)"));
  EXPECT_THAT(to_yaml(d), HasSubstr("\n# Warning: the spread of 3 of 5 measured figures"));
}

TEST(CardDoubts, NoRateIsAboveThePeak) {
  Device d = made_device();
  d.in_single.peak_all = figure(290e9);
  d.in_single.vector_core = figure(165e9);
  d.in_single.peak_core = figure(145e9);
  EXPECT_THAT(contradictions_of(d),
              ElementsAre("single, one core: the rate 'vector' (165 GFLOP/s) is above the rate "
                          "'peak' (145 GFLOP/s)"));
  d.in_single.peak_core = figure(160e9);
  EXPECT_THAT(contradictions_of(d), IsEmpty()) << "so little may be noise";
}

TEST(CardDoubts, DoubleIsNotFasterThanSingle) {
  Device d = made_device();
  d.in_double.peak_all = figure(2000);
  EXPECT_THAT(contradictions_of(d), ElementsAre(HasSubstr("the rate 'double' (2 kFLOP/s) is above "
                                                          "the rate 'single' (1 kFLOP/s)")));
}

TEST(CardDoubts, SeveralCoresAreFasterThanOne) {
  Device d = made_device();
  d.in_double.peak_core = d.in_single.peak_core = figure(950);
  d.in_single.peak_all = figure(1900);
  EXPECT_THAT(contradictions_of(d),
              ElementsAre(HasSubstr("hardly faster than one of them (double peak): other")));
  d.cores = figure(1);
  EXPECT_THAT(contradictions_of(d), IsEmpty());
}

TEST(CardDoubts, FartherLevelsAreSlower) {
  Device d = made_device();
  d.levels = {{"L1", figure(1e3), figure(2e-9), figure(1e9)},
              {"L2", figure(1e4), figure(1e-9), figure(2e9)},
              {"memory", {}, figure(1e-7), figure(1e8)}};
  EXPECT_THAT(contradictions_of(d), ElementsAre("the latency of L1 is above that of L2",
                                                "the bandwidth of L2 is above that of L1"));
}

TEST(CardDoubts, StreamsBeyondTheFastMemoryAreSlow) {
  const Device shipped = read_device(source_dir() + "/configs/devices/this-machine-cpu.yaml");
  ASSERT_THAT(contradictions_of(shipped), SizeIs(1));
  EXPECT_THAT(contradictions_of(shipped)[0],
              HasSubstr("streams of 33.6 MB reach 227 GB/s, but the slow memory only 55.3 GB/s, "
                        "and the fast memory holds 5.81 MB"));
}

}  // namespace
}  // namespace apmt::devices
