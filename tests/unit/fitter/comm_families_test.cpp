// Tests of the families of a part whose counts may follow several laws.
#include "fitter/communication/comm_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace apmt {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pair;

Hypothesis power(double coefficient, double exponent, double weight) {
  return {.terms = {{.coefficient = coefficient, .p_exponent = exponent}}, .weight = weight};
}

/// The names and priors of the families if the number of messages follows one of these laws, the
/// likeliest first.
std::vector<std::pair<std::string, double>> families_of(std::vector<Hypothesis> calls) {
  const CountModel sends{
      .op = "MPI_Send",
      .op_class = "p2p",
      .calls_points = {{.procs = 4, .value = 16}, {.procs = 16, .value = 64}},
      .bytes_points = {},
      .calls = {.hypotheses = std::move(calls)},
      .bytes = {.hypotheses = {Hypothesis{}}},
  };
  std::vector<std::pair<std::string, double>> priors;
  for (const CountFamily& f : families_for("p2p", {&sends}, {.light = {}, .ahead = 256}))
    priors.emplace_back(f.name, f.prior);
  return priors;
}

TEST(CommFamilies, AlternativesHaveWhatTheLikeliestLawLeaves) {
  EXPECT_THAT(families_of({power(4, 1, 1)}), ElementsAre(Pair("hockney", DoubleEq(1))));
  EXPECT_THAT(families_of({power(4, 1, 0.75), power(1, 1.5, 0.25)}),
              ElementsAre(Pair("hockney", DoubleEq(0.75)), Pair("hockney, more", DoubleEq(0.25))));
  EXPECT_THAT(families_of({power(4, 1, 0.5), power(1, 1.5, 0.3), power(8, 0.5, 0.2)}),
              ElementsAre(Pair("hockney", DoubleEq(0.5)), Pair("hockney, fewer", DoubleEq(0.25)),
                          Pair("hockney, more", DoubleEq(0.25))));
}

TEST(CommFamilies, TheLikeliestLawKeepsHalf) {
  EXPECT_THAT(families_of({power(4, 1, 0.2), power(1, 1.5, 0.8)}),
              ElementsAre(Pair("hockney", DoubleEq(0.5)), Pair("hockney, more", DoubleEq(0.5))));
}

TEST(CommFamilies, LawsThatAgreeAheadAreOne) {
  EXPECT_THAT(families_of({power(4, 1, 0.75), power(4.01, 1, 0.25)}),
              ElementsAre(Pair("hockney", DoubleEq(1))));
}

}  // namespace
}  // namespace apmt
