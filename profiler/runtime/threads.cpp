#include "profiler/runtime/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/runtime/tables.h"

namespace apmt::rt {
namespace {

APMT_PER_THREAD constinit PerRank<ThreadState> t_self({0, 0, 0, -1, 0, 0, 0});

/// Its destructor runs at a thread's end however it ends: by return, pthread_exit or cancellation.
pthread_key_t g_end_key;

void at_thread_end(void*) { leave_thread(); }

format::Thread* entry() {
  const ThreadState& t = self();
  return t.slot < 0 ? nullptr : &state().recording.threads[t.slot];
}

}  // namespace

ThreadState& self() { return t_self.here(); }

void begin_threads() {
  // Ranks that share a process run on its first thread, which ends with it.
  if (!kRanksShareAProcess && pthread_key_create(&g_end_key, at_thread_end) != 0) {
    note("threads are not sampled: no thread-specific key is left");
    return;
  }
  enter_thread();
  if (state().sampler.start_process == nullptr || !state().sampler.start_process())
    state().sampler.start_thread = state().sampler.stop_thread = nullptr;
}

void enter_thread() {
  ThreadState& t = self();
  if (t.slot >= 0 || !recording()) return;
  const int saved_errno = errno;
  format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t slot = __atomic_fetch_add(&section.used, 1, __ATOMIC_RELAXED);
  if (slot >= section.capacity) {
    add(section.dropped, 1);
    __atomic_fetch_sub(&section.used, 1, __ATOMIC_RELAXED);
  } else {
    format::Thread& thread = state().recording.threads[slot];
    thread.tid = static_cast<int32_t>(syscall(SYS_gettid));
    thread.start_ns = now_ns();
    t.slot = static_cast<int32_t>(slot);
    if (!kRanksShareAProcess) pthread_setspecific(g_end_key, &t);
    if (slot > 0 && state().sampler.start_thread != nullptr) state().sampler.start_thread();
  }
  errno = saved_errno;
}

void note_thread_cpu() {
  format::Thread* thread = entry();
  if (thread != nullptr) thread->cpu_ns = thread_cpu_ns();
}

void leave_thread() {
  format::Thread* thread = entry();
  if (thread == nullptr || getpid() != state().pid) return;
  const int saved_errno = errno;
  if (state().sampler.stop_thread != nullptr) state().sampler.stop_thread();
  note_thread_cpu();
  thread->end_ns = now_ns();
  errno = saved_errno;
}

}  // namespace apmt::rt
