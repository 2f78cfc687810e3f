// Adds what the shim reports to the tables of the recording: MPI calls, completed requests,
// instances of collectives, and messages to and from ranks.
#include "profiler/runtime/calls.h"

#include "profiler/runtime/call_clock.h"
#include "profiler/runtime/instances.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"

namespace apmt::rt {

// Defined in this file because the functions below run in every MPI call: the compiler accesses
// variables of the same file with fewer instructions.
constinit PerRank<State> g_state;
constinit PerRank<Activity> g_activity;

using format::Stage;

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

}  // namespace apmt::rt
