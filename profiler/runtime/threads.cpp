#include "profiler/runtime/threads.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/runtime/tables.h"

namespace apmt::rt {

constinit APMT_PER_THREAD PerRank<ThreadState> t_self({0, 0, 0, -1, 0, 0, &kNothingWritten, 0, 0,
                                                       false});

namespace {

/// A key whose destructor runs when a thread ends by return, pthread_exit or cancellation.
pthread_key_t g_end_key;

void at_thread_end(void*) { leave_thread(); }

format::Thread* entry() {
  const ThreadState& t = self();
  return t.slot < 0 ? nullptr : &state().recording.threads[t.slot];
}

/// A new entry for the thread, nullptr if the table is full.
format::Thread* new_entry(pid_t tid) {
  format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t slot = __atomic_fetch_add(&section.used, 1, __ATOMIC_RELAXED);
  if (slot >= section.capacity) {
    add(section.dropped, 1);
    __atomic_fetch_sub(&section.used, 1, __ATOMIC_RELAXED);
    return nullptr;
  }
  format::Thread& thread = state().recording.threads[slot];
  thread.start_ns = now_ns();
  __atomic_store_n(&thread.tid, static_cast<int32_t>(tid), __ATOMIC_RELEASE);
  return &thread;
}

int32_t slot_of(const format::Thread* thread) {
  return static_cast<int32_t>(thread - state().recording.threads);
}

format::MainTime& main_time_of(const format::Thread& thread) {
  return state().recording.main_times[slot_of(&thread)];
}

/// If the program is in the main stage and recording is not paused, adds to the thread's MainTime
/// the CPU time and samples since the previous call of this function.
void look_at_main_time(const format::Thread& thread, int64_t cpu_ns) {
  if (kRanksShareAProcess) return;  // such ranks have no threads and CPU clocks of their own
  format::MainTime& main = main_time_of(thread);
  const uint64_t samples = __atomic_load_n(&thread.samples, __ATOMIC_RELAXED);
  const int64_t cpu_before_ns = __atomic_exchange_n(&main.seen_cpu_ns, cpu_ns, __ATOMIC_RELAXED);
  const uint64_t before = __atomic_exchange_n(&main.seen_samples, samples, __ATOMIC_RELAXED);
  if (__atomic_load_n(&main.is_counting, __ATOMIC_RELAXED) == 0) return;
  __atomic_fetch_add(&main.cpu_ns, cpu_ns - cpu_before_ns, __ATOMIC_RELAXED);
  __atomic_fetch_add(&main.samples, samples - before, __ATOMIC_RELAXED);
}

/// Sets whether the thread's CPU time and samples belong to the main stage from now on.
void count_main_time(const format::Thread& thread, bool counts) {
  __atomic_store_n(&main_time_of(thread).is_counting, counts ? 1u : 0u, __ATOMIC_RELAXED);
}

/// Values of Thread::was_there for threads that existed before the recording.
constexpr uint32_t kSampled = 1;
constexpr uint32_t kNotSampled = 2;

/// Registers threads that the program made before the recording began.
void enter_other_threads() {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return;
  const pid_t own = static_cast<pid_t>(syscall(SYS_gettid));
  while (const dirent* task = readdir(tasks)) {
    const pid_t tid = static_cast<pid_t>(strtol(task->d_name, nullptr, 10));
    if (tid <= 0 || tid == own) continue;
    if (format::Thread* const thread = new_entry(tid)) thread->was_there = kNotSampled;
  }
  closedir(tasks);
}

/// Starts sampling those threads of enter_other_threads() that still exist and are not sampled yet.
/// Returns how many cannot be sampled; if any, sets `why` to the reason for the last one.
int start_other_threads(const char** why) {
  int left_out = 0;
  const format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t used = __atomic_load_n(&section.used, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < used && i < section.capacity; ++i) {
    format::Thread& thread = state().recording.threads[i];
    if (thread.was_there != kNotSampled || syscall(SYS_tgkill, getpid(), thread.tid, 0) != 0)
      continue;
    const char* const problem = state().sampler.start_other_thread(thread.tid);
    if (problem == nullptr) {
      thread.was_there = kSampled;
      main_time_of(thread).is_sampled = 1;
      continue;
    }
    *why = problem;
    ++left_out;
  }
  return left_out;
}

}  // namespace

void take_written_samples() {
  if (state().sampler.take_written != nullptr) state().sampler.take_written();
}

OwnWork::OwnWork() : self_(self()), caller_pc_(self_.caller_pc), in_mpi_(self_.op != 0) {
  if (in_mpi_) return;
  settle_samples(self_);
  self_.caller_pc = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  self_.op = format::kOwnWork;
}

OwnWork::~OwnWork() {
  if (in_mpi_) return;
  settle_samples(self_);
  self_.op = 0;
  self_.caller_pc = caller_pc_;
}

void begin_threads() {
  // Ranks that share a process all run on its first thread, which ends with the process. So they
  // need no key.
  if (!kRanksShareAProcess && pthread_key_create(&g_end_key, at_thread_end) != 0) {
    note("threads are not sampled: no thread-specific key is left");
    return;
  }
  enter_thread();
  if (state().sampler.start_process == nullptr || !state().sampler.start_process()) {
    state().sampler = {};
    return;
  }
  if (kRanksShareAProcess) return;
  if (const format::Thread* const first = entry()) main_time_of(*first).is_sampled = 1;
  enter_other_threads();
  const char* why = nullptr;
  start_other_threads(&why);  // threads that block all signals are tried again later
}

void begin_main_threads() {
  if (state().sampler.start_other_thread == nullptr) return;
  const char* why = nullptr;
  const int left_out = start_other_threads(&why);
  if (left_out == 0) return;
  char text[256];
  snprintf(text, sizeof text, "%d %s before the recording began and %s not sampled: %s", left_out,
           left_out == 1 ? "thread was there" : "threads were there", left_out == 1 ? "is" : "are",
           why);
  note(text);
}

void enter_thread() {
  ThreadState& t = self();
  if (t.slot >= 0 || !followed()) return;
  const int saved_errno = errno;
  const OwnWork own_work;
  if (const format::Thread* thread = new_entry(static_cast<pid_t>(syscall(SYS_gettid)))) {
    t.slot = slot_of(thread);
    if (!kRanksShareAProcess) pthread_setspecific(g_end_key, &t);
    count_main_time(*thread, recording() && stage() == format::Stage::kMain);
    if (t.slot > 0 && state().sampler.start_thread != nullptr)
      main_time_of(*thread).is_sampled = state().sampler.start_thread() ? 1 : 0;
  }
  errno = saved_errno;
}

void find_entry() {
  const int32_t tid = static_cast<int32_t>(syscall(SYS_gettid));
  const format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t used = __atomic_load_n(&section.used, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < used && i < section.capacity; ++i) {
    const format::Thread& thread = state().recording.threads[i];
    if (thread.was_there != 0 && __atomic_load_n(&thread.tid, __ATOMIC_ACQUIRE) == tid)
      self().slot = static_cast<int32_t>(i);
  }
}

/// Computes the clock's number like the kernel's posix-timers.h.
clockid_t cpu_clock_of(pid_t tid) {
  constexpr unsigned kPerThread = 4;
  constexpr unsigned kScheduled = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | kPerThread | kScheduled);
}

