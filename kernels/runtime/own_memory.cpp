// Allocates the analysers' memory separately from the program's memory, for two reasons: the
// program's blocks keep the addresses that they have without analysis, and a thread that was
// interrupted inside malloc can still be analysed. Small blocks come from free lists, one for each
// power of two; large blocks come from mmap().

#include <sched.h>
#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>

namespace apmt::kernels {
namespace {

struct Header {
  std::uint64_t bytes;  // with the header
  std::uint64_t reserved;
};
struct FreeBlock {
  FreeBlock* next;
};

constexpr std::size_t kSmallest = 32;
constexpr std::size_t kLargest = std::size_t{64} << 10;
constexpr std::size_t kClasses = std::bit_width(kLargest / kSmallest);
constexpr std::size_t kChunk = std::size_t{1} << 20;

constinit FreeBlock* free_blocks[kClasses] = {};
constinit char* chunk = nullptr;
constinit std::size_t chunk_left = 0;
constinit bool is_locked = false;

class Locked {
 public:
  Locked() {
    while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE)) ::sched_yield();
  }
  ~Locked() { __atomic_clear(&is_locked, __ATOMIC_RELEASE); }
};

void* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return memory;
}

void* take_small(std::size_t bytes) {
  const auto index = static_cast<std::size_t>(std::bit_width((bytes - 1) / kSmallest));
  if (FreeBlock* block = free_blocks[index]) {
    free_blocks[index] = block->next;
    return block;
  }
  const std::size_t size = kSmallest << index;
  if (chunk_left < size) {
    chunk = static_cast<char*>(map(kChunk));
    chunk_left = chunk ? kChunk : 0;
    if (!chunk) return nullptr;
  }
  chunk_left -= size;
  return chunk + chunk_left;
}

void* take(std::size_t wanted) {
  const std::size_t bytes = wanted + sizeof(Header);
  if (bytes < wanted) return nullptr;
  const Locked locked;
  void* memory = bytes <= kLargest ? take_small(bytes) : map(bytes);
  if (!memory) return nullptr;
  static_cast<Header*>(memory)->bytes = bytes;
  return static_cast<Header*>(memory) + 1;
}

void give_back(void* memory) {
  if (!memory) return;
  Header* header = static_cast<Header*>(memory) - 1;
  const Locked locked;
  if (header->bytes > kLargest) {
    ::munmap(header, header->bytes);
    return;
  }
  const auto index = static_cast<std::size_t>(std::bit_width((header->bytes - 1) / kSmallest));
  auto* block = reinterpret_cast<FreeBlock*>(header);
  block->next = free_blocks[index];
  free_blocks[index] = block;
}

/// The pointer to the start of the underlying block is stored just before the aligned block.
void* take_aligned(std::size_t bytes, std::size_t alignment) {
  char* memory = static_cast<char*>(take(bytes + alignment + sizeof(void*)));
  if (!memory) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(memory) + sizeof(void*) + alignment - 1;
  char* aligned =
      memory + ((address & ~(alignment - 1)) - reinterpret_cast<std::uintptr_t>(memory));
  reinterpret_cast<void**>(aligned)[-1] = memory;
  return aligned;
}

void* or_throw(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

}  // namespace apmt::kernels

using apmt::kernels::give_back;
using apmt::kernels::or_throw;
using apmt::kernels::take;
using apmt::kernels::take_aligned;

void* operator new(std::size_t bytes) { return or_throw(take(bytes)); }
void* operator new[](std::size_t bytes) { return or_throw(take(bytes)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(take_aligned(bytes, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return or_throw(take_aligned(bytes, static_cast<std::size_t>(alignment)));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  if (memory) give_back(static_cast<void**>(memory)[-1]);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  if (memory) give_back(static_cast<void**>(memory)[-1]);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  if (memory) give_back(static_cast<void**>(memory)[-1]);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  if (memory) give_back(static_cast<void**>(memory)[-1]);
}
