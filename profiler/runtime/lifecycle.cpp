// Runs the recorder from the start of the process to its end: begins and ends the recording,
// records the stages of the program, and passes the shim's calls on to the tables.

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/call_clock.h"
#include "profiler/runtime/callgrind_control.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/identity.h"
#include "profiler/runtime/instances.h"
#include "profiler/runtime/landing.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/surroundings.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace apmt::rt {

constinit PerRank<State> g_state;
constinit PerRank<Activity> g_activity;

namespace {

using format::Ending;
using format::Header;
using format::Stage;

int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

#ifndef APMT_RANKS_SHARE_A_PROCESS

int rank_of_process() { return launcher_rank(); }
void stop_simulated_clock() {}

/// Lets the kernel clear the page of Activity in children. Before Linux 4.14, only the handler of
/// pthread_atfork clears it.
void forget_in_children() { madvise(&activity(), sizeof(Activity), MADV_WIPEONFORK); }

void find_executable() {
  const ssize_t n = readlink("/proc/self/exe", state().exe, sizeof state().exe - 1);
  state().exe[n > 0 ? n : 0] = '\0';
}

#else

int rank_of_process() { return g_rank_here - 1; }
void find_executable() { find_program(state().exe, sizeof state().exe); }
void forget_in_children() {}  // the simulator makes no children

#endif

void set_followed(uint32_t on) { __atomic_store_n(&activity().followed, on, __ATOMIC_RELEASE); }

void set_recording(uint32_t on) { __atomic_store_n(&activity().recording, on, __ATOMIC_RELEASE); }

/// A forked child has the parent's mapping of the recording, but it is not the rank, so it must not
/// write to it.
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

/// Measures the cost of recording one MPI call: two clock readings and one table update.
uint64_t measure_call_cost_ns() {
  static format::MpiCall scratch[64];
  static UsedParts used;
  format::Section section = {format::SectionKind::kMpiCalls, sizeof(format::MpiCall), 0, 64, 0, 0};
  constexpr int kRounds = 256;
  const int64_t begin_ns = thread_cpu_ns();
  for (int i = 0; i < kRounds; ++i) {
    const int64_t t0 = call_ns();
    const int64_t t1 = call_ns();
    add_mpi_call(scratch, section, used,
                 {1,
                  format::mpi_what(1, static_cast<uint32_t>(i) & 7, 1, format::PeerClass::kNone,
                                   Stage::kMain),
                  8, 8, static_cast<uint64_t>(t1 > t0 ? t1 - t0 : 0), 0},
                 true);
  }
  return static_cast<uint64_t>(thread_cpu_ns() - begin_ns) / kRounds;
}

/// CPU time of the process outside the kernel.
int64_t user_cpu_ns() {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return int64_t{usage.ru_utime.tv_sec} * 1000000000 + int64_t{usage.ru_utime.tv_usec} * 1000;
}

/// The CPU times of main are differences of two clock readings, at the end and at the beginning of
/// main. Until the end, the header has the negative readings of the beginning.
void begin_main_cpu(Header& header) {
  header.main_cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  header.main_user_ns = -user_cpu_ns() - 1;  // negative even if the kernel has counted no time
}

void end_main_cpu(Header& header) {
  header.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (header.main_cpu_ns < 0) header.main_cpu_ns += header.process_cpu_ns;
  if (header.main_user_ns < 0) header.main_user_ns += user_cpu_ns();
}

void mark(int64_t Header::*when) { state().recording.header->*when = now_ns(); }

/// Begins the main part of the program: samples and CPU times count from now on.
void begin_main() {
  if (state().sampler.begin_main != nullptr) state().sampler.begin_main();
  count_main_times(true);
}

void end_main() {
  if (stage() != Stage::kMain || !recording()) return;
  if (state().sampler.end_main != nullptr) state().sampler.end_main();
  count_main_times(false);
}

void set_stage(Stage stage) {
  settle_samples(self());
  __atomic_store_n(reinterpret_cast<uint32_t*>(&state().recording.header->stage),
                   static_cast<uint32_t>(stage), __ATOMIC_RELAXED);
}

bool mine() { return recording_exists() && getpid() == state().pid; }

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
  choose_experiment_dir();
  begin_if_named();
  errno = saved_errno;
}

