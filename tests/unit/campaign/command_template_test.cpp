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
  const CommandTemplate command({"awk", "{ print $1 }", "${HOME}", "{{n}}", "{}", "{", "{q", "a{1}",
                                 "{a/2}", "{p: 1}", "${p*2}", "{1..4}", "{{p*2}}"});
  EXPECT_THAT(command.filled(kPoint),
              ElementsAre("awk", "{ print $1 }", "${HOME}", "{n}", "{}", "{", "{q", "a{1}", "{a/2}",
                          "{p: 1}", "${p*2}", "{1..4}", "{p*2}"));
}

/// What was meant as a place must not reach the program as it is.
TEST(CommandTemplate, RefusesArithmeticThatItCannotDo) {
  for (const char* word : {"{4/p}", "{p*2}", "{p-1}", "-n{2p}", "{ p }", "{p//2}", "{p/-1}", "{p/}",
                           "{P/2}", "{px*py}", "{n/2}", "{px", "{p", "{p}.{n"})
    EXPECT_THROW(CommandTemplate({"./app", word}).filled(kPoint), InputError) << word;
}

TEST(CommandTemplate, RefusesAPlaceWithoutValue) {
  EXPECT_THROW(CommandTemplate({"./app", "{size}"}).filled(kPoint), InputError);
}

TEST(CommandTemplate, LaysAGridOverTheProcesses) {
  const auto filled = [](int procs, std::vector<std::string> words) {
    return CommandTemplate(std::move(words)).filled({procs, {}});
  };
  EXPECT_THAT(filled(12, {"{px}", "{py}"}), ElementsAre("4", "3"));
  EXPECT_THAT(filled(12, {"-g{px}x{py}x{pz}"}), ElementsAre("-g3x2x2"));
  EXPECT_THAT(filled(7, {"{px}", "{py}"}), ElementsAre("7", "1"));
  // If the user has a size named px, it has priority over the grid.
  EXPECT_THAT(CommandTemplate({"{px}"}).filled({8, {{"px", {"5", 5}}}}), ElementsAre("5"));
  EXPECT_THROW(filled(12, {"{xp}"}), InputError);
}

TEST(CommandTemplate, TakesAPartOfTheProcesses) {
  EXPECT_THAT(CommandTemplate({"{p/4}", "a/{p}/b", "{{p/2}}"}).filled({16, {}}),
              ElementsAre("4", "a/16/b", "{p/2}"));
  EXPECT_THROW(CommandTemplate({"{p/4}"}).filled({6, {}}), InputError);
  EXPECT_THROW(CommandTemplate({"{p/0}"}).filled({6, {}}), InputError);
}

TEST(CommandTemplate, KnowsWhichPlacesItHas) {
  EXPECT_TRUE(CommandTemplate({"mpirun", "-np{p}"}).uses("p"));
  EXPECT_FALSE(CommandTemplate({"mpirun", "{n}", "${p}", "{{p}}"}).uses("p"));
  EXPECT_TRUE(CommandTemplate({"srun", "-N{p/64}"}).uses_procs());
  EXPECT_TRUE(CommandTemplate({"mpirun", "-np", "{p}"}).uses_procs());
  EXPECT_FALSE(CommandTemplate({"mpirun", "{px}", "${p/2}", "{{p/2}}"}).uses_procs());
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
