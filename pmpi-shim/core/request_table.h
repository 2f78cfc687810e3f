// A table from request handles to open requests. A handle may stand for many requests at once:
// MPICH gives the same handle to all sends that are complete when they are posted. So each handle
// has a stack of requests, and finding one is quick, however many there are. The table has a fixed
// size, and zeroed memory is an empty table. It is lock-free, because any thread may post, complete
// and free requests.
//
// A slot belongs to one handle value and holds its stack. The slot keeps the value when the stack
// becomes empty, because MPI libraries use handle values again. For a new handle value, the slots
// are searched from the position that its hash gives, and the first slot with an empty stack is
// taken.
//
// Each request is stored in a node. A thread ends a request by an atomic exchange of the node's
// `life`, which has another value each time that the node is used. The thread whose exchange
// succeeds owns the request. The node is taken off the stack later, as soon as no open request is
// above it.
#pragma once

#include <stdint.h>

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// `Value` is a plain struct. At most `kCapacity` values, a power of two, can be open at once.
/// Several threads may use the table after share(), which is called while only one thread uses it.
template <class Value, uint32_t kCapacity>
class RequestTable {
 public:
  static constexpr bool kBeginsEmpty = true;

  /// Refers to one open value, as found by find(). Default: none.
  struct Ref {
    uint32_t number = 0;
    uint32_t slot = 0;  // the slot in which it was found
    uint64_t life = 0;
    explicit operator bool() const { return number != 0; }
  };

  void share() { __atomic_store_n(&shared_, true, __ATOMIC_RELEASE); }

  /// Returns false when the table is full. `fill` writes the value directly into the table, because
  /// reading back a copy that was just written would stall the processor.
  template <class Fill>
  bool add(uint64_t key, const Fill& fill) {
    const uint32_t number = take_node();
    if (number == 0) return false;
    Node& node = node_of(number);
    fill(node.value);
    // Only this thread changes `life` now; an exchange by another thread, for an earlier use of the
    // node, fails.
    const uint64_t life = __atomic_load_n(&node.life, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&node.life, life, __ATOMIC_RELEASE);  // odd: the value is open
    if (push(key, number)) return true;
    __atomic_store_n(&node.life, life + 1, __ATOMIC_RELEASE);
    give_back(number);
    return false;
  }

  /// The open value that was added last under the key.
  Ref find(uint64_t key) {
    const uint64_t start = spread(key);
    for (uint64_t i = 0; i < kMaxProbes; ++i) {
      const uint32_t at = static_cast<uint32_t>((start + i) & kSlotMask);
      const uint64_t seen = __atomic_load_n(&slots_[at].key, __ATOMIC_ACQUIRE);
      if (seen == 0 && __atomic_load_n(&slots_[at].head, __ATOMIC_ACQUIRE) == 0) return {};
      if (seen != key) continue;
      if (const Ref top = top_of(at, key)) return top;
    }
    return {};
  }

  /// Whether the value is still open, so that what was read through value() is valid.
  bool lives(Ref ref) {
    return __atomic_load_n(&node_of(ref.number).life, __ATOMIC_ACQUIRE) == ref.life;
  }

  /// The value. May be called only between find() and end(), by a thread that may use the request.
  Value& value(Ref ref) { return node_of(ref.number).value; }

  /// True if this call ended the request; then `out` is its value.
  bool end(uint64_t key, Ref ref, Value* out) {
    Node& node = node_of(ref.number);
    copy(node.value, out);  // valid if the exchange succeeds: then the node was not reused
    uint64_t life = ref.life;
    if (!exchange(node.life, life, life + 1)) return false;
    top_of(ref.slot, key);  // takes ended requests off the stack
    return true;
  }

 private:
  struct Node {
    Value value;
    uint64_t life;  // odd: open
    uint32_t next;  // the node below on the stack, or the next free one
  };
  struct Slot {
    uint64_t key;   // 0: never used
    uint64_t head;  // head of the stack, made by head()
  };
  /// A head holds the number of the top node in the lower 32 bits. Numbers begin at 1. The number 0
  /// means that there is no node; kChangingHands means that the slot is being given to another
  /// handle. The upper bits count changes, so that an exchange cannot mistake an old head for the
  /// present one.
  static constexpr uint32_t kChangingHands = ~uint32_t{0};
  static constexpr uint64_t head(uint64_t before, uint32_t number) {
    return (((before >> 32) + 1) << 32) | number;
  }
  static constexpr uint32_t number_in(uint64_t head) { return static_cast<uint32_t>(head); }

  static_assert((kCapacity & (kCapacity - 1)) == 0);
  static constexpr uint32_t kSlots = 2 * kCapacity;
  static constexpr uint64_t kSlotMask = kSlots - 1;
  static constexpr uint64_t kMaxProbes = 64;

  Node& node_of(uint32_t number) { return nodes_[number - 1]; }