void end_recording() {
  if (!mine()) return;
  end_callgrind();
  const int saved_errno = errno;
  settle_samples(self());
  end_main();  // unless MPI_Finalize has done so
  note_thread_cpu();
  record_modules();
  Header& header = *state().recording.header;
  end_main_cpu(header);  // unless MPI_Finalize has done so
  // A rank that shares its process with others ended when it finalised, not when the last rank did.
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

bool recording_exists() { return state().recording.header != nullptr; }

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
    // Ranks that share a process have a simulated clock, and recording takes no simulated time.
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

void mark_init_entered() {
  if (mine() && state().recording.header->init_entered_ns == 0) mark(&Header::init_entered_ns);
}

void mark_init_returned(int world_rank, int world_size) {
  if (!mine() || state().recording.header->init_returned_ns != 0) return;
  Header& header = *state().recording.header;
  header.world_rank = world_rank;
  header.world_size = world_size;
  self().initialised_mpi = true;
  char cpu[16];
  snprintf(cpu, sizeof cpu, "%d", sched_getcpu());
  append_text(state().recording, "cpu", cpu);
  record_modules();  // by now the MPI library has loaded its own libraries
  begin_main_threads();
  if (world_rank == 0) say("apmt: recording %s into %s\n", base_name(state().exe), state().run_dir);
  begin_main_cpu(header);
  mark(&Header::init_returned_ns);
  begin_main();  // before set_stage(), whose work is not part of main
  set_stage(Stage::kMain);
  begin_callgrind(world_rank, world_size);
}

void mark_finalize_entered() {
  if (!mine() || state().recording.header->finalize_entered_ns != 0) return;
  leave_callgrind();
  Header& header = *state().recording.header;
  // Measured again, because the faster clock (call_clock.h) may be in use now.
  if (!kRanksShareAProcess) header.call_cost_ns = measure_call_cost_ns();
  mark(&Header::finalize_entered_ns);
  settle_samples(self());
  end_main();
  set_stage(Stage::kAfterFinalize);
  end_main_cpu(header);
  note_thread_cpu();
  record_modules();
}

void mark_finalize_returned() {
  if (mine()) mark(&Header::finalize_returned_ns);
}

void mark_abort() {
  if (!mine()) return;
  settle_samples(self());
  end_main();
  end_callgrind();
  Header& header = *state().recording.header;
  header.ending = Ending::kAbortCalled;
  end_main_cpu(header);
  mark(&Header::end_ns);
}

Stage stage() {
  return static_cast<Stage>(__atomic_load_n(
      reinterpret_cast<const uint32_t*>(&state().recording.header->stage), __ATOMIC_RELAXED));
}

void add_call(const Call& call) {
  if (!recording()) return;
  const Recording& r = state().recording;
  const CallNumbers numbers = {call.caller_pc,
                               format::mpi_what(call.op, format::size_class(call.size_bytes),
                                                call.comm_size, call.peer, stage()),
                               call.bytes_sent,
                               call.bytes_received,
                               static_cast<uint64_t>(call.time_ns),
                               static_cast<uint64_t>(call.blocked_ns)};
  if (add_mpi_call(r.calls, r.section(format::SectionKind::kMpiCalls), state().used_calls, numbers,
                   self().initialised_mpi))
    follow_code(r, call.caller_pc);
}

void add_request(const Ended& e) {
  if (!recording()) return;
  const Recording& r = state().recording;
  const uint64_t size = e.bytes_sent > e.bytes_received ? e.bytes_sent : e.bytes_received;
  add_ended_request(
      r.requests, r.section(format::SectionKind::kRequests),
      {e.caller_pc, format::mpi_what(e.op, format::size_class(size), e.comm_size, e.peer, stage()),
       e.bytes_sent, e.bytes_received, static_cast<uint64_t>(e.flight_ns),
       static_cast<uint64_t>(e.blocked_ns)},
      self().initialised_mpi);
}

void add_instance(uint64_t key, uint32_t op, uint32_t comm_size, uint64_t size_bytes,
                  int64_t time_ns) {
  if (!recording() || stage() != Stage::kMain) return;
  const Recording& r = state().recording;
  keep_instance(r.instances, r.section(format::SectionKind::kInstances), r.header->thinning,
                {key,
                 format::mpi_what(op, format::size_class(size_bytes), comm_size,
                                  format::PeerClass::kNone, Stage::kMain),
                 static_cast<uint64_t>(time_ns)});
}

namespace {

void add_to_peer(int world_rank, uint64_t bytes, Direction direction) {
  if (!recording() || stage() != Stage::kMain) return;
  add_message(peer_table(state().recording), world_rank, bytes, direction, self().initialised_mpi);
}

}  // namespace

void add_sent(int world_rank, uint64_t bytes) { add_to_peer(world_rank, bytes, Direction::kSent); }

void add_received(int world_rank, uint64_t bytes) {
  add_to_peer(world_rank, bytes, Direction::kReceived);
}

bool all_on_this_node() {
  static const bool all_here = launcher_size() == 1 || (launcher_local_size() > 0 &&
                                                        launcher_local_size() == launcher_size());
  return all_here;
}

void pause() {
  if (mine() && recording()) {
    settle_samples(self());
    count_main_times(false);
    __atomic_fetch_add(&state().pauses, 1u, __ATOMIC_RELAXED);
  }
  set_recording(0);
}

void resume() {
  if (!mine() || recording()) return;
  settle_samples(self());  // removes the samples of the pause, as recording is still off
  set_recording(1);
  if (stage() == Stage::kMain) count_main_times(true);
}

}  // namespace apmt::rt
