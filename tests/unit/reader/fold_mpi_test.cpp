// Tests of making the rows of MPI calls and of peers from the recordings of ranks.
#include "profiler/reader/fold_mpi.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/input_error.h"

namespace apmt {
namespace {

using format::PeerClass;

RawRecording rank_of(int world_size) {
  RawRecording raw;
  raw.header.world_size = world_size;
  raw.ops.resize(2);
  std::strcpy(raw.ops[1].name, "MPI_Send");
  raw.ops[1].op_class = format::OpClass::kPointToPoint;
  return raw;
}

RunProfile fold(const RawRecording& raw) {
  RunProfile profile;
  profile.hosts.resize(1);
  profile.host_of_rank = {0};
  Symbols symbols;
  fold_mpi({raw}, symbols, &profile);
  return profile;
}

TEST(FoldMpi, TheLastBlockOfRanksEndsWithTheWorld) {
  constexpr int kMost = std::numeric_limits<int>::max();
  RawRecording raw = rank_of(kMost);
  const auto width = static_cast<int>(format::peer_block_width(kMost));
  const int first = kMost / width * width;
  format::Peer block{};
  block.rank_plus_one = static_cast<std::uint64_t>(first) + 1;
  block.messages_sent = 1;
  raw.peer_blocks = {block};
  const RunProfile profile = fold(raw);
  ASSERT_EQ(profile.peers.size(), 1u);
  EXPECT_EQ(profile.peers[0].to, first);
  EXPECT_EQ(profile.peers[0].to_last, kMost - 1);
}

TEST(FoldMpi, PeersOutsideTheWorldAreRefused) {
  for (const std::uint64_t rank_plus_one :
       {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    RawRecording raw = rank_of(4);
    format::Peer peer{};
    peer.rank_plus_one = rank_plus_one;
    raw.peers = {peer};
    EXPECT_THROW(fold(raw), InputError) << rank_plus_one;
  }
}

TEST(FoldMpi, ACallThatEndsItsFunctionReturnsToTheNextOneAndIsNotOfIt) {
  RawRecording raw = rank_of(2);
  raw.modules.push_back({0x1000, 0x2000, 0, "/nowhere/libends.so", "", false});
  raw.modules.push_back({0x2000, 0x3000, 0, "/nowhere/libbegins.so", "", false});
  format::MpiCall c{};
  c.fingerprint = 1;
  c.caller_pc = 0x2000;
  c.what = format::mpi_what(1, 0, 2, PeerClass::kSameNode, format::Stage::kMain);
  c.calls = 1;
  raw.calls = {c};
  ASSERT_EQ(fold(raw).mpi.size(), 1u);
  EXPECT_EQ(fold(raw).mpi[0].caller, "libends.so+0x1fff");
}

// An empty message and no message have the same size; only the peer tells them apart.
TEST(FoldMpi, CallsThatMoveNoMessageStandApart) {
  RawRecording raw = rank_of(2);
  for (const PeerClass peer : {PeerClass::kUntold, PeerClass::kNobody}) {
    format::MpiCall c{};
    c.fingerprint = raw.calls.size() + 1;
    c.what = format::mpi_what(1, 0, 2, peer, format::Stage::kMain);
    c.calls = 10 + raw.calls.size();
    raw.calls.push_back(c);
  }
  const RunProfile profile = fold(raw);
  ASSERT_EQ(profile.mpi.size(), 2u);
  for (const MpiRow& row : profile.mpi)
    EXPECT_EQ(row.peer, row.calls == 11 ? "nobody" : "same-node");
}

/// Calls of equal duration that move one message of 1000 bytes each way.
format::MpiCall exchanges(std::uint64_t caller_pc, std::uint64_t calls, std::uint64_t each_ns) {
  format::MpiCall c{};
  c.fingerprint = 1 + caller_pc;
  c.caller_pc = caller_pc;
  c.what = format::mpi_what(1, 10, 2, PeerClass::kSameNode, format::Stage::kMain);
  c.calls = calls;
  c.bytes_sent = c.bytes_received = 1000 * calls;
  c.time_ns = c.blocked_ns = calls * each_ns;
  c.min_ns_complement = ~each_ns;
  c.max_ns = each_ns;
  c.times[format::time_bin(each_ns)] = static_cast<std::uint32_t>(calls);
  return c;
}

RawRecording rank_with(const char* op, std::vector<format::MpiCall> calls) {
  RawRecording raw = rank_of(2);
  std::strcpy(raw.ops[1].name, op);
  raw.calls = std::move(calls);
  return raw;
}

TEST(FoldMpi, ACallThatOnlySendsWaitsForNoMessage) {
  format::MpiCall sends = exchanges(0, 100, 130);
  sends.bytes_received = 0;  // receives from MPI_PROC_NULL
  const format::MpiCall receives = exchanges(0, 100, 30'000);
  const RunProfile both = fold(rank_with("MPI_Sendrecv", {sends, receives}));
  ASSERT_EQ(both.mpi.size(), 1u);
  EXPECT_EQ(both.mpi[0].calls, 200u);
  EXPECT_EQ(both.mpi[0].arrivals, 100u);
  EXPECT_NEAR(both.mpi[0].message_s.value(), 30e-6, 1e-9);
  EXPECT_FALSE(fold(rank_with("MPI_Sendrecv", {sends})).mpi[0].message_s);
}

/// If one call site serves all neighbours, only the number of received messages tells how many of
/// its calls waited for a message.
TEST(FoldMpi, ReceivedMessagesTellHowManyCallsWaitedForOne) {
  format::MpiCall mixed = exchanges(0, 100, 30'000);
  const format::MpiCall quick = exchanges(0, 100, 130);
  mixed.calls += quick.calls;
  mixed.time_ns = mixed.blocked_ns = mixed.time_ns + quick.time_ns;
  mixed.min_ns_complement = quick.min_ns_complement;
  mixed.times[format::time_bin(130)] = 100;
  RawRecording raw = rank_with("MPI_Sendrecv", {mixed});
  format::Peer peer{};
  peer.rank_plus_one = 1;
  peer.messages_received = 100;
  raw.peers = {peer};
  const RunProfile profile = fold(raw);
  EXPECT_EQ(profile.mpi[0].arrivals, 100u);
  EXPECT_NEAR(profile.mpi[0].message_s.value(), 30e-6, 1e-6);
}

TEST(FoldMpi, ASendTakesAsLongAsTheQuickest) {
  format::MpiCall sends = exchanges(0, 100, 1000);
  sends.times[format::time_bin(1000)] = 50;
  sends.times[format::time_bin(1'000'000)] = 50;
  sends.max_ns = 1'000'000;
  sends.time_ns = sends.blocked_ns = 50 * 1'001'000;
  sends.bytes_received = 0;
  const RunProfile profile = fold(rank_with("MPI_Send", {sends}));
  EXPECT_EQ(profile.mpi[0].arrivals, 100u);
  EXPECT_NEAR(profile.mpi[0].message_s.value(), 1e-6, 0.1e-6);
}

/// Four receives and four sends are completed by one call.
TEST(FoldMpi, ACompletionWaitsForAllItsMessages) {
  RawRecording raw = rank_with("MPI_Waitall", {});
  raw.ops[1].op_class = format::OpClass::kCompletion;
  raw.ops.resize(3);
  std::strcpy(raw.ops[2].name, "MPI_Irecv");
  raw.ops[2].op_class = format::OpClass::kPointToPoint;
  format::RequestRow received{};
  received.what = format::mpi_what(2, 10, 2, PeerClass::kSameNode, format::Stage::kMain);
  received.completed = 400;
  raw.requests = {received};
  format::MpiCall waits = exchanges(0, 100, 30'000);
  waits.times[format::time_bin(30'000)] = 20;  // a fifth waits for nobody
  waits.times[format::time_bin(300'000)] = 80;
  waits.max_ns = 300'000;
  waits.time_ns = waits.blocked_ns = 20 * 30'000 + 80 * 300'000;
  raw.calls = {waits};
  const RunProfile profile = fold(raw);
  EXPECT_EQ(profile.mpi[0].arrivals, 100u);
  EXPECT_LT(profile.mpi[0].message_s.value(), 0.6 * 300e-6);
}

}  // namespace
}  // namespace apmt
