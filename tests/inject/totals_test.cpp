// If the kernel does not deliver some counter overflows, the samples cover only a share of the
// counts. Tests that the profile states this share. The processor is simulated and has planted
// counts (processor/planted_papi.cpp).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "command.h"
#include "diaries.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Totals : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
    if (!fs::exists(APMT_PLANTED "/bin/apmt"))
      GTEST_SKIP() << APMT_PLANTED "/bin/apmt is not built";
    const fs::path policy = folder_.path() / "machine/sys/devices/system/cpu/cpufreq/policy0";
    fs::create_directories(policy);
    write_file_atomically(policy / "scaling_max_freq", "2400000\n");
  }
  /// Records two ranks that execute 300 million instructions; every event has a period of 24,000.
  Output record(const std::string& settings) const {
    return folder_.run("export PATH=" APMT_PLANTED
                       "/bin:\"$PATH\" PLANTED_MACHINE=\"$PWD/machine\" APMT_INTERVAL_NS=10000; " +
                       settings + " apmt record -d experiment " + openmpi().run +
                       " 2 " APMT_PROGRAMS "/openmpi/two_kernels");
  }
  Json total_of(const std::string& event) const {
    const Json profile = folder_.json("apmt info --json experiment/apmt-two_kernels.p2.r1");
    for (const Json& total : profile.at("sampling").at("totals"))
      if (total.at("event") == event) return total;
    return {{"counted", 0}, {"sampled_share", 0}};
  }

  const Folder folder_;
};

TEST_F(Totals, AreWhatWasCountedAndWhatSamplesMissIsReported) {
  const Output recorded = record("PLANTED_OVERFLOWS=30");
  ASSERT_EQ(recorded.exit_code, 0);
  const Json total = total_of("PAPI_TOT_INS");
  EXPECT_NEAR(total.at("counted").get<double>(), 300e6, 1);
  EXPECT_NEAR(total.at("sampled_share").get<double>(), 1.0 / 30, 0.001);
  EXPECT_THAT(recorded.err,
              HasSubstr("samples account for 3 % of PAPI_TOT_INS: lower the rate (--interval)"));
  EXPECT_THAT(folder_.run("apmt info experiment/apmt-two_kernels.p2.r1").out,
              HasSubstr("samples account for 3 % of PAPI_TOT_INS"));
}

/// There are seven events besides cycles. Cycles and three other events can be counted at once, so
/// there are three event sets. Neighbouring ranks count different sets, and in the next repetition
/// each rank counts the next set.
TEST_F(Totals, ARankCountsAnotherSetInTheNextRepetition) {
  const std::string settings = "LIBPFM_FORCE_PMU=skx PLANTED_COUNTERS=4";
  for (const int repetition : {1, 2}) ASSERT_EQ(record(settings).exit_code, 0) << repetition;
  const auto sets_of = [&](const std::string& run) {
    std::vector<std::string> sets(2);
    for (const auto& [pid, raw] : recordings_below(folder_.path() / "experiment" / run))
      sets.at(static_cast<std::size_t>(raw.header.world_rank)) = raw.first("event_set");
    return sets;
  };
  EXPECT_THAT(sets_of("apmt-two_kernels.p2.r1"), ElementsAre("0 of 3", "1 of 3"));
  EXPECT_THAT(sets_of("apmt-two_kernels.p2.r2"), ElementsAre("1 of 3", "2 of 3"));
}

TEST_F(Totals, AreNoNewsWhenAllArrives) {
  EXPECT_THAT(record("").err, Not(HasSubstr("account for")));
  EXPECT_GT(total_of("PAPI_TOT_INS").at("sampled_share").get<double>(), 0.99);
}

}  // namespace
}  // namespace apmt::testing
