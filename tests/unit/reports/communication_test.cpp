// Tests of the sentences on unit costs of communication, and on the causes of waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> sentences_with(double posterior) {
  Model model = example::model(64);
  for (CommModel& comm : model.comm) {
    if (!comm.law) continue;
    comm.law->families = {{.name = "hockney",
                           .prior = 1,
                           .posterior = posterior,
                           .features = {{.name = "alpha",
                                         .unit = "s/message",
                                         .of = "MPI_Isend",
                                         .counts = {},
                                         .cost = 2e-6}}}};
  }
  const OptionalSection section = communication_section(model, nullptr);
  return section ? section->sentences : std::vector<std::string>();
}

TEST(UnitCosts, AreShownIfTheyAreLikely) {
  EXPECT_THAT(sentences_with(0.9), Contains(HasSubstr("(hockney, probability 90 %): 2.00 us per "
                                                      "message (MPI_Isend).")));
  EXPECT_THAT(sentences_with(0.11), Each(Not(HasSubstr("unit costs"))));
}

/// The sentence on waiting in the report on a model. `posterior` is the probability of uneven
/// shares of the problem; `other` and `third` are the probabilities of two families of laws with
/// random shares. `excess` and `delays_s` are the coefficients in every family. `chain`: the
/// probability of a family with a chain of processes in place of random delays.
std::string of_waiting(double posterior, double other, double excess, double delays_s,
                       double third = 0, double chain = 0) {
  Model model = example::model(64);
  TimeLaw law;
  law.kind = TimeLaw::Kind::kRecipe;
  law.points = {{.procs = 4, .value = 1}, {.procs = 8, .value = 1}};
  for (const auto& [name, share] : {std::pair("uneven shares of the problem", posterior),
                                    {"random shares of the problem", other},
                                    {"random shares of the problem", third}}) {
    CountFamily family;
    family.name = name;
    family.posterior = share;
    Feature longest, delays;
    longest.unit = "s/s";
    longest.of = "what the busiest process computes beyond the mean";
    longest.cost = excess;
    longest.seen = {0.5, 0.5};
    delays.unit = "s";
    delays.of = "random delays";
    delays.cost = delays_s;
    delays.seen = {1, 1};
    family.features = {longest, delays};
    law.families.push_back(family);
  }
  if (chain > 0) {
    law.families.push_back(law.families.front());
    law.families.back().features[1].of = "waiting along a chain of processes";
    law.families.back().posterior = chain;
  }
  CommModel waiting;
  waiting.part = "wait";
  waiting.law = law;
  model.comm.push_back(waiting);
  const OptionalSection section = communication_section(model, nullptr);
  for (const std::string& sentence : section->sentences)
    if (sentence.find("Waiting is") == 0) return sentence;
  return {};
}

TEST(CausesOfWaiting, AreShownIfTheyAreLikely) {
  EXPECT_EQ(of_waiting(0.6, 0.2, 1.1, 0.45),
            "Waiting is explained by 1.1 times what the busiest process computes beyond the mean "
            "and 450 ms of random delays (probability 80 %). The busiest process most likely has "
            "more to do because of uneven shares of the problem (75 %).");
  EXPECT_EQ(of_waiting(0.4, 0.09, 1.1, 0.45), "");
}

TEST(CausesOfWaiting, ReasonsThatDoNotMatterOrAreUnlikelyAreLeftOut) {
  EXPECT_EQ(of_waiting(0.6, 0.2, 0.01, 1),
            "Waiting is explained by 1.00 s of random delays (probability 80 %).");
  EXPECT_THAT(of_waiting(0.4, 0.4, 1, 0.5), HasSubstr("random delays (probability 80 %)."));
  EXPECT_THAT(of_waiting(0.38, 0.39, 1, 0.5), HasSubstr("random shares"));
  EXPECT_THAT(of_waiting(0.4, 0.3, 2, 0),
              AllOf(HasSubstr("by 2.0 times what"), Not(HasSubstr("random delays"))));
}

/// The likeliest single family need not belong to the likeliest explanation.
TEST(CausesOfWaiting, RandomDelaysAndAChainAreDifferentExplanations) {
  EXPECT_THAT(of_waiting(0.3, 0.3, 0.01, 1, 0, 0.35),
              HasSubstr("by 1.00 s of random delays (probability 60 %)"));
  EXPECT_THAT(of_waiting(0.1, 0.1, 0.01, 1, 0, 0.7),
              HasSubstr("by 1.00 s of waiting along a chain of processes (probability 70 %)"));
  EXPECT_EQ(of_waiting(0.2, 0.2, 0.01, 1, 0, 0.45), "");
}

TEST(CausesOfWaiting, TheReasonIsTheLikeliestOfAllFamiliesTogether) {
  EXPECT_THAT(of_waiting(0.3, 0.24, 1, 0.5, 0.24),
              HasSubstr("because of random shares of the problem (62 %)."));
}

}  // namespace
}  // namespace apmt
