#include <gtest/gtest.h>

#include <cmath>

#include "fitter/communication/comm_fit.h"
#include "fitter/fit/fit.h"
#include "fitter/mechanisms.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;

/// One operation of a run: seconds, calls and bytes per rank.
struct Timed {
  const char* op;
  double seconds;
  double calls;
  double bytes;
};

RunProfile run_of(int procs, int repetition, const std::vector<Timed>& collectives) {
  PlantedRun planted;
  planted.procs = procs;
  planted.repetition = repetition;
  planted.kernel_s = {{"work", 10.0 / procs}};
  const double noise = repetition == 1 ? 1.01 : 0.99;
  for (const Timed& c : collectives) planted.coll_s += noise * c.seconds;
  RunProfile run = profile(planted);
  for (const Timed& c : collectives) {
    MpiRow row;
    row.op = c.op;
    row.op_class = "collective";
    row.comm_size = procs;
    row.calls = static_cast<std::uint64_t>(std::llround(c.calls * procs));
    row.bytes_sent = static_cast<std::uint64_t>(std::llround(c.bytes * procs));
    row.time_s = noise * c.seconds * procs;
    run.mpi.push_back(row);
  }
  return run;
}

/// Adds what instances show of each operation: of its time per rank, `transfer_s` is transfer, and
/// the rest is waiting.
void show_waiting(double transfer_s, RunProfile* run) {
  double waited_s = 0;
  for (const MpiRow& row : run->mpi) {
    MpiOperation o;
    o.op = row.op;
    o.op_class = row.op_class;
    o.comm_size = row.comm_size;
    o.size_class = row.size_class;
    o.calls = row.calls;
    o.time_s = row.time_s;
    o.transfer_s = std::min(transfer_s * run->config.procs, o.time_s);
    waited_s += (row.time_s - *o.transfer_s) / run->config.procs;
    run->communication.operations.push_back(o);
  }
  run->communication.coll_wait_s = waited_s;
  run->communication.coll_wait_coverage = 1;
}

/// Data are exchanged in large pieces, which shrink with more processes, and in small pieces along
/// a ring. At the profiled counts the large pieces take nearly all of the time, at 256 processes
/// the small ones.
double exchange_s(double procs) { return 0.8 / procs; }
double ring_s(double procs) { return 10 * 15e-6 * (procs - 1); }

std::vector<RunProfile> exchange_and_ring(const std::vector<int>& counts) {
  std::vector<RunProfile> runs;
  for (const int procs : counts)
    for (const int repetition : {1, 2})
      runs.push_back(run_of(procs, repetition,
                            {{"MPI_Alltoall", exchange_s(procs), 10, 8e8 / procs},
                             {"MPI_Allgather", ring_s(procs), 10, 10 * 8}}));
  return runs;
}

TimeEstimate collectives_at(const Model& model, int procs) {
  return *predict(model, {.procs = procs, .params = {}, .scaling = {}}).parts.comm_coll;
}

TEST(CallGroups, EachOperationHasItsLaw) {
  const std::vector<RunProfile> runs = exchange_and_ring({4, 8, 16});
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  std::vector<std::string> groups;
  for (const LawOfPart& its : laws_of(model, Part::kCommColl)) groups.push_back(its.group);
  EXPECT_EQ(groups, (std::vector<std::string>{"MPI_Alltoall", "MPI_Allgather"}));
  const double truth_s = exchange_s(256) + ring_s(256);
  const double error = std::abs(collectives_at(model, 256).time_s / truth_s - 1);
  EXPECT_LT(error, 0.1);

  Mechanisms one_law;
  one_law.call_groups = false;
  const WithMechanisms with(one_law);
  const Model of_the_sum = fit(make_experiment(runs), synthetic::fit_options());
  EXPECT_EQ(laws_of(of_the_sum, Part::kCommColl).size(), 1u);
  EXPECT_GT(std::abs(collectives_at(of_the_sum, 256).time_s / truth_s - 1), 3 * error);
}

