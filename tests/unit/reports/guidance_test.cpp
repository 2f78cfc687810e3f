// Tests that advice is given where the figures support it, and only there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::AllOf;
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
  Prediction target_ = example::predict_at(model_, 256);  // messages take 58 % of the time
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

TEST_F(Guidance, TheKindOfMessagesThatTakesMostIsNamed) {
  CountModel exchange = *operation(&model_, "MPI_Isend");
  exchange.op = kExchange;
  for (FitPoint& calls : exchange.calls_points) calls.value /= 2;
  model_.counts.push_back(exchange);
  model_.comm.front().group = kNonBlocking;
  model_.comm.push_back(model_.comm.front());
  model_.comm.back().group = kExchange;
  model_.comm.back().ops = {kExchange};
  const double all_s = target_.parts.comm_p2p->time_s;
  target_.messages = {{kNonBlocking, example::around(0.2 * all_s, 0.01), 0.9},
                      {kExchange, example::around(0.8 * all_s, 0.01), 0.1}};
  EXPECT_THAT(advice(model_, target_),
              Contains(AllOf(HasSubstr(format_seconds(0.8 * all_s, 2) +
                                       " of it in MPI_Sendrecv: 3192 MPI_Sendrecv calls of "),
                             HasSubstr("bandwidth is 90 %"))));
  std::swap(target_.messages.front().time, target_.messages.back().time);
  EXPECT_THAT(advice(model_, target_),
              Contains(AllOf(HasSubstr(" of it in non-blocking messages: 6384 MPI_Isend calls of "),
                             HasSubstr("latency is 90 %"))));
}

TEST_F(Guidance, BothAreNamedWhereNeitherDecides) {
  target_.p2p_latency = 0.4;
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("latency is 40 % and bandwidth the rest: combine several")));
}

TEST_F(Guidance, WhereCountsDoNotTellTheAdviceIsToMeasure) {
  target_.p2p_latency.reset();
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("do not separate latency")));
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
              Contains(HasSubstr("is bound by waiting for other processes (90 % likely)")));
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("From about 500 processes (400 to 600, 80 %), it is bound by the "
                                 "network.")));
}

TEST_F(Guidance, AnUnknownProbabilityIsNotGiven) {
  PredictedKernel& kernel = target_.kernels.front();
  kernel.bound = kBoundByMemory;
  kernel.bound_probability.reset();
  kernel.mem = target_.time;
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("is bound by waiting for memory, ")));
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

TEST_F(Guidance, TimeOffTheCpuHasItsCausesAndRemedies) {
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Time off the CPU costs"))));
  target_.parts.off_cpu = target_.time;
  EXPECT_THAT(advice(model_, target_),
              Contains(AllOf(HasSubstr("Time off the CPU costs"), HasSubstr("waited for files"),
                             HasSubstr("Profile on an idle machine"))));
}

TEST_F(Guidance, InAPipelineEachWaitsForItsNeighbour) {
  target_.parts.comm_wait = target_.time;
  PredictedKernel& kernel = target_.kernels.front();
  kernel.bound = kBoundByWaiting;
  kernel.wait = target_.time;
  ModelPoint& point = model_.points.back();
  point.load_balance = 0.98;
  point.wait_chain = 0.9;
  EXPECT_THAT(advice(model_, target_),
              AllOf(Contains(HasSubstr("each waits for its neighbour, as in a pipeline or "
                                       "wavefront: while it fills and drains, most processes "
                                       "wait. Pass on smaller blocks")),
                    Contains(HasSubstr("is bound by waiting for other processes")),
                    Each(Not(HasSubstr("ynchronise less")))));
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("a different one is late each time"))));
  point.wait_chain = 0.3;
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("pipeline"))));
}

TEST_F(Guidance, AnUnevenPipelineIsFirstToBeDividedEvenly) {
  target_.parts.comm_wait = target_.time;
  ModelPoint& point = model_.points.back();
  point.load_balance = 0.5;
  point.wait_chain = 0.9;
  point.slowest = SlowestRank{3, 0.25, "sweep", 0.2};
  EXPECT_THAT(advice(model_, target_), AllOf(Contains(HasSubstr("Divide the work more evenly")),
                                             Each(Not(HasSubstr("pipeline")))));
}

