#include "profiler/sampler/counter_buffer.h"

#include "profiler/runtime/memory_map.h"

namespace apmt::sampler {
namespace {

/// The kernel maps an existing buffer a second time only if the size is the same. PAPI has chosen
/// the size (at present two pages) and does not say which, so these sizes are tried in turn.
constexpr size_t kLikelyPages[] = {2, 1, 4, 8, 16, 32, 64, 128};

}  // namespace

bool CounterBuffer::map(int fd) {
  for (const size_t pages : kLikelyPages)
    if (map(fd, pages)) return true;
  return false;
}

bool CounterBuffer::map(int fd, size_t pages) {
  const size_t page_bytes = static_cast<size_t>(getpagesize());
  void* const memory =
      rt::map_memory(nullptr, (1 + pages) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  if (memory == MAP_FAILED) return false;
  data_offset_ = static_cast<uint32_t>(page_bytes);
  data_bytes_ = static_cast<uint32_t>(pages * page_bytes);
  throttled_ns_ = throttled_since_ns_ = 0;
  page_ = static_cast<perf_event_mmap_page*>(memory);
  return true;
}

void CounterBuffer::unmap() {
  if (perf_event_mmap_page* const page = page_) {
    page_ = nullptr;  // first, because a handler may run at any moment
    rt::unmap_memory(page, bytes());
  }
  forget_retired();
}

void CounterBuffer::retire() {
  if (page_ == nullptr) return;
  void* const place = page_;
  page_ = nullptr;
  // Replaces the whole mapping in one system call. With separate calls, another thread could get
  // the mapping's addresses in between, and newer kernels do not allow replacing only a part of a
  // mapping.
  if (rt::map_memory(place, bytes(), PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1) == MAP_FAILED)
    return;
  forget_retired();
  retired_ = place;
  retired_bytes_ = bytes();
}

void CounterBuffer::forget_retired() {
  if (retired_ != nullptr) rt::unmap_memory(retired_, retired_bytes_);
  retired_ = nullptr;
}

}  // namespace apmt::sampler
