// The kernel's buffer for one counter. The kernel writes a record for every overflow into memory
// that it shares with the process, so the handler needs no system call to read it. The records show
// how often the counter overflowed and where, even if several counters, or several overflows of one
// counter, raised a single signal.
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

namespace apmt::sampler {

/// Async-signal-safe, except for map(fd) and unmap().
class CounterBuffer {
 public:
  /// Maps the buffer of a counter that PAPI has opened and mapped already. False if that fails.
  bool map(int fd);
  /// Maps a new buffer of this many pages, a power of two, for a counter that has none.
  bool map(int fd, size_t pages);
  /// Unmaps the buffer. To be called only when no other code of the thread may still read it.
  void unmap();
  /// Like unmap(), but for a handler. The interrupted code may be about to read at the address that
  /// written() returned, so zeroed memory replaces the buffer until the next retire() or unmap().
  void retire();
  bool is_mapped() const { return page() != nullptr; }

  /// written(): address of the position up to which the kernel has written; nullptr if not mapped.
  /// visited(): the position up to which records were visited.
  const unsigned long long* written() const {
    perf_event_mmap_page* const at = page();
    return at == nullptr ? nullptr : &at->data_head;
  }
  uint64_t visited() const {
    perf_event_mmap_page* const at = page();
    return at == nullptr ? 0 : at->data_tail;
  }
  bool has_new() const {
    perf_event_mmap_page* const at = page();
    return at != nullptr && __atomic_load_n(&at->data_head, __ATOMIC_ACQUIRE) != at->data_tail;
  }

  /// Calls visit(type, at, is_latest) for each record since the last visit, in order; word(at) is
  /// the record's header.
  template <class Visit>
  void visit_records(Visit visit) {
    if (page_ == nullptr) return;
    const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
    for (uint64_t at = page_->data_tail; at != head;) {
      const uint64_t first = word(at);  // struct perf_event_header
      const uint64_t bytes = first >> 48;
      if (bytes < sizeof first || bytes > head - at) break;
      visit(static_cast<uint32_t>(first), at, at + bytes == head);
      at += bytes;
    }
    __atomic_store_n(&page_->data_tail, head, __ATOMIC_RELEASE);
  }

  /// Calls visit(ip, count) for the overflows since the last visit, in order. `ip` is 0 in two
  /// cases: for the latest overflow, whose place the signal's context shows more accurately, and
  /// for overflows that the kernel had no room to record.
  template <class Visit>
  void visit_new(Visit visit) {
    visit_records([&](uint32_t type, uint64_t at, bool is_latest) {
      if (type == PERF_RECORD_SAMPLE) visit(is_latest ? 0 : word(at + 8), uint64_t{1});
      if (type == PERF_RECORD_LOST) visit(uint64_t{0}, word(at + 16));
      if (type == PERF_RECORD_THROTTLE) throttled_since_ns_ = word(at + 8);
      if (type == PERF_RECORD_UNTHROTTLE) end_throttling(word(at + 8));
    });
  }

  /// Reads 8 bytes at position `at`. Records are multiples of 8 bytes; positions wrap around at the
  /// buffer's end.
  uint64_t word(uint64_t at) const {
    return *reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(page_) + data_offset_ +
                                              (at & (data_bytes_ - 1)));
  }

  /// How long the kernel had stopped the counter because it overflowed too often, according to the
  /// visited records. Events in that time are not counted.
  uint64_t throttled_ns() const { return throttled_ns_; }

 private:
  /// Callers must call this once and keep the result, because a handler may change the page at any
  /// moment.
  perf_event_mmap_page* page() const { return __atomic_load_n(&page_, __ATOMIC_RELAXED); }

  void forget_retired();

  void end_throttling(uint64_t now_ns) {
    if (throttled_since_ns_ != 0 && now_ns > throttled_since_ns_)
      throttled_ns_ += now_ns - throttled_since_ns_;
    throttled_since_ns_ = 0;
  }

  size_t bytes() const { return size_t{data_offset_} + data_bytes_; }

  perf_event_mmap_page* page_ = nullptr;
  void* retired_ = nullptr;  // the zeroed memory in place of the last retired buffer
  size_t retired_bytes_ = 0;
  uint32_t data_offset_ = 0;
  uint32_t data_bytes_ = 0;
  uint64_t throttled_ns_ = 0;
  uint64_t throttled_since_ns_ = 0;  // when the kernel stopped the counter; 0: it runs
};

}  // namespace apmt::sampler
