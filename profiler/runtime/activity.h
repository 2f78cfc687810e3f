// Flags that tell whether this process is being recorded. A child process must not inherit them, so
// they are on a page that the kernel fills with zeros in children (MADV_WIPEONFORK). Handlers of
// pthread_atfork are not enough, because they do not run after a direct clone system call. A child
// that went on recording would crash, because it lacks the memory into which the kernel writes
// samples.
#pragma once

#include <stdint.h>

#include "profiler/runtime/per_rank.h"

namespace apmt::rt {

/// Alignment that puts data on separate pages: the largest size that ordinary pages have on the
/// architecture. SMPI needs none: the simulator makes no children.
#ifdef APMT_RANKS_SHARE_A_PROCESS
#define APMT_OWN_PAGES
#elif defined(__x86_64__)
#define APMT_OWN_PAGES alignas(4096)
#else
#define APMT_OWN_PAGES alignas(65536)
#endif

struct APMT_OWN_PAGES Activity {
  uint32_t recording;  // 1: handlers and wrappers record; atomic
  // 1: wrappers record (from the return of MPI_Init to the entry of MPI_Finalize); atomic
  uint32_t wrapping;
  uint32_t followed;  // 1: threads and objects are registered, also in pauses; atomic
};
extern PerRank<Activity> g_activity;

/// The flags of the active rank. This function and the next three are async-signal-safe.
inline Activity& activity() { return g_activity.here(); }
inline bool recording() { return __atomic_load_n(&activity().recording, __ATOMIC_RELAXED) != 0; }
/// Whether threads and objects are registered and removed. This goes on while recording is paused,
/// so that all are known when it resumes.
inline bool followed() { return __atomic_load_n(&activity().followed, __ATOMIC_RELAXED) != 0; }
inline bool wrapping() { return __atomic_load_n(&activity().wrapping, __ATOMIC_RELAXED) != 0; }

inline void set_recording(uint32_t on) {
  __atomic_store_n(&activity().recording, on, __ATOMIC_RELEASE);
}
inline void set_followed(uint32_t on) {
  __atomic_store_n(&activity().followed, on, __ATOMIC_RELEASE);
}

}  // namespace apmt::rt
