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

}  // namespace
}  // namespace apmt
