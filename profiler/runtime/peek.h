// Reads memory of this process that another thread may unmap at any moment.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace apmt::rt {

/// Copies memory by a system call. False if nothing is mapped at `at` (errno: EFAULT) or the kernel
/// forbids the call. Async-signal-safe.
inline bool peek_safely(uint64_t at, void* out, size_t bytes) {
  const iovec here = {out, bytes};
  const iovec there = {reinterpret_cast<void*>(at), bytes};
  return syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul) ==
         static_cast<ssize_t>(bytes);
}

}  // namespace apmt::rt