TEST_F(Guidance, AProcessIsNamedWithoutAKernelIfNoneIsKnown) {
  model_.points.back().load_balance = 0.5;
  model_.points.back().slowest = SlowestRank{3, 0.25, "", 0};
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("It is process 3, with 250 ms more than the mean.")));
  model_.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.3};
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("with 250 ms more than the mean, all of it in sweep.")));
}

TEST_F(Guidance, TheCallInWhichRanksWaitIsNamed) {
  target_.parts.comm_wait = example::around(1.0, 0.1);
  model_.points.back().longest_wait = LongestWait{"MPI_Allreduce", "main", 0.5, 0.6};
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("60 % of the waiting is in MPI_Allreduce, called by main.")));
  model_.points.back().longest_wait->share = 0.05;
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("MPI_Allreduce, called by"))));
}

TEST_F(Guidance, TheCostliestOtherCallIsNamed) {
  target_.parts.comm_other = example::around(1.0, 0.1);
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Other MPI calls")))) << "not known";
  model_.points.back().costliest_other_call = CostliestCall{"MPI_Comm_split", "init", 0.1, 0.9};
  EXPECT_THAT(advice(model_, target_),
              Contains(AllOf(HasSubstr("Other MPI calls cost 1.0 s"),
                             HasSubstr("90 % of it was in MPI_Comm_split, called by init. Make "
                                       "communicators once, before the loop"))));
  EXPECT_EQ(part_with_operations(model_, "other"), "other MPI calls (MPI_Comm_split)");
  target_.parts.comm_other->time_s = 1e-6;
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Other MPI calls")))) << "little time";
}

TEST_F(Guidance, WaitingThatImbalanceDoesNotExplainIsNotBlamedOnIt) {
  target_.parts.comm_wait = example::around(1.0, 0.1);
  ModelPoint& point = model_.points.back();
  point.load_balance = 0.8;  // an even distribution would save 0.25 of the computation
  point.parts.comm_wait_s = Measured{point.parts.comp_s->value};
  EXPECT_THAT(advice(model_, target_), Contains(AllOf(HasSubstr("Load imbalance explains only"),
                                                      HasSubstr("Synchronise less often"))));
  point.parts.comm_wait_s = Measured{0.3 * point.parts.comp_s->value};
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("Divide the work more evenly")));
}

TEST_F(Guidance, ImbalanceThatMayBeChanceIsNotMentioned) {
  model_.points.back().load_balance = 0.5;
  model_.points.back().slowest.reset();
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Load imbalance"))));
}

TEST_F(Guidance, OfAPartThatMayBeSmallThatIsSaid) {
  target_.parts.comm_p2p->low_s = 0.01 * target_.time.time_s;
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages cost"))));
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("Messages may cost ")));
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr(", 80 %): ")));
  target_.confidence = 0.95;
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr(", 95 %): ")));
}

TEST_F(Guidance, NothingIsSaidOfASmallPart) {
  target_.parts.comm_p2p = TimeEstimate{0.01, 0.01, 0.01};
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages cost"))));
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages may"))));
  target_.parts.comm_p2p.reset();
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Messages "))));
}

/// A model whose collectives take half of the time, and the advice on them.
class CollectiveAdvice : public Guidance {
 protected:
  void SetUp() override {
    std::erase_if(model_.counts, [](const CountModel& count) { return count.op_class != "p2p"; });
    const double s = target_.time.time_s;
    target_.parts.comm_coll = TimeEstimate{0.5 * s, 0.4 * s, 0.6 * s};
  }
  /// Adds calls of `op` to the model. Their number and bytes, summed over all processes, are the
  /// same at every process count.
  void call(const std::string& op, double calls, double bytes_each,
            const std::string& op_class = "collective") {
    CountModel count;
    count.op = op;
    count.op_class = op_class;
    for (const double procs : {2.0, 4.0, 8.0}) {
      count.calls_points.push_back({.procs = procs, .value = calls});
      count.bytes_points.push_back({.procs = procs, .value = calls * bytes_each});
    }
    model_.counts.push_back(count);
  }
  std::string sentence() const {
    for (const std::string& each : advice(model_, target_))
      if (each.starts_with("Collectives")) return each;
    return {};
  }
};

