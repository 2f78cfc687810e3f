// Begins the recording when the process enters MPI_Init (in a program without MPI: when it starts),
// and ends it when the process ends. Forked children do not record.

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "profiler/runtime/callgrind_control.h"
#include "profiler/runtime/calls.h"
#include "profiler/runtime/clock.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/identity.h"
#include "profiler/runtime/landing.h"
#include "profiler/runtime/memory_map.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/stages.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/surroundings.h"
#include "profiler/runtime/threads.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace apmt::rt {

namespace {

using format::Ending;
using format::Header;

#ifndef APMT_RANKS_SHARE_A_PROCESS

int rank_of_process() { return launcher_rank(); }
void stop_simulated_clock() {}

/// Lets the kernel clear the page of Activity in children. Before Linux 4.14, only the handler of
/// pthread_atfork clears it.
void forget_in_children() { advise_memory(&activity(), sizeof(Activity), MADV_WIPEONFORK); }

void find_executable() {
  const ssize_t n = readlink("/proc/self/exe", state().exe, sizeof state().exe - 1);
  state().exe[n > 0 ? n : 0] = '\0';
}

#else

int rank_of_process() { return g_rank_here - 1; }
void find_executable() { find_program(state().exe, sizeof state().exe); }
void forget_in_children() {}  // the simulator makes no children

#endif

/// A forked child has the parent's mapping of the recording. But the child is not the rank, so it
/// must not write to the recording.
void forget_in_child() {
  g_activity.for_each([](Activity& a) { a = {}; });
  self().written = &kNothingWritten;  // it pointed to a buffer that is mapped only in the parent
  self().taken = 0;
}

void watch_for_forks() {
  static bool watching = false;
  if (!watching) pthread_atfork(nullptr, nullptr, forget_in_child);
  watching = true;
  forget_in_children();
}

/// A program without MPI is recorded from its start if the launching code has named it.
void begin_if_named() {
  const char* target = env("APMT_TARGET");
  if (target == nullptr || strcmp(target, state().exe) != 0 || !begin()) return;
  mark_init_entered();
  mark_init_returned(0, 1);
}

__attribute__((constructor(102))) void at_load() {
  state().start_ns = now_ns();
  state().start_realtime_ns = clock_ns(CLOCK_REALTIME);
  const int saved_errno = errno;
  const char* const quiet = env("APMT_QUIET");
  state().quiet = quiet != nullptr;
  state().tells_reason = quiet == nullptr || strcmp(quiet, "reasons") == 0;
  find_executable();
  make_way_for_exports(state().exe);
  choose_experiment_dir();
  begin_if_named();
  errno = saved_errno;
}

void end_recording() {
  if (!owns_recording()) return;
  end_callgrind();
  const int saved_errno = errno;
  settle_samples(self());
  end_main();  // unless MPI_Finalize has done so
  note_thread_cpu();
  record_modules();
  Header& header = *state().recording.header;
  end_main_cpu(header);  // unless MPI_Finalize has done so
  // A rank that shares its process with others (in SMPI) ended when its MPI_Finalize returned, not
  // when the process ends.
  if (kRanksShareAProcess && header.finalize_returned_ns != 0)
    header.end_ns = header.finalize_returned_ns;
  else
    mark(&Header::end_ns);
  if (header.ending == Ending::kOpen) header.ending = Ending::kExited;
  set_recording(0);
  set_followed(0);
  bring_home();
  errno = saved_errno;
}

__attribute__((destructor)) void at_unload() {
  stop_simulated_clock();
  g_state.for_each([](State&) { end_recording(); });
}

}  // namespace

#ifndef APMT_RANKS_SHARE_A_PROCESS
int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }
#endif

int64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

bool begin() {
  if (__atomic_exchange_n(&state().begun, 1u, __ATOMIC_ACQ_REL) != 0) return recording();
  if (env("APMT_OFF") != nullptr) return false;
  const int saved_errno = errno;
  const int rank = rank_of_process();
  const bool opened = open_recording(rank < 0 ? 0 : rank);
  if (opened) {
    Header& header = *state().recording.header;
    header.pid = state().pid = getpid();
    header.start_ns = state().start_ns;
    header.start_realtime_ns = state().start_realtime_ns;
    note_surroundings(state().recording);
    note_identity(state().recording);
    record_modules();
    // Ranks that share a process have a simulated clock, and recording takes no simulated time, so
    // for them there is no cost to measure.
    if (!kRanksShareAProcess) header.call_cost_ns = measure_call_cost_ns();
    watch_for_forks();
    set_recording(1);
    set_followed(1);
    begin_threads();
  }
  errno = saved_errno;
  return opened;
}

void describe_ops(const format::Op* ops, uint32_t count) {
  if (!recording_exists()) return;
  format::Section& section = state().recording.section(format::SectionKind::kOps);
  if (count > section.capacity) {
    section.dropped += count - section.capacity;
    count = static_cast<uint32_t>(section.capacity);
  }
  memcpy(state().recording.ops, ops, count * sizeof(format::Op));
  section.used = count;
}

void note_mpi_library(const char* version) {
  if (recording_exists())
    append_text(state().recording, "mpi_library", version, strcspn(version, "\n"));
}

void note_spawned() {
  if (recording_exists()) append_text(state().recording, "spawned", "yes");
}

void note(const char* text) {
  if (recording_exists()) append_text(state().recording, "note", text, 512);
}

}  // namespace apmt::rt
