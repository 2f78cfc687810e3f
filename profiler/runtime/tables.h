// The open-addressed tables of a recording. They are lock-free, async-signal-safe and never freed:
// a compare-and-swap on the key claims a slot, and after that values are only added to the slot.
// Several threads and their signal handlers may use a table at the same time.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"
#include "profiler/runtime/state.h"

namespace apmt::rt {

inline uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline void add(uint64_t& counter, uint64_t n) {
  if (n != 0) __atomic_fetch_add(&counter, n, __ATOMIC_RELAXED);
}

/// Adds without an atomic read-modify-write, because plain loads and stores cost much less. No
/// other thread may add to `counter`.
inline void add_alone(uint64_t& counter, uint64_t n) {
  __atomic_store_n(&counter, __atomic_load_n(&counter, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}
inline void add_by(bool alone, uint64_t& counter, uint64_t n) {
  if (alone)
    add_alone(counter, n);
  else
    add(counter, n);
}

inline void raise_to(uint64_t& value, uint64_t candidate) {
  uint64_t seen = __atomic_load_n(&value, __ATOMIC_RELAXED);
  while (candidate > seen && !__atomic_compare_exchange_n(&value, &seen, candidate, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/// A hash for consecutive numbers, such as ranks.
inline uint64_t scattered(uint64_t number) { return (number * 0x9e3779b97f4a7c15ULL) >> 32; }

/// A hash for keys that are hashes already. Drops their lowest bit, which is always set.
inline uint64_t above_lowest_bit(uint64_t fingerprint) { return fingerprint >> 1; }

/// Returns the slot with this key, or claims a free slot for it. Returns nullptr if `kMaxProbes`
/// successive slots belong to other keys. The table's capacity must be a power of two. `claimed`
/// tells whether this call claimed the slot.
template <typename Entry, uint64_t Entry::*key_of, uint64_t (*spread)(uint64_t) = mix>
Entry* look_for(Entry* table, format::Section& section, uint64_t key, bool* claimed) {
  constexpr uint64_t kMaxProbes = 64;  // bounds the time a handler can take
  const uint64_t mask = section.capacity - 1;
  uint64_t index = spread(key);
  *claimed = false;
  for (uint64_t probe = 0; probe < kMaxProbes; ++probe, ++index) {
    Entry& entry = table[index & mask];
    uint64_t seen = __atomic_load_n(&(entry.*key_of), __ATOMIC_ACQUIRE);
    if (seen == key) return &entry;
    if (seen != 0) continue;
    if (__atomic_compare_exchange_n(&(entry.*key_of), &seen, key, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      add(section.used, 1);
      *claimed = true;
      return &entry;
    }
    if (seen == key) return &entry;  // another thread claimed it for the same key
  }
  return nullptr;
}

/// Like look_for(), but counts in `section.dropped` if there is no slot.
template <typename Entry, uint64_t Entry::*key_of, uint64_t (*spread)(uint64_t) = mix>
Entry* find_or_claim(Entry* table, format::Section& section, uint64_t key, bool* claimed) {
  Entry* entry = look_for<Entry, key_of, spread>(table, section, key, claimed);
  if (entry == nullptr) add(section.dropped, 1);
  return entry;
}

/// Adds an observation that stands for `count` samples. If `squares_column` is not 0, also adds to
/// the sum of squares. True if it is the first observation with this key.
inline bool add_sample(format::Sample* table, format::Section& section, UsedParts& used,
                       uint64_t key, uint32_t event, uint64_t count, uint32_t squares_column = 0) {
  bool claimed;
  format::Sample* s =
      find_or_claim<format::Sample, &format::Sample::key>(table, section, key, &claimed);
  if (s == nullptr) return false;
  if (claimed) used.note(static_cast<uint64_t>(s - table), section.capacity);
  add(s->counts[event], count);
  if (squares_column != 0) add(s->counts[squares_column], count * count);
  return claimed;
}

struct CallNumbers {
  uint64_t caller_pc;
  uint64_t what;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t time_ns;
  uint64_t blocked_ns;
};

/// The key of a row. The thread that initialised MPI has rows of its own (`alone`), so that it can
/// add without atomic operations; all other threads share rows.
inline uint64_t row_fingerprint(uint64_t caller_pc, uint64_t what, bool alone) {
  __extension__ using Wide = unsigned __int128;
  const Wide product =
      static_cast<Wide>(caller_pc ^ 0x9e3779b97f4a7c15ULL) * (what ^ 0xd6e8feb86659fd93ULL);
  const uint64_t row = static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
  return (alone ? row : ~row) | 1;
}

/// Adds a call to its row. True if it is the first call in that row.
inline bool add_mpi_call(format::MpiCall* table, format::Section& section, UsedParts& used,
                         const CallNumbers& n, bool alone = false) {
  bool claimed;
  format::MpiCall* row =
      find_or_claim<format::MpiCall, &format::MpiCall::fingerprint, above_lowest_bit>(
          table, section, row_fingerprint(n.caller_pc, n.what, alone), &claimed);
  if (row == nullptr) return false;
  if (claimed) {
    used.note(static_cast<uint64_t>(row - table), section.capacity);
    __atomic_store_n(&row->caller_pc, n.caller_pc, __ATOMIC_RELAXED);
    __atomic_store_n(&row->what, n.what, __ATOMIC_RELAXED);
  }
  add_by(alone, row->calls, 1);
  add_by(alone, row->bytes_sent, n.bytes_sent);
  add_by(alone, row->bytes_received, n.bytes_received);
  add_by(alone, row->time_ns, n.time_ns);
  add_by(alone, row->blocked_ns, n.blocked_ns);
  // The table stores the complement of the minimum, because 0 in a new slot must mean "no call
  // yet". So a smaller time raises the stored value.
  raise_to(row->min_ns_complement, ~n.time_ns);
  raise_to(row->max_ns, n.time_ns);
  uint32_t& times = row->times[format::time_bin(n.time_ns)];
  if (alone)
    __atomic_store_n(&times, __atomic_load_n(&times, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  else
    __atomic_fetch_add(&times, 1u, __ATOMIC_RELAXED);
  return claimed;
}

struct RequestNumbers {
  uint64_t caller_pc;
  uint64_t what;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t flight_ns;
  uint64_t blocked_ns;
};

inline void add_ended_request(format::RequestRow* table, format::Section& section,
                              const RequestNumbers& n, bool alone = false) {
  bool claimed;
  format::RequestRow* row =
      find_or_claim<format::RequestRow, &format::RequestRow::fingerprint, above_lowest_bit>(
          table, section, row_fingerprint(n.caller_pc, n.what, alone), &claimed);
  if (row == nullptr) return;
  if (claimed) {
    __atomic_store_n(&row->caller_pc, n.caller_pc, __ATOMIC_RELAXED);
    __atomic_store_n(&row->what, n.what, __ATOMIC_RELAXED);
  }
  add_by(alone, row->completed, 1);
  add_by(alone, row->bytes_sent, n.bytes_sent);
  add_by(alone, row->bytes_received, n.bytes_received);
  add_by(alone, row->flight_ns, n.flight_ns);
  add_by(alone, row->blocked_ns, n.blocked_ns);
  raise_to(row->min_flight_ns_complement, ~n.flight_ns);
  raise_to(row->max_flight_ns, n.flight_ns);
}

enum class Direction { kSent, kReceived };

struct PeerTable {
  format::Peer* exact;
  format::Section& section;  // of `exact`
  format::Peer* blocks;
  uint32_t world_size;
};

inline PeerTable peer_table(const Recording& r) {
  return {r.peers, r.section(format::SectionKind::kPeers), r.peer_blocks,
          static_cast<uint32_t>(r.header->world_size)};
}

/// The row for messages to and from a rank. If the table has no slot for the rank, this is the row
/// of the block of consecutive ranks that contains the rank; all threads share this row, so
/// `*alone` becomes false.
inline format::Peer& row_of_peer(const PeerTable& table, uint32_t world_rank, bool* alone) {
  bool claimed;
  const uint64_t key = uint64_t{world_rank} + 1;
  if (format::Peer* own = look_for<format::Peer, &format::Peer::rank_plus_one, scattered>(
          table.exact, table.section, *alone ? key : key | format::kPeerOfOtherThreads, &claimed))
    return *own;
  *alone = false;
  const uint32_t width = format::peer_block_width(table.world_size);
  const uint32_t block = world_rank / width % format::kPeerBlockCount;
  __atomic_store_n(&table.blocks[block].rank_plus_one, uint64_t{block} * width + 1,
                   __ATOMIC_RELAXED);
  return table.blocks[block];
}

inline void add_message(const PeerTable& table, int world_rank, uint64_t bytes, Direction direction,
                        bool alone = false) {
  if (world_rank < 0) return;
  format::Peer& peer = row_of_peer(table, static_cast<uint32_t>(world_rank), &alone);
  const bool sent = direction == Direction::kSent;
  add_by(alone, sent ? peer.messages_sent : peer.messages_received, 1);
  add_by(alone, sent ? peer.bytes_sent : peer.bytes_received, bytes);
}

}  // namespace apmt::rt
