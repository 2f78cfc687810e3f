// From the start of the process to its end: when recording begins, what is noted, and how the
// program stays undisturbed.

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "profiler/runtime/callgrind_control.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/instances.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/small_file.h"
#include "profiler/runtime/state.h"
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

/// One line on stderr, complete or not at all; nothing is ever written to the program's stdout.
void say(const char* format_text, const char* a, const char* b) {
  if (state().quiet) return;
  char line[8192];
  const int n = snprintf(line, sizeof line, format_text, a, b);
  if (n <= 0) return;
  const size_t bytes =
      static_cast<size_t>(n) < sizeof line ? static_cast<size_t>(n) : sizeof line - 1;
  if (write(STDERR_FILENO, line, bytes) < 0) return;  // a closed stderr is the program's business
}

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

/// Undoes everything, so that a process that cannot be recorded runs as without the library.
bool stay_off(const char* why) {
  say("apmt: not recording: %s%s\n", why, "");
  return false;
}

bool make_directory(const char* path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

/// Where the experiment lies: APMT_DIR, or apmt-<program> in the directory the program started in.
void choose_experiment_dir() {
  const char* wanted = env("APMT_DIR");
  if (wanted != nullptr && wanted[0] == '/') {
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s", wanted);
    return;
  }
  char cwd[2048];
  if (getcwd(cwd, sizeof cwd) == nullptr) snprintf(cwd, sizeof cwd, ".");
  if (wanted != nullptr)
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s/%.2000s", cwd, wanted);
  else
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s/apmt-%.250s", cwd,
             base_name(state().exe));
}

/// "0-3,8" of the calling thread's affinity mask.
void affinity_list(char* out, size_t capacity, uint32_t* count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  *count = 0;
  out[0] = '\0';
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  *count = static_cast<uint32_t>(CPU_COUNT(&set));
  size_t used = 0;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    const int n =
        first == last
            ? snprintf(out + used, capacity - used, "%s%d", used > 0 ? "," : "", first)
            : snprintf(out + used, capacity - used, "%s%d-%d", used > 0 ? "," : "", first, last);
    if (n < 0 || static_cast<size_t>(n) >= capacity - used) return;
    used += static_cast<size_t>(n);
    first = last;
  }
}

void note_cpu_model(const Recording& recording) {
  char text[4096];
  read_small_file("/proc/cpuinfo", text, sizeof text);
  const char* at = strstr(text, "model name");
  if (at == nullptr || (at = strchr(at, ':')) == nullptr) return;
  const char* end = strchr(++at, '\n');
  while (*at == ' ') ++at;
  append_text(recording, "cpu_model", at,
              end == nullptr ? strlen(at) : static_cast<size_t>(end - at));
}

void note_command_line(const Recording& recording) {
  char text[4096];
  const size_t bytes = read_small_file("/proc/self/cmdline", text, sizeof text);
  for (size_t i = 0; i + 1 < bytes; ++i)
    if (text[i] == '\0') text[i] = ' ';
  append_text(recording, "command", text);
}

#ifndef APMT_RANKS_SHARE_A_PROCESS

int rank_of_process() { return launcher_rank(); }
const char* host_name(const char* system_name) { return system_name; }
void stop_simulated_clock() {}

/// A kernel that cannot (before 4.14) leaves it to pthread_atfork.
void forget_in_children() { madvise(&activity(), sizeof(Activity), MADV_WIPEONFORK); }

void find_executable() {
  const ssize_t n = readlink("/proc/self/exe", state().exe, sizeof state().exe - 1);
  state().exe[n > 0 ? n : 0] = '\0';
}

#else

int rank_of_process() { return g_rank_here - 1; }
const char* host_name(const char* system_name) {
  return g_simulation.host == nullptr ? system_name : g_simulation.host();
}
void find_executable() { find_program(state().exe, sizeof state().exe); }
void forget_in_children() {}  // the simulator makes none

#endif

/// Notes a setting that is ignored.
void note_odd_settings(const Recording& recording) {
  constexpr const char* kNumbers[] = {"APMT_INTERVAL_NS", "APMT_MEMORY", "APMT_SET"};
  char text[256];
  for (const char* name : kNumbers) {
    const char* const value = env(name);
    if (value == nullptr || env_number(name, -1) >= 0) continue;
    snprintf(text, sizeof text, "%s=%.100s is ignored: it is not a number", name, value);
    append_text(recording, "note", text);
  }
  const int64_t wanted_bytes = env_number("APMT_MEMORY", 0);
  const uint64_t bytes = recording.header->file_bytes;
  if (wanted_bytes == 0 || (static_cast<uint64_t>(wanted_bytes) >= bytes &&
                            static_cast<uint64_t>(wanted_bytes) <= format::kMaxRecordingBytes))
    return;
  snprintf(text, sizeof text, "the recording has %llu bytes instead of the %lld of APMT_MEMORY",
           static_cast<unsigned long long>(bytes), static_cast<long long>(wanted_bytes));
  append_text(recording, "note", text);
}

