// Whether this process is being recorded. A child must not inherit this, so the kernel gives
// children zeros in place of this page, however they are made. pthread_atfork alone does not cover
// a bare clone, and such a child lacks the memory that the kernel writes samples into.
#pragma once

#include <stdint.h>

#include "profiler/runtime/per_rank.h"

namespace apmt::rt {

/// Data that children must not inherit have pages of their own; no page is larger than this.
#ifdef APMT_RANKS_SHARE_A_PROCESS
#define APMT_OWN_PAGES
#elif defined(__x86_64__)
#define APMT_OWN_PAGES alignas(4096)
#else
#define APMT_OWN_PAGES alignas(65536)
#endif

struct APMT_OWN_PAGES Activity {
  uint32_t recording;  // handlers and wrappers record; atomic
  uint32_t wrapping;   // MPI calls are recorded: from MPI_Init's return to the end; atomic
  uint32_t followed;   // threads and objects are registered: from beginning to end, also in pauses
};
extern PerRank<Activity> g_activity;

/// For the active rank; async-signal-safe, as are the next three.
inline Activity& activity() { return g_activity.here(); }
inline bool recording() { return __atomic_load_n(&activity().recording, __ATOMIC_RELAXED) != 0; }
/// While recording is paused, threads and objects are still registered and removed, so that all are
/// known when it resumes.
inline bool followed() { return __atomic_load_n(&activity().followed, __ATOMIC_RELAXED) != 0; }
inline bool wrapping() { return __atomic_load_n(&activity().wrapping, __ATOMIC_RELAXED) != 0; }

}  // namespace apmt::rt