  /// Copies a value that another thread may be overwriting, if the request has been ended meanwhile
  /// and its node is used again. Then the caller drops the copy. Thread sanitizers would report a
  /// race, so they do not check this function.
  __attribute__((no_sanitize("thread"))) static void copy(const Value& from, Value* to) {
    *to = from;
  }

  /// Compares and exchanges. Uses no atomic operation if only one thread uses the table, because
  /// plain accesses are 20 times cheaper.
  bool exchange(uint64_t& at, uint64_t& seen, uint64_t wanted) {
    if (!__atomic_load_n(&shared_, __ATOMIC_RELAXED)) {
      if (at != seen) {
        seen = at;
        return false;
      }
      at = wanted;
      return true;
    }
    return __atomic_compare_exchange_n(&at, &seen, wanted, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
  }

  uint32_t take_node() {
    uint64_t seen = __atomic_load_n(&free_, __ATOMIC_ACQUIRE);
    while (const uint32_t number = number_in(seen)) {
      const uint32_t next = __atomic_load_n(&node_of(number).next, __ATOMIC_RELAXED);
      if (exchange(free_, seen, head(seen, next))) return number;
    }
    uint64_t fresh = __atomic_load_n(&used_, __ATOMIC_RELAXED);
    while (fresh < kCapacity)
      if (exchange(used_, fresh, fresh + 1)) return static_cast<uint32_t>(fresh + 1);
    return 0;
  }
  void give_back(uint32_t number) {
    uint64_t seen = __atomic_load_n(&free_, __ATOMIC_ACQUIRE);
    do __atomic_store_n(&node_of(number).next, number_in(seen), __ATOMIC_RELAXED);
    while (!exchange(free_, seen, head(seen, number)));
  }

  /// The open request on top of the slot's stack; ended requests above it are taken off. A thread
  /// that gives the slot to another handle changes the head before and after it changes the key. So
  /// the key belongs to the stack if the head is the same before and after the key is read.
  [[gnu::always_inline]] Ref top_of(uint32_t at, uint64_t key) {
    Slot& slot = slots_[at];
    for (;;) {
      uint64_t seen = __atomic_load_n(&slot.head, __ATOMIC_ACQUIRE);
      const uint32_t number = number_in(seen);
      if (number == 0 || number == kChangingHands) return {};
      Node& node = node_of(number);
      const uint64_t life = __atomic_load_n(&node.life, __ATOMIC_ACQUIRE);
      const uint32_t next = __atomic_load_n(&node.next, __ATOMIC_RELAXED);
      if (__atomic_load_n(&slot.key, __ATOMIC_ACQUIRE) != key) return {};
      if (__atomic_load_n(&slot.head, __ATOMIC_ACQUIRE) != seen) continue;
      if ((life & 1) != 0) return {number, at, life};
      if (exchange(slot.head, seen, head(seen, next))) give_back(number);
    }
  }

  bool push(uint64_t key, uint32_t number) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Slot* const slot = slot_for(key);
      if (slot == nullptr) return false;
      uint64_t seen = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);
      while (number_in(seen) != kChangingHands &&
             __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) == key) {
        __atomic_store_n(&node_of(number).next, number_in(seen), __ATOMIC_RELAXED);
        if (exchange(slot->head, seen, head(seen, number))) return true;
      }
    }
    return false;
  }

  /// The key's own slot, or else the first one with an empty stack, which is given to the key.
  Slot* slot_for(uint64_t key) {
    const uint64_t start = spread(key);
    Slot* vacant = nullptr;
    for (uint64_t i = 0; i < kMaxProbes; ++i) {
      Slot& slot = slots_[(start + i) & kSlotMask];
      // The head is read before the key, so if it shows a request, the slot has a key. In the other
      // order, another thread could take the unused slot between the two reads, and this search
      // would end without a slot.
      const uint32_t top = number_in(__atomic_load_n(&slot.head, __ATOMIC_ACQUIRE));
      const uint64_t seen = __atomic_load_n(&slot.key, __ATOMIC_ACQUIRE);
      if (top == kChangingHands) continue;
      if (seen == key) return &slot;
      if (vacant == nullptr && top == 0) vacant = &slot;
      if (seen == 0) break;  // keys are never put behind an unused slot
    }
    if (vacant == nullptr) return nullptr;
    uint64_t seen = __atomic_load_n(&vacant->head, __ATOMIC_ACQUIRE);
    if (number_in(seen) != 0 || !exchange(vacant->head, seen, head(seen, kChangingHands)))
      return vacant;  // another thread took it; the caller checks its key
    seen = head(seen, kChangingHands);
    __atomic_store_n(&vacant->key, key, __ATOMIC_RELEASE);
    __atomic_store_n(&vacant->head, head(seen, 0), __ATOMIC_RELEASE);
    return vacant;
  }

  static constexpr int kAttempts = 1000;  // each fails only if another thread changes the slot

  uint64_t free_;  // head of the list of free nodes
  uint64_t used_;  // number of nodes that were ever in use
  bool shared_;
  Slot slots_[kSlots];
  Node nodes_[kCapacity];
};

}  // namespace apmt::shim