void note_thread_cpu() {
  if (state().sampler.note_totals != nullptr) state().sampler.note_totals();
  const format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t used = __atomic_load_n(&section.used, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < used && i < section.capacity; ++i) {
    format::Thread& thread = state().recording.threads[i];
    const int32_t tid = __atomic_load_n(&thread.tid, __ATOMIC_ACQUIRE);
    struct timespec t;
    if (tid == 0 || thread.end_ns != 0 || clock_gettime(cpu_clock_of(tid), &t) != 0) continue;
    thread.cpu_ns = int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
    look_at_main_time(thread, thread.cpu_ns);
  }
  raise_to(state().recording.section(format::SectionKind::kMainTimes).used,
           used < section.capacity ? used : section.capacity);
}

void count_main_times(bool counts) {
  note_thread_cpu();
  const format::Section& section = state().recording.section(format::SectionKind::kThreads);
  const uint64_t used = __atomic_load_n(&section.used, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < used && i < section.capacity; ++i)
    if (state().recording.threads[i].end_ns == 0)
      count_main_time(state().recording.threads[i], counts);
}

void look_at_own_main_time() {
  const format::Thread* const thread = entry();
  if (thread == nullptr) return;
  look_at_main_time(*thread, thread_cpu_ns());
  // The stage may have changed while this thread was being registered.
  count_main_time(*thread, recording() && stage() == format::Stage::kMain);
  raise_to(state().recording.section(format::SectionKind::kMainTimes).used,
           static_cast<uint64_t>(self().slot) + 1);
}

void note_split(const uint64_t (&used_ns)[2], const uint64_t (&samples)[2]) {
  const format::Thread* const thread = entry();
  if (thread == nullptr) return;
  format::MainTime& main = main_time_of(*thread);
  for (int side = 0; side < 2; ++side) {
    __atomic_store_n(&main.split_ns[side], used_ns[side], __ATOMIC_RELAXED);
    __atomic_store_n(&main.split_samples[side], samples[side], __ATOMIC_RELAXED);
  }
}

void leave_thread() {
  format::Thread* thread = entry();
  if (thread == nullptr || getpid() != state().pid) return;
  const int saved_errno = errno;
  if (state().sampler.stop_thread != nullptr) state().sampler.stop_thread();
  thread->cpu_ns = thread_cpu_ns();
  look_at_main_time(*thread, thread->cpu_ns);
  count_main_time(*thread, false);
  raise_to(state().recording.section(format::SectionKind::kMainTimes).used,
           static_cast<uint64_t>(slot_of(thread)) + 1);
  thread->end_ns = now_ns();
  errno = saved_errno;
}

}  // namespace apmt::rt
