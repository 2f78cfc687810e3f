// Memory that is zero at first. It comes straight from the operating system, so pages that are
// never touched cost nothing, and the program's malloc is not called. clear() releases all of it
// together.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace apmt::kernels {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;
  ~ZeroedMemory() { clear(); }

  /// Takes memory for a table of which usually only small parts are touched; nullptr: there is no
  /// memory.
  void* take_sparse(std::size_t bytes) {
    void* table = map(bytes);
    // Huge pages cause fewer page faults. The beginning of the table gets none, so that a table of
    // which little is used stays small.
    if (table != nullptr && bytes > 2 * kHugePage)
      ::madvise(static_cast<char*>(table) + kHugePage, bytes - kHugePage, MADV_HUGEPAGE);
    return table;
  }
  /// Takes memory that will be touched; nullptr: there is no memory.
  void* take(std::size_t bytes) {
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > left_) {
      const std::size_t size = std::max(bytes, next_);
      char* chunk = static_cast<char*>(map(size));
      if (chunk == nullptr) return nullptr;
      // Huge pages cause fewer page faults. A chunk is large only if the chunks before it were used
      // up, so it will be used as well.
      if (size >= kHugePage) ::madvise(chunk, size, MADV_HUGEPAGE);
      at_ = chunk;
      left_ = size;
      next_ = std::min(next_ * 2, kLargestChunk);
    }
    void* const taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
  }
  void clear() {
    for (const Mapped& m : mapped_) ::munmap(m.memory, m.bytes);
    mapped_.clear();
    at_ = nullptr;
    left_ = 0;
    next_ = kFirstChunk;
  }

 private:
  static constexpr std::size_t kAlignment = 64, kFirstChunk = std::size_t{256} << 10,
                               kHugePage = std::size_t{2} << 20,
                               kLargestChunk = std::size_t{8} << 20;
  struct Mapped {
    void* memory;
    std::size_t bytes;
  };

  void* map(std::size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    mapped_.push_back({memory, bytes});
    return memory;
  }

  std::vector<Mapped> mapped_;
  char* at_ = nullptr;
  std::size_t left_ = 0, next_ = kFirstChunk;
};

}  // namespace apmt::kernels
