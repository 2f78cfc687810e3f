// A table from MPI handles to the recorder's data about them. It has a fixed size, and zeroed
// memory is an empty table, so it needs neither allocation nor initialisation. It is lock-free,
// because any thread may create, use and free handles.
#pragma once

#include <stdint.h>

#include "family.h"

namespace apmt::shim {

/// The kind of object that a handle stands for. It is part of the key, because the handles of two
/// objects of different kinds may be equal.
enum class HandleKind : uint64_t { kComm = 1, kWindow, kFile, kType, kRequest, kMessage };

template <class Handle>
uint64_t handle_key(HandleKind kind, Handle handle) {
  return (static_cast<uint64_t>(kind) << 60) | (handle_bits(handle) & ((uint64_t{1} << 60) - 1));
}

inline uint64_t spread(uint64_t x) {
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 29);
}

/// A table of entries; `Entry` has a member `uint64_t key`. The key of a slot is first kFree, then
/// kBusy while the slot is being filled, then the key of a handle, and kRemoved after the handle is
/// freed; then the slot may become kBusy again. A search continues past a removed slot, but ends at
/// a free one. If two threads add the same handle at the same time, the table may hold it twice.
template <class Entry, uint32_t kCapacity>
class HandleTable {
 public:
  static constexpr bool kBeginsEmpty = true;

  /// The first entry with that key, or nullptr.
  Entry* find(uint64_t key) {
    const uint64_t start = spread(key);
    for (uint64_t i = 0; i < kMaxProbes; ++i) {
      Entry& entry = slots_[(start + i) & kMask];
      const uint64_t seen = __atomic_load_n(&entry.key, __ATOMIC_ACQUIRE);
      if (seen == key) return &entry;
      if (seen == kFree) return nullptr;
    }
    return nullptr;
  }

  /// Returns a slot, which the caller fills and then publishes under `key`; nullptr if all slots
  /// that may hold this key are taken.
  Entry* claim(uint64_t key) {
    const uint64_t start = spread(key);
    for (uint64_t i = 0; i < kMaxProbes; ++i) {
      Entry& entry = slots_[(start + i) & kMask];
      uint64_t seen = __atomic_load_n(&entry.key, __ATOMIC_RELAXED);
      if (seen > kRemoved) continue;
      if (__atomic_compare_exchange_n(&entry.key, &seen, kBusy, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
        return &entry;
    }
    return nullptr;
  }
  void publish(Entry& entry, uint64_t key) { __atomic_store_n(&entry.key, key, __ATOMIC_RELEASE); }

  /// Returns true if this call removed the entry, false if another thread did.
  bool remove(Entry& entry, uint64_t key) {
    return __atomic_compare_exchange_n(&entry.key, &key, kRemoved, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
  }
  void remove_all(uint64_t key) {
    while (Entry* entry = find(key)) remove(*entry, key);
  }

 private:
  static_assert((kCapacity & (kCapacity - 1)) == 0);
  static constexpr uint64_t kMask = kCapacity - 1;
  static constexpr uint64_t kFree = 0, kRemoved = 1, kBusy = 2;
  static constexpr uint64_t kMaxProbes = 64;

  Entry slots_[kCapacity];
};

}  // namespace apmt::shim