TEST_F(CollectiveAdvice, NamesTheCallWithItsCostAtTheAskedCount) {
  call("MPI_Allreduce", 256 * 30, 8);
  call("MPI_Bcast", 256 * 10, 8);
  target_.coll_latency = 0.9;
  const std::string s = sentence();
  EXPECT_THAT(s, HasSubstr(", 50 % of the time at 256 processes, about " +
                           format_seconds(0.75 * target_.parts.comm_coll->time_s, 2) +
                           " of it in MPI_Allreduce (30 calls per process of 8 B). "));
  EXPECT_THAT(s, HasSubstr("latency is 90 %: combine several reductions into one call, or reduce "
                           "less often. MPI_Iallreduce overlaps it with computation."));
}

TEST_F(CollectiveAdvice, BytesDecideWhereBandwidthCosts) {
  call("MPI_Allreduce", 256 * 30, 8);
  call("MPI_Alltoallv", 256 * 10, 1 << 20);
  target_.coll_latency = 0.1;
  EXPECT_THAT(sentence(),
              HasSubstr(" of it in MPI_Alltoallv (10 calls per process of 1.00 MiB). "));
  EXPECT_THAT(sentence(), HasSubstr("bandwidth is 90 %: exchange less data, or in smaller "
                                    "communicators"));
}

TEST_F(CollectiveAdvice, AnOperationWithItsOwnLawHasItsOwnRemedy) {
  call("MPI_Alltoall", 256 * 10, 1 << 20);
  call("MPI_Allgather", 256 * 10, 8);
  call("MPI_Bcast", 256 * 20, 8);
  call("MPI_Scan", 256 * 10, 8);
  const double all_s = target_.parts.comm_coll->time_s;
  target_.coll_latency = 0.5;
  target_.collectives = {{"MPI_Alltoall", example::around(0.3 * all_s, 0.01), 0.1},
                         {"MPI_Allgather", example::around(0.6 * all_s, 0.01), 0.95},
                         {kOtherCollectives, example::around(0.1 * all_s, 0.01), 1.0}};
  EXPECT_THAT(sentence(), HasSubstr(format_seconds(0.6 * all_s, 2) + " of it in MPI_Allgather"));
  EXPECT_THAT(sentence(), HasSubstr("latency is 95 %: collect only from"));
  // The time of the other operations is divided in proportion to their calls.
  target_.collectives = {{"MPI_Alltoall", example::around(0.1 * all_s, 0.01), 0.1},
                         {"MPI_Allgather", example::around(0.1 * all_s, 0.01), 0.95},
                         {kOtherCollectives, example::around(0.8 * all_s, 0.01), 1.0}};
  EXPECT_THAT(sentence(), HasSubstr(" of it in MPI_Bcast"));
}

TEST_F(CollectiveAdvice, WithoutCostsTheSizeDecides) {
  call("MPI_Allreduce", 256 * 30, 8);
  target_.coll_latency.reset();
  EXPECT_THAT(sentence(),
              HasSubstr("do not separate latency from bandwidth (apmt calibrate measures "
                        "the network), but calls of this size cost mostly latency: "
                        "combine several reductions"));
  model_.counts.pop_back();
  call("MPI_Bcast", 256, 1 << 20, "rooted");
  EXPECT_THAT(sentence(), HasSubstr("mostly bandwidth: broadcast less data"));
}

TEST_F(CollectiveAdvice, ABarrierCarriesNothingAndCostsAllTheSame) {
  call("MPI_Barrier", 256 * 40, 0);
  target_.coll_latency.reset();
  EXPECT_THAT(sentence(), HasSubstr("in MPI_Barrier (40 calls per process). "));
  EXPECT_THAT(sentence(), HasSubstr("mostly latency: remove barriers that the program would be "
                                    "correct without."));
  call("MPI_Ibarrier", 256 * 10, 0);
  EXPECT_THAT(sentence(), HasSubstr(format_seconds(0.8 * target_.parts.comm_coll->time_s, 2) +
                                    " of it in MPI_Barrier"));
}

TEST_F(CollectiveAdvice, WhatDoesNotBlockIsNotToBeMadeSo) {
  call("MPI_Iallreduce", 256, 8);
  EXPECT_THAT(sentence(), Not(HasSubstr("overlaps")));
  model_.counts.back().op = "MPI_Allreduce_init";
  EXPECT_THAT(sentence(), Not(HasSubstr("overlaps")));
  model_.counts.back().op = "MPI_Comm_split";
  EXPECT_THAT(sentence(), HasSubstr("combine several calls into one, or call less often"));
}

