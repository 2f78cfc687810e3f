#include "profiler/runtime/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

namespace apmt::rt {
namespace {

using format::MpiCall;
using format::Peer;
using format::PeerClass;
using format::Sample;
using format::Section;
using format::Stage;

template <typename Entry>
struct Table {
  explicit Table(std::uint64_t capacity)
      : entries(capacity),
        section{format::SectionKind::kSamples, sizeof(Entry), 0, capacity, 0, 0} {}
  std::vector<Entry> entries;
  Section section;
  UsedParts used = {};
};

TEST(Tables, SamplesOfOneKeyMeetInOneSlot) {
  Table<Sample> t(64);
  const std::uint64_t inside = format::sample_key(0x7f0000001234, 17, Stage::kMain);
  const std::uint64_t outside = format::sample_key(0x7f0000001234, 0, Stage::kMain);
  add_sample(t.entries.data(), t.section, t.used, inside, 0, 2);
  add_sample(t.entries.data(), t.section, t.used, outside, 0, 5);
  add_sample(t.entries.data(), t.section, t.used, inside, 0, 1);
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const Sample& s : t.entries)
    if (s.key != 0) counts[s.key] = s.counts[0];
  EXPECT_EQ(counts, (std::map<std::uint64_t, std::uint64_t>{{inside, 3}, {outside, 5}}));
  EXPECT_EQ(t.section.used, 2u);
  EXPECT_EQ(format::sample_pc(inside), 0x7f0000001234u);
  EXPECT_EQ(format::sample_op(inside), 17u);
  EXPECT_EQ(format::sample_stage(inside), Stage::kMain);
}

TEST(Tables, SignalsThatStandForManySamplesAreKnownByTheirSquares) {
  Table<Sample> t(64);
  const std::uint64_t key = format::sample_key(0x7f0000001234, 0, Stage::kMain);
  for (const std::uint64_t count : {1, 4, 5})
    add_sample(t.entries.data(), t.section, t.used, key, 0, count, format::kSquaresColumn);
  for (const Sample& s : t.entries) {
    if (s.key == 0) continue;
    EXPECT_EQ(s.counts[0], 10u);
    EXPECT_EQ(s.counts[format::kSquaresColumn], 1u + 16 + 25);
  }
}

TEST(Tables, PartsWithEntriesAreKnownAndTheOthersNeedNotBeTouched) {
  for (const std::uint64_t capacity : {64, 256, 16384}) {
    Table<Sample> t(capacity);
    for (std::uint64_t pc = 1; pc <= 20; ++pc)
      add_sample(t.entries.data(), t.section, t.used, format::sample_key(pc, 0, Stage::kMain), 0,
                 1);
    std::uint64_t found = 0;
    std::uint64_t visited = 0;
    t.used.for_each(capacity, [&](std::uint64_t begin, std::uint64_t end) {
      ASSERT_LE(end, capacity);
      visited += end - begin;
      for (std::uint64_t i = begin; i < end; ++i) found += t.entries[i].key != 0;
    });
    EXPECT_EQ(found, 20u) << capacity;
    EXPECT_LE(visited, std::max<std::uint64_t>(20, 20 * capacity / 256)) << capacity;
  }
}

TEST(Tables, AFullTableCountsWhatItCouldNotTake) {
  Table<Sample> t(16);
  for (std::uint64_t pc = 1; pc <= 20; ++pc)
    add_sample(t.entries.data(), t.section, t.used, format::sample_key(pc, 0, Stage::kMain), 0, 1);
  EXPECT_EQ(t.section.used, 16u);
  EXPECT_EQ(t.section.dropped, 4u);
}

TEST(Tables, ThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20000;
  constexpr std::uint64_t kKeys = 300;
  Table<Sample> t(1024);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&t, thread] {
      for (int i = 0; i < kRounds; ++i)
        add_sample(t.entries.data(), t.section, t.used,
                   format::sample_key(1 + static_cast<std::uint64_t>(i * 7 + thread) % kKeys, 0,
                                      Stage::kMain),
                   0, 1);
    });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t total = 0;
  std::uint64_t slots = 0;
  for (const Sample& s : t.entries) {
    total += s.counts[0];
    slots += s.key != 0;
  }
  EXPECT_EQ(total, std::uint64_t{kThreads} * kRounds);
  EXPECT_EQ(slots, kKeys) << "a key was given two slots";
  EXPECT_EQ(t.section.used, kKeys);
}

