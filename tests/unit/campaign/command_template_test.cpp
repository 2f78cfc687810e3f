#include "campaign/launching/command_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;

const CampaignPoint kPoint{8, {{"n", {"1e3", 1000}}, {"mesh_size", {"5", 5}}}};

TEST(CommandTemplate, FillsEveryPlaceWithWhatWasTyped) {
  const CommandTemplate command({"mpirun", "-np", "{p}", "./lu.{n}.{p}", "-m{mesh_size}"});
  EXPECT_THAT(command.filled(kPoint), ElementsAre("mpirun", "-np", "8", "./lu.1e3.8", "-m5"));
}

TEST(CommandTemplate, LeavesOtherBracesAlone) {
  const CommandTemplate command(
      {"awk", "{ print $1 }", "${HOME}", "{{n}}", "{}", "{", "{p", "a{1}"});
  EXPECT_THAT(command.filled(kPoint),
              ElementsAre("awk", "{ print $1 }", "${HOME}", "{n}", "{}", "{", "{p", "a{1}"));
}

TEST(CommandTemplate, RefusesAPlaceWithoutValue) {
  EXPECT_THROW(CommandTemplate({"./app", "{size}"}).filled(kPoint), InputError);
}

TEST(CommandTemplate, KnowsWhichPlacesItHas) {
  EXPECT_TRUE(CommandTemplate({"mpirun", "-np{p}"}).uses("p"));
  EXPECT_FALSE(CommandTemplate({"mpirun", "{n}", "${p}", "{{p}}"}).uses("p"));
}

TEST(CommandTemplate, NamesWithoutPlaces) {
  EXPECT_EQ(CommandTemplate::without_places("./lu.W.{p}"), "./lu.W");
  EXPECT_EQ(CommandTemplate::without_places("app-{n}_{p}"), "app");
  EXPECT_EQ(CommandTemplate::without_places("halo2d"), "halo2d");
}

TEST(CampaignPoint, SaysItsSizesAsTyped) {
  EXPECT_EQ(kPoint.words(), "8 processes, mesh_size = 5, n = 1e3");
  EXPECT_EQ((CampaignPoint{1, {}}.words()), "1 process");
  EXPECT_EQ(kPoint.params().at("n"), 1000);
}

}  // namespace
}  // namespace apmt