/// Both operations move few bytes and take longer with P - 1. A broadcast goes along a tree, so its
/// time must have another reason; libraries gather pieces of unequal size one by one.
TEST(CallGroups, FewBytesDoNotGoAlongARingIfATreeDeliversThem) {
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    for (const int repetition : {1, 2})
      runs.push_back(
          run_of(procs, repetition,
                 {{"MPI_Bcast", ring_s(procs), 10, 80}, {"MPI_Gatherv", ring_s(procs), 10, 80}}));
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  const auto may_be_ring = [&](const std::string& group) {
    const auto comm = std::find_if(model.comm.begin(), model.comm.end(),
                                   [&](const CommModel& c) { return c.group == group; });
    return std::any_of(comm->law->families.begin(), comm->law->families.end(),
                       [](const CountFamily& f) { return f.name == "ring"; });
  };
  EXPECT_FALSE(may_be_ring("MPI_Bcast"));
  EXPECT_TRUE(may_be_ring("MPI_Gatherv"));
}

TEST(CallGroups, TimesAddUpToThePartAndSurviveTheFile) {
  const Model model = fit(make_experiment(exchange_and_ring({4, 8, 16})), synthetic::fit_options());
  const Scenario at{.procs = 64, .params = {}, .scaling = {}};
  const Prediction before = predict(model, at);
  ASSERT_EQ(before.collectives.size(), 2u);
  EXPECT_NEAR(before.collectives[0].time.time_s + before.collectives[1].time.time_s,
              before.parts.comm_coll->time_s, 1e-9);
  const Prediction after = predict(model_from_json(to_json(model), "memory"), at);
  EXPECT_EQ(to_json(after), to_json(before));
}

TEST(CallGroups, TheirTimesAreWithoutWaiting) {
  // In each of the two operations, 0.1 s is transfer; ranks wait in one of them only.
  constexpr double kTransfer_s = 0.1;
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16}) {
    runs.push_back(
        run_of(procs, 1, {{"MPI_Alltoall", 0.5, 10, 8000}, {"MPI_Allgather", 0.1, 10, 80}}));
    show_waiting(kTransfer_s, &runs.back());
  }
  const Experiment e = make_experiment(runs);
  const std::vector<CallGroup> groups = call_groups(e, Part::kCommColl);
  ASSERT_EQ(groups.size(), 2u);
  for (std::size_t i = 0; i < e.points.size(); ++i)
    for (const CallGroup& group : groups)
      EXPECT_NEAR(group.seconds[i]->value / kTransfer_s, 1, 0.02) << group.name;
}

/// Runs whose processes wait for a root in the operations `rooted`, each longer with more
/// processes, and 0.1 s for each other in MPI_Allreduce.
std::vector<RunProfile> waiting_for_root(const std::vector<const char*>& rooted) {
  constexpr double kTransfer_s = 0.1;
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16}) {
    std::vector<Timed> calls = {{"MPI_Allreduce", 0.2, 10, 80}};
    for (const char* op : rooted) calls.push_back({op, 0.02 * procs, 10, 80});
    RunProfile& run = runs.emplace_back(run_of(procs, 1, calls));
    show_waiting(kTransfer_s, &run);
    run.communication.coll_wait_s = 1.01 * 0.2 - kTransfer_s;
    for (std::size_t i = 1; i < calls.size(); ++i) {
      run.mpi[i].op_class = run.communication.operations[i].op_class = "rooted";
      run.communication.operations[i].transfer_s.reset();
      run.communication.operations[i].low_s = 1e-6;
    }
  }
  return runs;
}

