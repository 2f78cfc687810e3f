// Tests of the cost of messages, and of how much of the time in MPI calls was waiting.
#include "fitter/runs/message_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace apmt {
namespace {

MpiRow row(const char* op, const char* caller, int size_class, std::uint64_t calls, double time_s) {
  MpiRow r;
  r.op = op;
  const bool is_of_messages = std::string(op) == "MPI_Recv";
  r.op_class = is_of_messages ? "p2p" : "completion";
  r.size_class = size_class;
  r.peer = "same-node";
  r.caller = caller;
  r.calls = calls;
  r.time_s = r.blocked_s = time_s;
  return r;
}

RunProfile run_of(std::vector<MpiRow> rows) {
  RunProfile run;
  run.config.procs = 2;
  run.mpi = std::move(rows);
  return run;
}

double waited_s(const MessageCosts& costs, const RunProfile& run) {
  double sum_s = 0;
  for (const double row_s : costs.waited_s(run)) sum_s += row_s;
  return sum_s;
}

double waited_s(const RunProfile& run) { return waited_s(MessageCosts({run}), run); }

TEST(MessageCosts, CallSitesWithLikeMessagesAndUnlikeTimesWait) {
  EXPECT_NEAR(
      waited_s(run_of({row("MPI_Waitall", "a", 10, 100, 1), row("MPI_Waitall", "b", 10, 200, 20)})),
      18, 1e-12);
}

TEST(MessageCosts, OneFunctionAloneDoesNot) {
  EXPECT_EQ(waited_s(run_of({row("MPI_Waitall", "a", 10, 100, 1)})), 0);
}

/// A program that polls is never blocked. Its calls in vain are waiting; those that find a message
/// cost what the quickest ones take.
TEST(MessageCosts, AProgramThatPollsWaits) {
  const auto polls = [](MpiRow r, bool in_vain) {
    r.blocked_s = 0;
    if (in_vain) r.peer = "none";
    return r;
  };
  for (const char* op : {"MPI_Test", "MPI_Testsome"}) {
    EXPECT_NEAR(waited_s(run_of({polls(row(op, "a", 0, 1e6, 5), true),
                                 polls(row(op, "a", 10, 100, 1), false),
                                 polls(row(op, "b", 10, 200, 20), false)})),
                5 + 18, 1e-12);
  }
  MpiRow probe = polls(row("MPI_Iprobe", "a", 0, 1000, 3), true);
  probe.op_class = "p2p";
  EXPECT_NEAR(waited_s(run_of({probe})), 3, 1e-12);
  EXPECT_EQ(waited_s(run_of({polls(row("MPI_Wait", "a", 0, 100, 1), true)})), 0)
      << "had nothing to wait for";
}

/// Processes that exchange messages only with a master wait for its messages to the others. That is
/// what these messages cost.
TEST(MessageCosts, AMasterHandlesOneMessageAfterAnother) {
  RunProfile run =
      run_of({row("MPI_Waitall", "a", 10, 100, 1), row("MPI_Waitall", "b", 10, 200, 20)});
  run.communication.pattern.kind = "master-worker";
  EXPECT_EQ(waited_s(run), 0);
}

TEST(MessageCosts, AreThoseOfEveryRun) {
  const RunProfile quick = run_of({row("MPI_Waitall", "a", 10, 100, 1)});
  const RunProfile slow = run_of({row("MPI_Waitall", "a", 10, 100, 3)});
  const MessageCosts costs({quick, slow});
  EXPECT_EQ(waited_s(costs, quick), 0);
  EXPECT_NEAR(waited_s(costs, slow), 2, 1e-12);
}

TEST(MessageCosts, OfOversubscribedRunsSayNothing) {
  RunProfile quick = run_of({row("MPI_Waitall", "a", 10, 100, 1)});
  quick.config.oversubscribed = true;
  const RunProfile slow = run_of({row("MPI_Waitall", "a", 10, 100, 3)});
  EXPECT_EQ(waited_s(MessageCosts({quick, slow}), slow), 0);
}

TEST(MessageCosts, SmallerMessagesCostNoMoreThanLargerOnes) {
  EXPECT_NEAR(waited_s(run_of({row("MPI_Recv", "a", 5, 100, 7), row("MPI_Recv", "b", 10, 100, 1)})),
              6, 1e-12);
  EXPECT_EQ(waited_s(run_of({row("MPI_Recv", "a", 5, 100, 1), row("MPI_Recv", "b", 10, 100, 7)})),
            0);
}

MpiRow of_bytes(MpiRow row, std::uint64_t bytes) {
  row.bytes_received = row.calls * bytes;
  return row;
}

/// Messages of one size class may differ by a factor of nearly two.
TEST(MessageCosts, GrowWithTheSizeInASizeClass) {
  const auto waited_with = [](int size_class, std::uint64_t bytes, double time_s) {
    return waited_s(run_of({of_bytes(row("MPI_Recv", "a", 23, 100, 0.42), 4'200'000),
                            of_bytes(row("MPI_Recv", "b", size_class, 100, time_s), bytes)}));
  };
  EXPECT_NEAR(waited_with(23, 8'000'000, 0.8), 0, 1e-9);
  EXPECT_NEAR(waited_with(23, 8'000'000, 0.9), 0.1, 1e-9);
  EXPECT_EQ(waited_with(24, 8'400'000, 100), 0) << "perhaps another protocol";
}

/// That small messages are quick does not show that larger ones waited: MPI libraries may use
/// another protocol for larger messages, which takes longer.
TEST(MessageCosts, OfSmallerClassesSayNothing) {
  EXPECT_EQ(waited_s(run_of({of_bytes(row("MPI_Recv", "small", 16, 100, 1e-9), 49152),
                             of_bytes(row("MPI_Recv", "large", 17, 100, 0.01), 98304)})),
            0);
  EXPECT_EQ(waited_s(run_of({row("MPI_Recv", "small", 16, 100, 1e-9),
                             row("MPI_Recv", "large", 17, 100, 0.01)})),
            0)
      << "without bytes, too";
}

/// Calls that complete sends add no bytes to their row, but the row's size class still gives the
/// least size per call.
TEST(MessageCosts, CompletionsOfSendsAreOfTheirClass) {
  EXPECT_NEAR(waited_s(run_of({of_bytes(row("MPI_Wait", "half are sends", 14, 100, 1), 4096),
                               of_bytes(row("MPI_Wait", "receives", 14, 100, 3), 8192)})),
              2, 1e-9);
}

TEST(MessageCosts, AreTheLeastOfManySizes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<MpiRow> rows;
  for (int i = 0; i < 300; ++i) {
    const int size_class = 14 + i % 4;
    const double bytes = std::floor(std::exp2(size_class - 1 + 0.999 * uniform(random)));
    const double call_s = 1e-9 * bytes * std::exp2(2 * uniform(random)) + 1e-5 * uniform(random);
    rows.push_back(
        of_bytes(row("MPI_Recv", std::to_string(i).c_str(), size_class, 100, 100 * call_s),
                 static_cast<std::uint64_t>(bytes)));
  }
  double waited = 0;
  for (const MpiRow& r : rows) {
    double least_s = r.time_s;
    for (const MpiRow& other : rows) {
      if (other.size_class < r.size_class) continue;
      const double larger =
          static_cast<double>(r.bytes_received) / static_cast<double>(other.bytes_received);
      least_s = std::min(least_s, other.time_s * std::max(1.0, larger));
    }
    waited += r.time_s - least_s;
  }
  EXPECT_NEAR(waited_s(run_of(rows)), waited, 1e-9 * waited);
}

TEST(MessageCosts, OtherOperationsAndPartnersAreOthers) {
  MpiRow far = row("MPI_Waitall", "b", 10, 100, 5);
  far.peer = "other-node";
  EXPECT_EQ(waited_s(run_of(
                {row("MPI_Waitall", "a", 10, 100, 1), far, row("MPI_Recv", "c", 10, 100, 9)})),
            0);
}

TEST(MessageCosts, AFewCallsProveNothing) {
  EXPECT_EQ(
      waited_s(run_of({row("MPI_Waitall", "a", 10, 5, 0.01), row("MPI_Waitall", "b", 10, 100, 5)})),
      0);
}

/// If partners take turns at being late, the messages of the quickest tenth of the calls have
/// already arrived, and these calls take no time. Although the other calls take longer, their time
/// must not all count as waiting: message_s, the time of a message, counts as transfer.
TEST(MessageCosts, OfPartnersThatAreLateInTurnAreThoseOfTheirMessages) {
  MpiRow exchange = row("MPI_Sendrecv", "a", 10, 100, 100 * 30e-6);
  exchange.op_class = "p2p";
  MpiOperation quick;
  quick.op = "MPI_Sendrecv";
  quick.op_class = "p2p";
  quick.size_class = 10;
  quick.low_s = 1e-7;
  RunProfile run = run_of({exchange});
  run.communication.operations = {quick};
  EXPECT_NEAR(waited_s(run), 100 * (30e-6 - 1e-7), 1e-12) << "older profiles do not tell";
  run.mpi[0].message_s = 29e-6;
  run.mpi[0].arrivals = 100;
  EXPECT_NEAR(waited_s(run), 100 * 1e-6, 1e-12);
  run.mpi[0].arrivals = 40;  // the other calls received from MPI_PROC_NULL
  EXPECT_NEAR(waited_s(run), 100 * 30e-6 - 40 * 29e-6, 1e-12);
}

TEST(MessageCosts, AreTheLeastOfAllFunctions) {
  RunProfile run = run_of({row("MPI_Wait", "a", 10, 100, 0.3), row("MPI_Wait", "b", 10, 100, 3)});
  for (MpiRow& r : run.mpi) {
    r.message_s = r.caller == "a" ? 2e-3 : 2e-2;
    r.arrivals = r.calls;
  }
  EXPECT_NEAR(waited_s(run), 0.1 + 2.8, 1e-12);
  run.mpi[0].arrivals = 20;  // too few calls to show the time of a message
  EXPECT_NEAR(waited_s(run), 1, 1e-12);
}

/// Messages that arrive while the receiver computes complete at once. This does not prove that
/// messages cost nothing: each counts as transfer for as long as the quickest message was under
/// way.
TEST(MessageCosts, WhatWasHiddenIsNotTakenForCheap) {
  RunProfile run =
      run_of({row("MPI_Waitall", "hides", 10, 100, 1e-6), row("MPI_Waitall", "waits", 10, 100, 5)});
  EXPECT_NEAR(waited_s(run), 5, 1e-3);
  MpiOperation received;
  received.op = "MPI_Irecv";
  received.op_class = "p2p";
  received.completed = 400;  // two per completing call
  received.min_flight_s = 0.02;
  run.communication.operations = {received};
  EXPECT_NEAR(waited_s(run), 5 - 200 * 0.02, 1e-3);

  MpiRow polls = row("MPI_Testall", "hides", 0, 10000, 0.1);  // polls that found nothing
  MpiRow idle = row("MPI_Waitall", "idle", 0, 10000, 0.01);   // without requests
  polls.peer = idle.peer = "none";
  polls.blocked_s = 0;
  MpiOperation polling;
  polling.op = "MPI_Testall";
  polling.op_class = "completion";
  polling.calls = polls.calls;
  run.mpi.push_back(polls);
  run.mpi.push_back(idle);
  run.communication.operations.push_back(polling);
  EXPECT_NEAR(waited_s(run), 5 - 200 * 0.02 + polls.time_s, 1e-3)
      << "these calls complete no message; those in vain are waiting";
}

}  // namespace
}  // namespace apmt
