// Tests of the figures that need the recordings of all ranks: waiting and transfer, overlap, bytes
// by the operation that moved them, efficiencies.
#include "profiler/reader/fold_communication.h"

#include <gtest/gtest.h>

#include <cstring>

namespace apmt {
namespace {

using format::MpiCall;
using format::OpClass;
using format::PeerClass;
using format::Stage;

enum : std::uint32_t { kAllreduce = 1, kIrecv, kWait, kBcast };

std::uint64_t what(std::uint32_t op, std::uint32_t comm_size, std::uint64_t bytes) {
  return format::mpi_what(op, format::size_class(bytes), comm_size, PeerClass::kUntold,
                          Stage::kMain);
}

format::Op named(const char* name, OpClass op_class) {
  format::Op op{};
  std::strcpy(op.name, name);
  op.op_class = op_class;
  return op;
}

struct Ranks {
  explicit Ranks(int n) {
    for (int r = 0; r < n; ++r) {
      RawRecording raw;
      raw.header.world_rank = r;
      raw.header.world_size = n;
      raw.ops = {named("", OpClass::kOther), named("MPI_Allreduce", OpClass::kCollective),
                 named("MPI_Irecv", OpClass::kPointToPoint),
                 named("MPI_Wait", OpClass::kCompletion), named("MPI_Bcast", OpClass::kRooted)};
      list.push_back(raw);
    }
  }
  /// Adds calls of equal duration.
  void call(std::size_t rank, std::uint64_t w, std::uint64_t calls, std::uint64_t each_ns,
            bool blocks, std::uint64_t received = 0) {
    MpiCall c{};
    c.fingerprint = 1;
    c.what = w;
    c.calls = calls;
    c.bytes_received = received;
    c.time_ns = calls * each_ns;
    c.blocked_ns = blocks ? c.time_ns : 0;
    c.min_ns_complement = ~each_ns;
    c.max_ns = each_ns;
    c.times[format::time_bin(each_ns)] = static_cast<std::uint32_t>(calls);
    list[rank].calls.push_back(c);
  }
  void instance(std::size_t rank, std::uint64_t key, std::uint64_t w, std::uint64_t time_ns) {
    list[rank].instances.push_back({key, w, time_ns});
  }
  RunProfile fold(double main_s = 10) const {
    RunProfile p;
    p.config.procs = static_cast<int>(list.size());
    p.health.ranks_present = p.health.ranks_expected = p.config.procs;
    for (const RawRecording& raw : list) {
      double mpi_s = 0;
      for (const MpiCall& c : raw.calls) mpi_s += static_cast<double>(c.time_ns) * 1e-9;
      p.times.main_s.per_rank.push_back(main_s);
      p.times.mpi_s.per_rank.push_back(mpi_s);
    }
    fold_communication(list, &p);
    return p;
  }
  std::vector<RawRecording> list;
};

const MpiOperation& operation(const RunProfile& p, const std::string& op) {
  for (const MpiOperation& o : p.communication.operations)
    if (o.op == op) return o;
  throw std::runtime_error("no " + op);
}

constexpr std::uint64_t kSecond = 1000000000;

TEST(Waiting, IsWhatExceedsTheQuickestRankOfEachCall) {
  Ranks ranks(2);
  const std::uint64_t w = what(kAllreduce, 2, 8);
  // Each rank is late in one of the two calls. In each call, the late rank does not wait, so its
  // time in the call is the transfer time, 1 s.
  ranks.call(0, w, 2, 2 * kSecond, true);
  ranks.call(1, w, 2, 2 * kSecond, true);
  ranks.instance(0, 100, w, 1 * kSecond);
  ranks.instance(1, 100, w, 3 * kSecond);
  ranks.instance(0, 200, w, 3 * kSecond);
  ranks.instance(1, 200, w, 1 * kSecond);
  const RunProfile p = ranks.fold();
  const MpiOperation& o = operation(p, "MPI_Allreduce");
  EXPECT_DOUBLE_EQ(o.time_s, 8);
  EXPECT_DOUBLE_EQ(o.transfer_s.value(), 4);
  EXPECT_EQ(o.transfer_from, "instances");
  EXPECT_DOUBLE_EQ(p.communication.coll_wait_s.value(), 2) << "mean over ranks";
  EXPECT_DOUBLE_EQ(p.communication.coll_wait_coverage.value(), 1);
}

TEST(Waiting, ThinnedInstancesStandForTheExactSum) {
  Ranks ranks(2);
  const std::uint64_t w = what(kAllreduce, 2, 8);
  for (const std::size_t rank : {0u, 1u}) ranks.call(rank, w, 100, kSecond / 100, true);
  ranks.list[1].header.thinning = 8;  // this rank kept fewer instances than the other
  ranks.instance(0, 5, w, 10);
  ranks.instance(1, 5, w, 40);
  ranks.instance(0, ~std::uint64_t{0} - 4, w, 1000000);
  const MpiOperation o = operation(ranks.fold(), "MPI_Allreduce");
  EXPECT_DOUBLE_EQ(o.time_s, 2);
  EXPECT_DOUBLE_EQ(o.transfer_s.value(), 2 * 20.0 / 50.0);
}

TEST(Waiting, IsUnknownWithoutInstancesOfAllRanks) {
  Ranks ranks(2);
  const std::uint64_t w = what(kAllreduce, 2, 8);
  for (const std::size_t rank : {0u, 1u}) ranks.call(rank, w, 1, kSecond, true);
  ranks.instance(0, 100, w, kSecond);
  const RunProfile p = ranks.fold();
  EXPECT_FALSE(operation(p, "MPI_Allreduce").transfer_s.has_value());
  EXPECT_FALSE(p.communication.coll_wait_s.has_value());
  EXPECT_DOUBLE_EQ(p.communication.coll_wait_coverage.value(), 0);
}

TEST(Waiting, OfRootedCollectivesComesFromALowQuantile) {
  Ranks ranks(1);
  const std::uint64_t w = what(kBcast, 4, 8);
  ranks.call(0, w, 50, 3000, true);
  ranks.call(0, w, 50, 3000000, true);
  const MpiOperation o = operation(ranks.fold(), "MPI_Bcast");
  EXPECT_NEAR(o.low_s.value(), 3e-6, 1e-6);
  EXPECT_NEAR(o.transfer_s.value(), 100 * 3e-6, 100e-6);
  EXPECT_EQ(o.transfer_from, "low quantile");
}

TEST(Overlap, BytesAndFlightsStandWithTheOperationThatWasPosted) {
  Ranks ranks(1);
  ranks.call(0, what(kIrecv, 2, 1000), 10, 100, false);
  ranks.call(0, what(kWait, 2, 800), 10, kSecond / 10, true, 8000);
  format::RequestRow r{};
  r.fingerprint = 1;
  r.what = what(kIrecv, 2, 800);
  r.completed = 10;
  r.bytes_received = 8000;
  r.flight_ns = 4 * kSecond;
  r.blocked_ns = kSecond;
  r.min_flight_ns_complement = ~(kSecond / 4);
  ranks.list[0].requests.push_back(r);
  r.completed = 0;  // the entry was reserved but not filled
  r.flight_ns = r.blocked_ns = r.bytes_received = r.min_flight_ns_complement = 0;
  ranks.list[0].requests.push_back(r);
  const RunProfile p = ranks.fold();
  const MpiOperation& irecv = operation(p, "MPI_Irecv");
  EXPECT_EQ(irecv.calls, 10u);
  EXPECT_EQ(irecv.completed, 10u);
  EXPECT_EQ(irecv.bytes_received, 8000u);
  EXPECT_DOUBLE_EQ(irecv.flight_s, 4);
  EXPECT_DOUBLE_EQ(irecv.min_flight_s.value(), 0.25);
  EXPECT_FALSE(operation(p, "MPI_Wait").min_flight_s.has_value());
  EXPECT_DOUBLE_EQ(irecv.blocked_s, 1);
  EXPECT_EQ(operation(p, "MPI_Wait").bytes_received, 0u) << "not twice";
  EXPECT_FALSE(operation(p, "MPI_Wait").transfer_s.has_value());
  EXPECT_DOUBLE_EQ(p.communication.bf_comm.value(), 0.25);
}

TEST(Efficiencies, AreThoseOfPop) {
  Ranks ranks(2);
  const std::uint64_t w = what(kAllreduce, 2, 8);
  ranks.call(0, w, 1, 2 * kSecond, true);
  ranks.call(1, w, 1, 5 * kSecond, true);
  ranks.instance(0, 100, w, 2 * kSecond);
  ranks.instance(1, 100, w, 5 * kSecond);
  const Efficiencies e = ranks.fold(10).communication.pop;
  EXPECT_DOUBLE_EQ(e.load_balance.value(), 6.5 / 8);
  EXPECT_DOUBLE_EQ(e.communication.value(), 0.8);
  EXPECT_DOUBLE_EQ(e.parallel.value(), 0.65);
  EXPECT_DOUBLE_EQ(e.transfer.value(), 0.8) << "2 s of transfer each";
  EXPECT_DOUBLE_EQ(e.serialisation.value(), 1.0);
}

}  // namespace
}  // namespace apmt