TEST(CallGroups, WaitingForARootHasItsLaw) {
  const Experiment e = make_experiment(waiting_for_root({"MPI_Bcast"}));
  const std::vector<CallGroup> groups = call_groups(e, Part::kCommWait);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "MPI_Bcast");
  EXPECT_EQ(groups[1].name, kOtherWaiting);
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    EXPECT_NEAR(groups[0].seconds[i]->value, 1.01 * 0.02 * e.points[i].procs, 1e-3);
    EXPECT_NEAR(groups[1].seconds[i]->value, 1.01 * 0.2 - 0.1, 1e-3);
  }
  const Prediction p =
      predict(fit(e, synthetic::fit_options()), {.procs = 64, .params = {}, .scaling = {}});
  ASSERT_EQ(p.waiting.size(), 2u);
  EXPECT_NEAR(p.waiting[0].time.time_s + p.waiting[1].time.time_s, p.parts.comm_wait->time_s, 1e-9);
}

TEST(CallGroups, OnlyBroadcastsAndReductionsWaitForARoot) {
  const auto both = make_experiment(waiting_for_root({"MPI_Bcast", "MPI_Reduce"}));
  EXPECT_EQ(call_groups(both, Part::kCommWait).at(0).name, kAlongTrees);
  const auto gathers = make_experiment(waiting_for_root({"MPI_Gather"}));
  EXPECT_TRUE(call_groups(gathers, Part::kCommWait).empty());
}

TEST(CallGroups, OperationsThatTakeLittleTimeAreTogether) {
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    runs.push_back(
        run_of(procs, 1,
               {{"MPI_Bcast", 0.97, 1, 8}, {"MPI_Scan", 0.02, 1, 8}, {"MPI_Exscan", 0.01, 1, 8}}));
  const std::vector<CallGroup> groups = call_groups(make_experiment(runs), Part::kCommColl);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "MPI_Bcast");
  EXPECT_EQ(groups[1].name, kOtherCollectives);
  EXPECT_EQ(groups[1].ops.size(), 2u);
  EXPECT_NEAR(groups[1].seconds[0]->value, 1.01 * 0.03, 1e-9);
}

TEST(CallGroups, AreNotMadeOfOneOperationOrAnIncompleteTable) {
  std::vector<RunProfile> one;
  for (const int procs : {4, 8, 16})
    one.push_back(run_of(procs, 1, {{"MPI_Allreduce", 0.1, 10, 80}}));
  EXPECT_TRUE(call_groups(make_experiment(one), Part::kCommColl).empty());
  std::vector<RunProfile> incomplete = exchange_and_ring({4, 8, 16});
  incomplete.front().mpi.pop_back();
  incomplete.front().mpi.front().time_s *= 0.9;
  EXPECT_TRUE(call_groups(make_experiment(incomplete), Part::kCommColl).empty());
  EXPECT_FALSE(
      call_groups(make_experiment(exchange_and_ring({4, 8, 16})), Part::kCommColl).empty());
}

/// Each process calls MPI_Allgather six times in runs on four processes, and eight times in larger
/// runs. The fit takes the time of a step from the calls that were made, and expects eight calls
/// beyond the profiled counts.
TEST(CallGroups, CallsThatFollowNoLawStayAsTheyAre) {
  const auto calls = [](int procs) { return procs < 8 ? 6 : 8; };
  constexpr double kStep_s = 15e-6;
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    for (const int repetition : {1, 2})
      runs.push_back(run_of(procs, repetition,
                            {{"MPI_Alltoall", exchange_s(procs), 10, 8e8 / procs},
                             {"MPI_Allgather", calls(procs) * kStep_s * (procs - 1),
                              1.0 * calls(procs), 36.0 * calls(procs)}}));
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  for (const CountModel& count : model.counts) {
    if (count.op != "MPI_Allgather") continue;
    EXPECT_NEAR(count.calls.value(128, 1), 8 * 128, 1e-6);
  }
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  ASSERT_EQ(p.collectives.size(), 2u);
  const TimeEstimate ring = p.collectives[1].time;
  const double truth_s = 8 * kStep_s * 127;
  EXPECT_NEAR(ring.time_s / truth_s, 1, 0.2);
  EXPECT_LT(ring.low_s, truth_s);
  EXPECT_GT(ring.high_s, truth_s);
}

