#include "pmpi-shim/core/scratch.h"

#include <errno.h>

#include "profiler/runtime/memory_map.h"

namespace apmt::shim {
namespace {

constexpr size_t kBlockBytes = 1 << 20;  // room for about 10,000 requests
constexpr int kBlocks = 4;
alignas(16) unsigned char g_blocks[kBlocks][kBlockBytes];
bool g_taken[kBlocks];

}  // namespace

void* Scratch::get_outside(size_t bytes) {
  if (bytes <= kBlockBytes)
    for (int i = 0; i < kBlocks; ++i)
      if (!__atomic_test_and_set(&g_taken[i], __ATOMIC_ACQUIRE)) return outside_ = g_blocks[i];
  const int saved_errno = errno;
  void* mapped =
      rt::map_memory(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  errno = saved_errno;
  if (mapped == MAP_FAILED) return nullptr;
  outside_bytes_ = bytes;
  return outside_ = mapped;
}

void Scratch::release() {
  if (outside_bytes_ > 0) {
    const int saved_errno = errno;
    rt::unmap_memory(outside_, outside_bytes_);
    errno = saved_errno;
    return;
  }
  const size_t block =
      static_cast<size_t>(static_cast<unsigned char*>(outside_) - g_blocks[0]) / kBlockBytes;
  __atomic_clear(&g_taken[block], __ATOMIC_RELEASE);
}

}  // namespace apmt::shim
