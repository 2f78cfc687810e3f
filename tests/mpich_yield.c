// Linked into MPICH's test programs and examples, and preloaded by benches that start more processes than there are
// cores. A process of MPICH that waits for a message polls without a pause, so each message may take a whole time slice
// of the scheduler. Here, a poll that finds nothing gives the core to another process. Debian's MPICH polls through UCX.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  if (!progress) progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
