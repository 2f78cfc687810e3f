// Advice is given where the figures support it, and only there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> advice(const Model& model, const Prediction& target) {
  const OptionalSection section = guidance_section(model, target);
  return section ? section->sentences : std::vector<std::string>();
}

CountModel* operation(Model* model, const std::string& op) {
  for (CountModel& count : model->counts)
    if (count.op == op) return &count;
  return nullptr;
}

class Guidance : public ::testing::Test {
 protected:
  Model model_ = example::model(64);
  Prediction target_ = example::predict_at(model_, 256);  // messages take 58 % of it
};

TEST_F(Guidance, MessagesOfMuchLatencyAreToBeJoined) {
  CountModel* sends = operation(&model_, "MPI_Isend");
  ASSERT_NE(sends, nullptr);
  for (std::size_t i = 0; i < sends->bytes_points.size(); ++i)
    sends->bytes_points[i].value = 8 * sends->calls_points[i].value;
  target_.p2p_latency = 0.9;
  EXPECT_THAT(
      advice(model_, target_),
      Contains(HasSubstr("6384 MPI_Isend calls of 8 B on average with 8 processes. Of that, "
                         "latency is 90 %: combine several messages into one.")));
}

TEST_F(Guidance, MessagesOfMuchBandwidthAreToShrink) {
  target_.p2p_latency = 0.2;
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("Of that, bandwidth is 80 %: send less data")));
}

TEST_F(Guidance, BothAreNamedWhereNeitherDecides) {
  target_.p2p_latency = 0.4;
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("latency is 40 % and bandwidth the rest: combine several")));
}

TEST_F(Guidance, WhereCountsDoNotTellTheAdviceIsToMeasure) {
  target_.p2p_latency.reset();
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("do not tell latency")));
}

TEST_F(Guidance, AKernelThatWaitsIsNamedWithWhereThatBegins) {
  PredictedKernel& kernel = target_.kernels.front();
  kernel.bound = kBoundByWaiting;
  kernel.bound_probability = 0.9;
  kernel.wait =
      TimeEstimate{0.5 * target_.time.time_s, 0.4 * target_.time.time_s, target_.time.time_s};
  kernel.bound_changes = ProcsEstimate{500, 400, 600};
  kernel.bound_becomes = kBoundByNetwork;
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("is bound by waiting for other processes (90 %)")));
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("From about 500 processes (400 to 600, 80 %), it is bound by the "
                                 "network.")));
}

TEST_F(Guidance, AKernelsMessagesAreNamedByTheirPart) {
  PredictedKernel& kernel = target_.kernels.front();
  kernel.bound = kBoundByNetwork;
  kernel.transfer = target_.time;
  kernel.transfer_part = "comm_coll";
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("mostly time in collectives.")));
}

TEST_F(Guidance, WhoMakesOthersWaitIsNamed) {
  model_.points.back().load_balance = 0.5;
  model_.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.2};
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("It is process 3, with 250 ms more than the mean, 200 ms of it in "
                                 "sweep.")));
}

TEST_F(Guidance, NothingIsSaidOfASmallOrUncertainPart) {
  target_.parts.comm_p2p->low_s = 0.01 * target_.time.time_s;
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages cost"))));
  target_.parts.comm_p2p = TimeEstimate{0.01, 0.01, 0.01};
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages cost"))));
  target_.parts.comm_p2p.reset();
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages cost"))));
}

TEST_F(Guidance, UnevenWorkIsMeasuredNotSupposed) {
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Load imbalance"))));
  model_.points.back().load_balance = 0.5;
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("the busiest computes 2.00 times the mean")));
}

TEST_F(Guidance, AFunctionThatDoesNotGetFasterIsNamed) {
  for (PredictedKernel& kernel : target_.kernels)
    if (kernel.role == KernelRole::kNonScalable) kernel.time = {1.0, 0.9, 1.1};
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("exchange_pack does not get faster")));
}

TEST_F(Guidance, NothingIsAdvisedBeyondWhatCanBeSaid) {
  target_.worthless = true;
  EXPECT_FALSE(guidance_section(model_, target_));
}

}  // namespace
}  // namespace apmt
