// Tests with six kinds of synthetic programs whose predictions were once wrong
// (failing_programs.h). The model is fitted to three runs on each of 2, 4 and 8 processes, with 1 %
// of noise, and predicts the time on 128 processes.
#include <gtest/gtest.h>

#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/failing_programs.h"

namespace apmt {
namespace {

constexpr int kAsked = 128;

class KnownFailures : public testing::TestWithParam<std::size_t> {};

/// The prediction far beyond the profiled counts must be within 10 % of the truth.
TEST_P(KnownFailures, ArePredicted) {
  const synthetic::FailingProgram program = synthetic::failing_programs()[GetParam()];
  synthetic::Noise noise(7);
  const Model model =
      fit(make_experiment(synthetic::runs_of(program, {2, 4, 8}, noise)), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = kAsked, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.time_s / program.true_s(kAsked), 1, 0.1)
      << program.name << ": computation " << p.parts.comp->time_s << ", messages "
      << p.parts.comm_p2p->time_s << ", collectives " << p.parts.comm_coll->time_s << ", waiting "
      << p.parts.comm_wait->time_s << ", start " << p.parts.start->time_s << ", end "
      << p.parts.end->time_s;
}

INSTANTIATE_TEST_SUITE_P(Programs, KnownFailures,
                         testing::Range(std::size_t{0}, synthetic::failing_programs().size()));

/// If one process writes the results while the others wait in MPI_Finalize, the end takes longer,
/// and the start does not.
TEST(KnownFailures, WhatOneRankDoesAloneBelongsToTheEndAndNotToTheStart) {
  const synthetic::FailingProgram program =
      synthetic::failing::lone_worker("one rank writes", synthetic::failing::Others::kHaveEnded);
  synthetic::Noise noise(7);
  const Model model =
      fit(make_experiment(synthetic::runs_of(program, {2, 4, 8}, noise)), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = kAsked, .params = {}, .scaling = {}});
  const double without_writing_s =
      synthetic::failing::kStart_s / 2;  // of the start, and of the end
  const double others = 1 - 1.0 / kAsked;
  EXPECT_NEAR(p.parts.start->time_s / without_writing_s, 1, 0.1);
  EXPECT_NEAR(p.parts.end->time_s / (without_writing_s + synthetic::failing::kAlone_s * others), 1,
              0.1);
}

/// Partners that take turns at being late do not wait for computation: nearly all of the time in
/// their calls is the cost of messages.
TEST(KnownFailures, OfPartnersThatAreLateInTurnIsTheCostOfMessages) {
  constexpr double kCalls = 2000, kMessage_s = 30e-6;
  const synthetic::FailingProgram program = synthetic::failing::late_in_turn(kCalls, kMessage_s);
  synthetic::Noise noise(7);
  const Model model =
      fit(make_experiment(synthetic::runs_of(program, {2, 4, 8}, noise)), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = kAsked, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.time_s / program.true_s(kAsked), 1, 0.1);
  EXPECT_NEAR(p.parts.comm_p2p->time_s / (kCalls * kMessage_s), 1, 0.1);
  EXPECT_LT(p.parts.comm_wait->time_s, 0.1 * kCalls * kMessage_s);
}

}  // namespace
}  // namespace apmt
