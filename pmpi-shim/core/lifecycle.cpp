#include "pmpi-shim/core/lifecycle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmpi-shim/core/origins.h"
#include "pmpi-shim/core/requests.h"
#include "pmpi-shim/core/state.h"
#include "pmpi-shim/core/unwinder.h"
#include "pmpi-shim/core/wrapper.h"
#include "profiler/runtime/call_clock.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/threads.h"

namespace apmt::shim {

constinit rt::PerRank<State> g_state;

namespace {

/// The family of the MPI with this version text, as in the name libapmt-<family>.so.
/// (machine/mpi_family.h cannot be used: it needs the C++ library, which the recorder must not load
/// into programs.)
const char* family_of(const char* version) {
  if (strstr(version, "Open MPI") != nullptr) return "openmpi";
  if (strncmp(version, "SMPI", 4) == 0) return "smpi";
  return "mpich";
}

/// Enough for the version text of any MPI. MPI_MAX_LIBRARY_VERSION_STRING is not used: in the mpi.h
/// with which this library was built, it may be too small for the program's MPI.
constexpr size_t kVersionBytes = 16384;
char g_version[kVersionBytes];

bool is_our_family() {
  int length = 0;
  if (!exists(Op::kGet_library_version) ||
      pmpi<Op::kGet_library_version>(g_version, &length) != MPI_SUCCESS)
    return true;  // an MPI before 3.0 cannot be asked
  const char* const family = family_of(g_version);
  if (strcmp(family, kFamilyName) == 0) return true;
  if (rt::launcher_rank() <= 0 && rt::env("APMT_QUIET") == nullptr) {
    char line[256];
    const int n = snprintf(line, sizeof line,
                           "apmt: not recording: libapmt-%s.so was preloaded, but this MPI needs "
                           "libapmt-%s.so\n",
                           kFamilyName, family);
    if (n > 0 && write(STDERR_FILENO, line, static_cast<size_t>(n)) < 0) errno = 0;
  }
  return false;
}

template <class Handle>
Handle find_predefined(const char* symbol, uint64_t bits) {
  return predefined<Handle>(symbol == nullptr ? nullptr : mpi_symbol(symbol), bits);
}

void find_predefined_handles() {
  state().comm_world = find_predefined<MPI_Comm>(kCommWorldSymbol, kCommWorldBits);
  state().comm_null = find_predefined<MPI_Comm>(kCommNullSymbol, kCommNullBits);
  state().request_null = find_predefined<MPI_Request>(kRequestNullSymbol, kRequestNullBits);
  state().type_null = find_predefined<MPI_Datatype>(kTypeNullSymbol, kTypeNullBits);
  state().no_op = find_predefined<MPI_Op>(kNoOpSymbol, kNoOpBits);
}

/// Whether this process was started by MPI_Comm_spawn, not by the launcher.
bool is_spawned() {
  if (rt::kRanksShareAProcess) return false;  // the simulator spawns none
  MPI_Comm parent;
  return pmpi<Op::kComm_get_parent>(&parent) == MPI_SUCCESS && parent != state().comm_null;
}

void begin_with(MPI_Group world) {
  int rank = 0, size = 0;
  pmpi<Op::kGroup_rank>(world, &rank);
  pmpi<Op::kGroup_size>(world, &size);
  state().world_group = world;
  state().world_size = size;
  int level = MPI_THREAD_SINGLE;
  pmpi<Op::kQuery_thread>(&level);
  if (level == MPI_THREAD_MULTIPLE) state().multiple = true;
  if (state().multiple) share_requests();
  rt::note_mpi_library(g_version);
  rt::mark_init_returned(rank, size);
  __atomic_store_n(&rt::activity().wrapping, 1u, __ATOMIC_RELEASE);
}

void note_losses() {
  char line[160];
  const uint64_t requests = __atomic_load_n(&state().requests_lost, __ATOMIC_RELAXED);
  const uint64_t comms = __atomic_load_n(&state().comms_lost, __ATOMIC_RELAXED);
  if (requests > 0) {
    snprintf(line, sizeof line,
             "%llu requests were not tracked: more were open than the table holds",
             static_cast<unsigned long long>(requests));
    rt::note(line);
  }
  if (comms > 0) {
    snprintf(line, sizeof line, "%llu times the table had no room for a communicator's ranks",
             static_cast<unsigned long long>(comms));
    rt::note(line);
  }
  if (const uint64_t odd = __atomic_load_n(&state().odd_times, __ATOMIC_RELAXED)) {
    snprintf(line, sizeof line,
             "%llu times of requests were impossible and were set to the nearest possible value",
             static_cast<unsigned long long>(odd));
    rt::note(line);
  }
}

/// Ends the recording of MPI calls. The recorder may call no MPI function after this.
void end() {
  if (!rt::wrapping()) return;
  __atomic_store_n(&rt::activity().wrapping, 0u, __ATOMIC_RELEASE);
  pmpi<Op::kGroup_free>(&state().world_group);
  note_losses();
  rt::mark_finalize_entered();
}

}  // namespace

bool prepare() {
  const int saved_errno = errno;
  const bool recording = is_our_family() && rt::begin();
  if (recording) {
    resolve_all();
    find_predefined_handles();
    find_unwinder();
    find_bindings();
    rt::describe_ops(kOpTable, kOpCount);
    rt::begin_call_clock();
    rt::mark_init_entered();
  }
  errno = saved_errno;
  return recording;
}

void begin_world() {
  __atomic_fetch_add(&state().open, 1, __ATOMIC_RELAXED);
  if (rt::wrapping()) return;
  const int saved_errno = errno;
  MPI_Group world;
  if (pmpi<Op::kComm_group>(state().comm_world, &world) == MPI_SUCCESS) begin_with(world);
  note_world_origin(state().comm_world);
  if (is_spawned()) rt::note_spawned();
  errno = saved_errno;
}

void begin_session(Session session) {
  __atomic_fetch_add(&state().open, 1, __ATOMIC_RELAXED);
  // From now on, several threads may be in MPI at once: a session has a thread level of its own,
  // which MPI_Query_thread does not return.
  state().multiple = true;
  share_requests();
  if (rt::wrapping()) return;
  const int saved_errno = errno;
  MPI_Group world;
  if (pmpi<Op::kGroup_from_session_pset>(session, "mpi://WORLD", &world) == MPI_SUCCESS)
    begin_with(world);
  errno = saved_errno;
}

void end_world() {
  const int saved_errno = errno;
  __atomic_fetch_sub(&state().open, 1, __ATOMIC_RELAXED);
  end();
  errno = saved_errno;
}

bool end_session() {
  if (__atomic_sub_fetch(&state().open, 1, __ATOMIC_RELAXED) > 0) return false;
  const int saved_errno = errno;
  end();
  errno = saved_errno;
  return true;
}

void end_returned() { rt::mark_finalize_returned(); }

void pause_or_resume(int level) {
  if (!rt::wrapping()) return;
  if (level == 0)
    rt::pause();
  else
    rt::resume();
}

}  // namespace apmt::shim