TEST(CallGroups, TheCostOfACallComesFromTheCallsInAnyLayout) {
  // With `nodes` = {1, 2}, each count has two layouts, and so two points with the same P and D.
  const auto model_of = [](const std::vector<int>& nodes) {
    std::vector<RunProfile> runs;
    for (const int procs : {4, 8, 16})
      for (const int on : nodes) {
        const double calls = procs < 8 ? 6 : 8;
        RunProfile run =
            run_of(procs, 1,
                   {{"MPI_Alltoall", exchange_s(procs), 10, 8e8 / procs},
                    {"MPI_Allgather", calls * 15e-6 * (procs - 1), calls, 36 * calls}});
        run.config.nodes = on;
        run.config.max_ranks_per_node = procs / on;
        runs.push_back(run);
      }
    return fit(make_experiment(runs), synthetic::fit_options());
  };
  const Model one = model_of({1});
  const Model two = model_of({1, 2});
  ASSERT_EQ(two.points.size(), 2 * one.points.size());
  EXPECT_NEAR(collectives_at(two, 128).time_s / collectives_at(one, 128).time_s, 1, 0.1);
  bool has_seen = false;
  for (const LawOfPart& its : laws_of(two, Part::kCommColl))
    for (const CountFamily& family : its.law->families)
      for (const Feature& f : family.features)
        if (its.group == "MPI_Allgather" && f.name == "alpha") {
          has_seen = has_seen || !f.seen.empty();
          if (family.posterior > 0.1) {
            EXPECT_NEAR(f.cost, 15e-6, 3e-6);
          }
        }
  EXPECT_TRUE(has_seen);
}

TEST(CallGroups, OneParallelCountIsNotDivided) {
  const std::vector<RunProfile> runs = {
      run_of(1, 1, {{"MPI_Alltoall", 1e-3, 10, 0}, {"MPI_Bcast", 1e-3, 10, 0}}),
      run_of(4, 1, {{"MPI_Alltoall", 0.2, 10, 0}, {"MPI_Bcast", 0.1, 10, 0}})};
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  EXPECT_EQ(laws_of(model, Part::kCommColl).size(), 1u);
}

TEST(CallGroups, ThePapersMethodHasOneLaw) {
  FitOptions paper = synthetic::fit_options();
  paper.method = kPaperMethod;
  const Model model = fit(make_experiment(exchange_and_ring({4, 8, 16})), paper);
  EXPECT_EQ(laws_of(model, Part::kCommColl).size(), 1u);
}

TEST(CallGroups, RareOperationsDoNotPreventThem) {
  std::vector<RunProfile> runs = exchange_and_ring({4, 8, 16});
  MpiRow rare = runs.back().mpi.front();
  rare.op = "MPI_Reduce";
  rare.time_s = 1e-9;
  runs.back().mpi.push_back(rare);
  const std::vector<CallGroup> groups = call_groups(make_experiment(runs), Part::kCommColl);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups.back().ops, (std::vector<std::string>{"MPI_Allgather", "MPI_Reduce"}));
}

TEST(CallGroups, LatencyAndBandwidthChangeTheirOwnOperations) {
  const Model model = fit(make_experiment(exchange_and_ring({4, 8, 16})), synthetic::fit_options());
  const auto at_256 = [&](Knob knob, double factor) {
    Scenario scenario{.procs = 256, .params = {}, .scaling = {}};
    if (factor != 1) scenario.what_if.of(knob) = KnobChange{KnobChange::Kind::kFactor, factor};
    return predict(model, scenario).collectives;
  };
  const auto before = at_256(Knob::kLatency, 1);
  const auto slower = at_256(Knob::kLatency, 2);
  const auto wider = at_256(Knob::kBandwidth, 2);
  ASSERT_EQ(before.size(), 2u);
  EXPECT_EQ(before[1].name, "MPI_Allgather");
  EXPECT_NEAR(slower[1].time.time_s / before[1].time.time_s, 2, 0.1);
  // The time of an operation is computed from the draws in which the part is near its median. These
  // are not quite the same draws after the what-if, so the time changes a little.
  EXPECT_NEAR(wider[1].time.time_s / before[1].time.time_s, 1, 0.01);
  EXPECT_LT(wider[0].time.time_s, 0.9 * before[0].time.time_s);
  EXPECT_NEAR(*before[1].latency, 1, 1e-9);
  EXPECT_LT(*before[0].latency, 0.9);
}

