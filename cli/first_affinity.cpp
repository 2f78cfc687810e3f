#include "cli/first_affinity.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace apmt {
namespace {

unsigned long first_affinity[128];  // bits of 8,192 processors
long first_bytes = 0;               // of first_affinity; 0 or less: unknown

/// Runs before the constructors of all libraries, and so before the sanitizers are ready.
__attribute__((no_sanitize("address", "thread", "undefined"))) void keep_affinity() {
  first_bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof first_affinity, first_affinity);
}

__attribute__((section(".preinit_array"), used)) void (*const kept_first)() = keep_affinity;

}  // namespace

void restore_first_affinity() {
  if (first_bytes > 0) ::syscall(SYS_sched_setaffinity, 0, first_bytes, first_affinity);
}

}  // namespace apmt