/// Everything that does not change while the program runs.
void note_surroundings(const Recording& recording) {
  append_text(recording, "exe", state().exe);
  note_command_line(recording);
  note_cpu_model(recording);
  struct utsname system;
  if (uname(&system) == 0) {
    append_text(recording, "host", host_name(system.nodename));
    append_text(recording, "kernel", system.release);
    append_text(recording, "architecture", system.machine);
  }
  char libc[64];
  if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc) > 0) append_text(recording, "libc", libc);
  if (kRanksShareAProcess) {
    append_text(recording, "virtual", "SimGrid SMPI");
  } else {
    char list[1024];
    affinity_list(list, sizeof list, &recording.header->usable_cpus);
    append_text(recording, "affinity", list);
  }
  if (const char* params = env("APMT_PARAMS")) append_text(recording, "params", params);
  if (const char* metrics = env("APMT_METRICS")) append_text(recording, "metrics", metrics);
  char name[64];
  for (const char* const* variable = kRecordedVariables; *variable != nullptr; ++variable) {
    const char* value = env(*variable);
    if (value == nullptr) continue;
    snprintf(name, sizeof name, "env.%s", *variable);
    append_text(recording, name, value, 256);
  }
}

/// Whether a process that is gone has left a recording of this rank in a directory: then that is of
/// an earlier launch with the same name (a job that is started again, a launcher that counts from
/// 1). Ranks of one launch are all alive while they start.
bool has_earlier_run(const char* directory, int rank) {
  DIR* const files = opendir(directory);
  if (files == nullptr) return false;
  bool found = false;
  while (const dirent* file = readdir(files)) {
    int other_rank = -1;
    int pid = 0;
    if (sscanf(file->d_name, "rank-%d-%d.apmt", &other_rank, &pid) == 2 && other_rank == rank)
      found = found || (kill(pid, 0) != 0 && errno == ESRCH);
  }
  closedir(files);
  return found;
}

/// Two runs never share a directory.
bool open_run_directory(int rank) {
  char id[256];
  launch_id(id, sizeof id);
  constexpr int kMostOfOneName = 10000;
  for (int n = 1; n <= kMostOfOneName; ++n) {
    char again[16] = "";
    if (n > 1) snprintf(again, sizeof again, "-again%d", n);
    // Long paths are cut by snprintf: then the directory does not exist and we stay off.
    if (snprintf(state().run_dir, sizeof state().run_dir, "%.3000s/running-%s%s-%.200s",
                 state().experiment_dir, id, again, base_name(state().exe)) < 0 ||
        !make_directory(state().run_dir))
      return stay_off(strerror(errno));
    if (!has_earlier_run(state().run_dir, rank)) return true;
  }
  return stay_off("too many runs have the name of this launch (APMT_RUN_ID)");
}

bool open_recording() {
  if (!make_directory(state().experiment_dir)) return stay_off(strerror(errno));
  const int rank = rank_of_process() < 0 ? 0 : rank_of_process();
  if (!open_run_directory(rank)) return false;
  char path[4096];
  snprintf(path, sizeof path, "%.4000s/rank-%05d-%d.apmt", state().run_dir, rank,
           static_cast<int>(getpid()));
  const Capacities capacities = capacities_for(static_cast<uint64_t>(env_number("APMT_MEMORY", 0)));
  if (const char* why = create_recording(path, capacities, &state().recording))
    return stay_off(why);
  return true;
}

void set_followed(uint32_t on) { __atomic_store_n(&activity().followed, on, __ATOMIC_RELEASE); }

void set_recording(uint32_t on) { __atomic_store_n(&activity().recording, on, __ATOMIC_RELEASE); }

/// A forked child has the parent's mapping but is not the rank: it must not write.
void forget_in_child() {
  g_activity.for_each([](Activity& a) { a = {}; });
  self().written = &kNothingWritten;  // what it was mapped from is the parent's alone
  self().taken = 0;
}