TEST(Tables, MpiRowsKeepSumsMinimumAndMaximum) {
  Table<MpiCall> t(64);
  const std::uint64_t what =
      format::mpi_what(9, format::size_class(4096), 8, PeerClass::kSameNode, Stage::kMain);
  for (const std::uint64_t time_ns : {500u, 200u, 900u})
    add_mpi_call(t.entries.data(), t.section, t.used,
                 {0x1000, what, std::uint64_t{3} << 31, 8, time_ns, time_ns / 2});
  ASSERT_EQ(t.section.used, 1u);
  for (const MpiCall& row : t.entries) {
    if (row.fingerprint == 0) continue;
    EXPECT_EQ(row.calls, 3u);
    EXPECT_EQ(row.bytes_sent, std::uint64_t{9} << 31) << "64-bit bytes";
    EXPECT_EQ(row.time_ns, 1600u);
    EXPECT_EQ(~row.min_ns_complement, 200u);
    EXPECT_EQ(row.max_ns, 900u);
    EXPECT_EQ(row.blocked_ns, 800u);
    EXPECT_EQ(format::what_op(row.what), 9u);
    EXPECT_EQ(format::what_size_class(row.what), 13u);
    EXPECT_EQ(format::what_comm_size(row.what), 8u);
    EXPECT_EQ(format::what_peer(row.what), PeerClass::kSameNode);
  }
}

// The thread for which `alone` is true adds without atomic operations. It has rows of its own, so
// every addition of every thread must be counted.
TEST(Tables, NothingIsLostBesideAThreadThatAddsAlone) {
  constexpr int kThreads = 3, kRounds = 100000;
  Table<MpiCall> calls(64);
  Table<Peer> peers(64);
  Peer blocks[format::kPeerBlockCount] = {};
  const PeerTable table{peers.entries.data(), peers.section, blocks, 2};
  const std::uint64_t what = format::mpi_what(9, 4, 8, PeerClass::kSameNode, Stage::kMain);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, alone = t == 0] {
      for (int i = 0; i < kRounds; ++i) {
        add_mpi_call(calls.entries.data(), calls.section, calls.used, {0x1000, what, 8, 0, 5, 5},
                     alone);
        add_message(table, 1, 8, Direction::kSent, alone);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t counted = 0, in_bins = 0, messages = 0;
  for (const MpiCall& row : calls.entries) {
    counted += row.calls;
    in_bins += row.times[format::time_bin(5)];
  }
  for (const Peer& row : peers.entries) messages += row.messages_sent;
  EXPECT_EQ(counted, std::uint64_t{kThreads} * kRounds);
  EXPECT_EQ(in_bins, counted);
  EXPECT_EQ(messages, counted);
}

TEST(Tables, EndedRequestsKeepSumsAndTheShortestFlight) {
  Table<format::RequestRow> t(64);
  const std::uint64_t what = format::mpi_what(9, 4, 8, PeerClass::kSameNode, Stage::kMain);
  for (const std::uint64_t flight_ns : {500u, 200u, 900u})
    add_ended_request(t.entries.data(), t.section, {0x1000, what, 8, 16, flight_ns, 50});
  ASSERT_EQ(t.section.used, 1u);
  for (const format::RequestRow& row : t.entries) {
    if (row.fingerprint == 0) continue;
    EXPECT_EQ(row.caller_pc, 0x1000u);
    EXPECT_EQ(row.what, what);
    EXPECT_EQ(row.completed, 3u);
    EXPECT_EQ(row.bytes_sent, 24u);
    EXPECT_EQ(row.bytes_received, 48u);
    EXPECT_EQ(row.flight_ns, 1600u);
    EXPECT_EQ(row.blocked_ns, 150u);
    EXPECT_EQ(~row.min_flight_ns_complement, 200u);
    EXPECT_EQ(row.max_flight_ns, 900u);
  }
}

TEST(Tables, SizeClassesArePowersOfTwo) {
  EXPECT_EQ(format::size_class(0), 0u);
  EXPECT_EQ(format::size_class(1), 1u);
  EXPECT_EQ(format::size_class(2), 2u);
  EXPECT_EQ(format::size_class(3), 2u);
  EXPECT_EQ(format::size_class(4), 3u);
  EXPECT_EQ(format::size_class(~std::uint64_t{0}), 64u);
}

TEST(Tables, PeersCountBothDirectionsAndNoNegativeRank) {
  Table<Peer> t(64);
  Peer blocks[format::kPeerBlockCount] = {};
  const PeerTable peers{t.entries.data(), t.section, blocks, 2};
  add_message(peers, 0, 100, Direction::kSent, true);
  add_message(peers, 0, 50, Direction::kReceived, true);
  add_message(peers, -1, 50, Direction::kSent, true);  // MPI_PROC_NULL is not a peer
  ASSERT_EQ(t.section.used, 1u);
  for (const Peer& peer : t.entries) {
    if (peer.rank_plus_one == 0) continue;
    EXPECT_EQ(peer.rank_plus_one, 1u);
    EXPECT_EQ(peer.messages_sent, 1u);
    EXPECT_EQ(peer.bytes_sent, 100u);
    EXPECT_EQ(peer.messages_received, 1u);
    EXPECT_EQ(peer.bytes_received, 50u);
  }
}

}  // namespace
}  // namespace apmt::rt