TEST_F(CollectiveAdvice, NothingIsSaidWithoutCallsOrTime) {
  EXPECT_EQ(sentence(), "");
  call("MPI_Allreduce", 256, 8);
  target_.parts.comm_coll.reset();
  EXPECT_EQ(sentence(), "");
}

class WaitingAdvice : public Guidance {
 protected:
  void SetUp() override {
    const double s = target_.time.time_s;
    target_.parts.comm_wait = TimeEstimate{0.3 * s, 0.2 * s, 0.4 * s};
    model_.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.2};
  }
  std::string sentence() const {
    for (const std::string& each : advice(model_, target_))
      if (each.starts_with("Waiting for late processes")) return each;
    return {};
  }
};

TEST_F(WaitingAdvice, NamesTheProcessThatOthersWaitFor) {
  model_.points.back().load_balance = 0.9;
  EXPECT_THAT(sentence(),
              HasSubstr(", 30 % of the time at 256 processes. In the runs with 8 "
                        "processes the others wait for process 3, which computes 250 ms "
                        "longer than the mean, 200 ms of it in sweep. Divide the work "
                        "more evenly"));
}

TEST_F(WaitingAdvice, OfEvenWorkSomebodyElseIsLateEachTime) {
  model_.points.back().load_balance = 0.99;
  EXPECT_THAT(sentence(), HasSubstr("all processes compute for about as long, so a different one "
                                    "is late each time. Synchronise less often"));
  EXPECT_THAT(sentence(), Not(HasSubstr("process 3")));
}

TEST_F(WaitingAdvice, TheLateProcessIsNamedOnce) {
  model_.points.back().load_balance = 0.5;
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("It is process 3")));
  EXPECT_THAT(sentence(), HasSubstr("Divide the work more evenly"));
  EXPECT_THAT(sentence(), Not(HasSubstr("process 3")));
}

TEST_F(WaitingAdvice, NothingIsSaidOfLittleWaiting) {
  target_.parts.comm_wait = TimeEstimate{0.05 * target_.time.time_s, 0, target_.time.time_s};
  EXPECT_EQ(sentence(), "");
}

TEST_F(Guidance, UnevenWorkIsMeasuredNotSupposed) {
  EXPECT_THAT(advice(model_, target_), Each(Not(HasSubstr("Load imbalance"))));
  model_.points.back().load_balance = 0.5;
  model_.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.2};
  EXPECT_THAT(advice(model_, target_),
              Contains(HasSubstr("the busiest computes 2.00 times the mean")));
}

TEST_F(Guidance, AFunctionThatDoesNotGetFasterIsNamed) {
  for (PredictedKernel& kernel : target_.kernels)
    if (kernel.role == KernelRole::kNonScalable) kernel.time = {1.0, 0.9, 1.1};
  EXPECT_THAT(advice(model_, target_), Contains(HasSubstr("exchange_pack does not get faster")));
}

TEST_F(Guidance, StartAndEndAreNamedAloneOrTogether) {
  const auto part = [&](double share) {
    const double time_s = share * target_.time.time_s;
    return TimeEstimate{time_s, 0.9 * time_s, 1.1 * time_s};
  };
  const auto starting = Contains(HasSubstr("Starting MPI costs"));
  const auto ending = Contains(HasSubstr("Ending costs"));
  const auto both = Contains(HasSubstr("Starting and ending MPI costs"));
  target_.parts.start = part(0.2);
  target_.parts.end = part(0.02);
  EXPECT_THAT(advice(model_, target_), AllOf(starting, Not(ending), Not(both)));
  std::swap(target_.parts.start, target_.parts.end);
  EXPECT_THAT(advice(model_, target_), AllOf(Not(starting), ending, Not(both)));
  target_.parts.start = target_.parts.end = part(0.08);
  EXPECT_THAT(advice(model_, target_), AllOf(Not(starting), Not(ending), both));
  target_.parts.start = target_.parts.end = part(0.02);
  EXPECT_THAT(advice(model_, target_), AllOf(Not(starting), Not(ending), Not(both)));
}

TEST_F(Guidance, NothingIsAdvisedBeyondWhatCanBeSaid) {
  target_.worthless = true;
  EXPECT_FALSE(guidance_section(model_, target_));
}

}  // namespace
}  // namespace apmt