void watch_for_forks() {
  static bool watching = false;
  if (!watching) pthread_atfork(nullptr, nullptr, forget_in_child);
  watching = true;
  forget_in_children();
}

/// What our own work costs per MPI call: two clock readings and one table update, measured.
uint64_t measure_call_cost_ns() {
  static format::MpiCall scratch[64];
  static UsedParts used;
  format::Section section = {format::SectionKind::kMpiCalls, sizeof(format::MpiCall), 0, 64, 0, 0};
  constexpr int kRounds = 256;
  const int64_t begin_ns = thread_cpu_ns();
  for (int i = 0; i < kRounds; ++i) {
    const int64_t t0 = now_ns();
    const int64_t t1 = now_ns();
    add_mpi_call(scratch, section, used,
                 {1,
                  format::mpi_what(1, static_cast<uint32_t>(i) & 7, 1, format::PeerClass::kNone,
                                   Stage::kMain),
                  8, 8, static_cast<uint64_t>(t1 - t0), 0});
  }
  return static_cast<uint64_t>(thread_cpu_ns() - begin_ns) / kRounds;
}

/// CPU time of the process outside the kernel.
int64_t user_cpu_ns() {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return int64_t{usage.ru_utime.tv_sec} * 1000000000 + int64_t{usage.ru_utime.tv_usec} * 1000;
}

/// The CPU times of main are the differences of two marks; negative until the second.
void begin_main_cpu(Header& header) {
  header.main_cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  header.main_user_ns = -user_cpu_ns() - 1;  // the kernel may not have counted any yet
}

void end_main_cpu(Header& header) {
  header.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (header.main_cpu_ns < 0) header.main_cpu_ns += header.process_cpu_ns;
  if (header.main_user_ns < 0) header.main_user_ns += user_cpu_ns();
}

void mark(int64_t Header::*when) { state().recording.header->*when = now_ns(); }

void set_stage(Stage stage) {
  settle_samples(self());
  __atomic_store_n(reinterpret_cast<uint32_t*>(&state().recording.header->stage),
                   static_cast<uint32_t>(stage), __ATOMIC_RELAXED);
}

bool mine() { return recording_exists() && getpid() == state().pid; }

/// A program without MPI is recorded from its start when the launcher side has named it.
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
  state().quiet = env("APMT_QUIET") != nullptr;
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
  note_thread_cpu();
  record_modules();
  Header& header = *state().recording.header;
  end_main_cpu(header);  // unless MPI_Finalize did
  // A rank that shares its process with others ended when it finalised, not when the last one did.
  if (kRanksShareAProcess && header.finalize_returned_ns != 0)
    header.end_ns = header.finalize_returned_ns;
  else
    mark(&Header::end_ns);
  if (header.ending == Ending::kOpen) header.ending = Ending::kExited;
  set_recording(0);
  set_followed(0);
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
  const bool opened = open_recording();
  if (opened) {
    Header& header = *state().recording.header;
    header.pid = state().pid = getpid();
    header.start_ns = state().start_ns;
    header.start_realtime_ns = state().start_realtime_ns;
    note_surroundings(state().recording);
    note_odd_settings(state().recording);
    record_modules();
    if (!kRanksShareAProcess) header.call_cost_ns = measure_call_cost_ns();  // else none is charged
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
  char cpu[16];
  snprintf(cpu, sizeof cpu, "%d", sched_getcpu());
  append_text(state().recording, "cpu", cpu);
  record_modules();  // the MPI library has loaded its own by now
  begin_main_threads();
  if (world_rank == 0) say("apmt: recording %s into %s\n", base_name(state().exe), state().run_dir);
  begin_main_cpu(header);
  mark(&Header::init_returned_ns);
  set_stage(Stage::kMain);
  begin_callgrind(world_rank, world_size);
}

void mark_finalize_entered() {
  if (!mine() || state().recording.header->finalize_entered_ns != 0) return;
  end_callgrind();
  Header& header = *state().recording.header;
  mark(&Header::finalize_entered_ns);
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
  if (add_mpi_call(r.calls, r.section(format::SectionKind::kMpiCalls), state().used_calls, numbers))
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
       static_cast<uint64_t>(e.blocked_ns)});
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
  add_message(peer_table(state().recording), world_rank, bytes, direction);
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
  if (mine()) settle_samples(self());
  set_recording(0);
}

void resume() {
  if (!mine()) return;
  settle_samples(self());  // of the pause: they are dropped
  set_recording(1);
}

}  // namespace apmt::rt
