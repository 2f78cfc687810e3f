// The table of instances: each call of a synchronising collective has its own entry. When more than
// half of the table is used, entries are removed, in such a way that all ranks still have some
// calls in common (see format::Instance). Entries are never looked up, so an entry may be in any
// free slot, and clearing its key frees its slot. Lock-free.
#pragma once

#include "profiler/runtime/tables.h"

namespace apmt::rt {

/// Raises the thinning level from `seen` by one and removes the entries that the new level does not
/// keep. One thread does this; others may add entries meanwhile.
inline void thin(format::Instance* table, format::Section& section, uint32_t& level,
                 uint32_t seen) {
  if (!__atomic_compare_exchange_n(&level, &seen, seen + 1, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
  for (uint64_t i = 0; i < section.capacity; ++i) {
    uint64_t key = __atomic_load_n(&table[i].key, __ATOMIC_RELAXED);
    if (key <= format::kInstanceBusy || format::survives_thinning(key, seen + 1)) continue;
    if (__atomic_compare_exchange_n(&table[i].key, &key, uint64_t{0}, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      __atomic_fetch_sub(&section.used, uint64_t{1}, __ATOMIC_RELAXED);
  }
}

inline void keep_instance(format::Instance* table, format::Section& section, uint32_t& level,
                          const format::Instance& instance) {
  constexpr uint64_t kMaxProbes = 64;
  constexpr uint32_t kMaxLevel = 60;
  const uint32_t now = __atomic_load_n(&level, __ATOMIC_RELAXED);
  if (!format::survives_thinning(instance.key, now)) return;
  uint64_t index = mix(instance.key);
  for (uint64_t probe = 0; probe < kMaxProbes; ++probe, ++index) {
    format::Instance& slot = table[index & (section.capacity - 1)];
    uint64_t seen = __atomic_load_n(&slot.key, __ATOMIC_RELAXED);
    if (seen != 0 || !__atomic_compare_exchange_n(&slot.key, &seen, format::kInstanceBusy, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    slot.what = instance.what;
    slot.time_ns = instance.time_ns;
    __atomic_store_n(&slot.key, instance.key, __ATOMIC_RELEASE);
    const uint64_t used = __atomic_add_fetch(&section.used, uint64_t{1}, __ATOMIC_RELAXED);
    if (used > section.capacity / 2 && now < kMaxLevel) thin(table, section, level, now);
    return;
  }
  add(section.dropped, 1);
}

}  // namespace apmt::rt
