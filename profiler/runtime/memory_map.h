// Mappings of memory, by system calls. Open MPI and UCX replace the C library's functions for this
// purpose (such as mmap()) in every program that uses Open MPI or UCX. Their replacements take
// locks, and a thread that a signal interrupts may hold such a lock: the recorder's handler would
// wait for it for ever.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace apmt::rt {

/// Like mmap() with the offset 0. MAP_FAILED, with errno, if it fails.
inline void* map_memory(void* at, size_t bytes, int protection, int flags, int fd) {
  return reinterpret_cast<void*>(
      static_cast<intptr_t>(syscall(SYS_mmap, at, bytes, protection, flags, fd, 0L)));
}

inline void unmap_memory(void* memory, size_t bytes) { syscall(SYS_munmap, memory, bytes); }

inline void advise_memory(void* memory, size_t bytes, int advice) {
  syscall(SYS_madvise, memory, bytes, advice);
}

}  // namespace apmt::rt