/// Point-to-point calls of a run.
RunProfile messages_of(int procs, int repetition, const std::vector<Timed>& calls) {
  RunProfile run = run_of(procs, repetition, calls);
  run.times.mpi_p2p_s = run.times.mpi_coll_s;
  run.times.mpi_coll_s.per_rank.assign(static_cast<std::size_t>(procs), 0);
  for (MpiRow& row : run.mpi) row.op_class = row.op == "MPI_Waitall" ? "completion" : "p2p";
  return run;
}

/// The data are distributed once, before the first step. Each step then exchanges halos, whose size
/// is the same at every process count.
constexpr double kHalo_s = 0.02;
double distribution_s(double procs) { return 0.8 / procs; }

std::vector<RunProfile> distribution_and_halo(const std::string& halo) {
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    for (const int repetition : {1, 2}) {
      const double share_s = distribution_s(procs) / 2;
      std::vector<Timed> calls = {{"MPI_Send", share_s, 10, 8e8 / procs},
                                  {"MPI_Recv", share_s, 10, 0}};
      if (halo == "MPI_Sendrecv") {
        calls.push_back({"MPI_Sendrecv", kHalo_s, 400, 400 * 8192});
      } else {
        calls.push_back({"MPI_Isend", 0.1 * kHalo_s, 400, 400 * 8192});
        calls.push_back({"MPI_Irecv", 0.1 * kHalo_s, 400, 0});
        calls.push_back({"MPI_Waitall", 0.8 * kHalo_s, 200, 0});
      }
      runs.push_back(messages_of(procs, repetition, calls));
    }
  return runs;
}

TEST(CallGroups, EachKindOfMessagesHasItsLaw) {
  for (const char* halo : {"MPI_Sendrecv", "MPI_Isend"}) {
    const Model model = fit(make_experiment(distribution_and_halo(halo)), synthetic::fit_options());
    const Prediction p = predict(model, {.procs = 256, .params = {}, .scaling = {}});
    ASSERT_EQ(p.messages.size(), 2u) << halo;
    EXPECT_EQ(p.messages[0].name, kBlocking);
    EXPECT_EQ(p.messages[1].name, halo == std::string("MPI_Sendrecv") ? kExchange : kNonBlocking);
    EXPECT_NEAR(p.messages[1].time.time_s / kHalo_s, 1, 0.1) << halo;
    EXPECT_NEAR(p.messages[0].time.time_s + p.messages[1].time.time_s, p.parts.comm_p2p->time_s,
                1e-9);
    EXPECT_NEAR(p.parts.comm_p2p->time_s / (kHalo_s + distribution_s(256)), 1, 0.1) << halo;
  }
}

TEST(CallGroups, KindsThatExchangeMessagesAreTogether) {
  // What MPI_Send sends, MPI_Irecv receives.
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    runs.push_back(messages_of(
        procs, 1,
        {{"MPI_Send", 0.1, 100, 8000}, {"MPI_Irecv", 0.01, 100, 0}, {"MPI_Wait", 0.1, 100, 0}}));
  EXPECT_TRUE(call_groups(make_experiment(runs), Part::kCommP2p).empty());
  for (RunProfile& run : runs) {
    MpiRow exchange = run.mpi.front();
    exchange.op = "MPI_Sendrecv";
    exchange.time_s = 0.1 * run.config.procs;
    for (double& s : run.times.mpi_p2p_s.per_rank) s += 0.1;
    run.mpi.push_back(exchange);
  }
  const std::vector<CallGroup> groups = call_groups(make_experiment(runs), Part::kCommP2p);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].ops, (std::vector<std::string>{"MPI_Irecv", "MPI_Send", "MPI_Wait"}));
  EXPECT_EQ(groups[1].name, kExchange);
}

TEST(CallGroups, PersistentRequestsAreNonBlocking) {
  const auto runs_of = [](const std::vector<Timed>& calls) {
    std::vector<RunProfile> runs;
    for (const int procs : {4, 8, 16}) runs.push_back(messages_of(procs, 1, calls));
    return make_experiment(runs);
  };
  const std::vector<Timed> persistent = {{"MPI_Send_init", 1e-3, 2, 0},
                                         {"MPI_Recv_init", 1e-3, 2, 0},
                                         {"MPI_Startall", 0.1, 100, 8000},
                                         {"MPI_Waitall", 0.2, 100, 0}};
  EXPECT_TRUE(call_groups(runs_of(persistent), Part::kCommP2p).empty()) << "one kind only";
  // What MPI_Send sends, persistent requests receive; MPI_Sendrecv has other partners.
  std::vector<Timed> mixed = persistent;
  mixed.push_back({"MPI_Send", 0.2, 100, 8000});
  mixed.push_back({"MPI_Sendrecv", 0.2, 100, 8000});
  const std::vector<CallGroup> groups = call_groups(runs_of(mixed), Part::kCommP2p);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, std::string(kBlocking) + " and " + kNonBlocking);
  EXPECT_EQ(groups[1].name, kExchange);
}

/// From run to run, the time moves from one operation to the other. The median of each operation is
/// then less than its share of the time.
TEST(CallGroups, TimesOfRunsThatDifferAddUpToThePart) {
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8, 16})
    for (int r = 0; r < 3; ++r)
      runs.push_back(run_of(procs, r + 1,
                            {{"MPI_Alltoall", r == 0 ? 0.5 : 0.1, 10, 800},
                             {"MPI_Allgather", r == 1 ? 0.5 : 0.1, 10, 80}}));
  const Experiment e = make_experiment(runs);
  const std::vector<CallGroup> groups = call_groups(e, Part::kCommColl);
  ASSERT_EQ(groups.size(), 2u);
  for (std::size_t i = 0; i < e.points.size(); ++i)
    EXPECT_NEAR(groups[0].seconds[i]->value + groups[1].seconds[i]->value,
                e.points[i].parts.comm_coll_s->value, 1e-12);
}

/// "setup" distributes the data, "exchange" exchanges halos. On many processes, nearly all time in
/// messages is in "exchange", although most of it was in "setup" at the profiled counts.
TEST(CallGroups, KernelsHaveTheCallsOfTheirGroups) {
  std::vector<RunProfile> runs = distribution_and_halo("MPI_Sendrecv");
  for (RunProfile& run : runs) {
    for (const char* name : {"setup", "exchange"}) {
      KernelProfile kernel = run.kernels.front();
      kernel.id.linkage_name = kernel.name = name;
      run.kernels.push_back(kernel);
    }
    for (MpiRow& row : run.mpi) row.caller = row.op == "MPI_Sendrecv" ? "exchange" : "setup";
  }
  const Model model =
      model_from_json(to_json(fit(make_experiment(runs), synthetic::fit_options())), "memory");
  const Prediction p = predict(model, {.procs = 256, .params = {}, .scaling = {}});
  int found = 0;
  for (const PredictedKernel& kernel : p.kernels) {
    if (kernel.name != "setup" && kernel.name != "exchange") continue;
    ++found;
    const double truth_s = kernel.name == "setup" ? distribution_s(256) : kHalo_s;
    EXPECT_NEAR(kernel.transfer->time_s / truth_s, 1, 0.4) << kernel.name;
  }
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace apmt
