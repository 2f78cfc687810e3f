// Keeps track of the active rank, its working directory and the simulator's clock.
#include "pmpi-shim/core/turns.h"

#include <dlfcn.h>
#include <stdint.h>

#include "pmpi-shim/smpi/directories.h"
#include "profiler/runtime/simulation.h"

namespace apmt::shim {
namespace {

/// The functions of SimGrid that are needed here; they exist only in a simulation.
struct Simulator {
  void* (*actor)();
  long (*number)(void* actor);  // 1, 2, ... in the order of ranks; 0 for the simulator itself
  void (*bench_begin)();
  void (*bench_end)();
  bool is_there;
};
Simulator g_simulator;

template <class Function>
void look_up(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

bool find_simulator() {
  if (g_simulator.is_there) return true;
  rt::Simulation simulation = {};
  look_up(g_simulator.actor, "sg_actor_self");
  look_up(g_simulator.number, "sg_actor_get_pid");
  look_up(g_simulator.bench_begin, "smpi_bench_begin");
  look_up(g_simulator.bench_end, "smpi_bench_end");
  look_up(simulation.clock_s, "simgrid_get_clock");
  look_up(simulation.host, "sg_host_self_get_name");
  if (g_simulator.actor == nullptr || g_simulator.number == nullptr ||
      g_simulator.bench_begin == nullptr || g_simulator.bench_end == nullptr ||
      simulation.clock_s == nullptr)
    return false;
  rt::g_simulation = simulation;
  return g_simulator.is_there = true;
}

/// The number of the calling rank; 0 if the caller is not a rank. That happens when the simulation
/// is over and destructors of the program call MPI, for example MPI_Finalized. SimGrid then returns
/// address 0, or the address of a member of an object at address 0.
long calling_rank() {
  constexpr uintptr_t kLargestObject = 4096;
  void* const actor = g_simulator.actor();
  return reinterpret_cast<uintptr_t>(actor) < kLargestObject ? 0 : g_simulator.number(actor);
}

}  // namespace

void enter_rank() {
  if (!find_simulator()) return;
  const long rank = calling_rank();
  rt::g_rank_here = rank > 0 && rank < rt::kMaxRanksHere ? static_cast<int>(rank) : 0;
}

void charge_computation() {
  const Turn turn;
  g_simulator.bench_end();
  g_simulator.bench_begin();
}

Turn::Turn() : rank_(rt::g_rank_here) { leave_own_directory(); }

Turn::~Turn() {
  rt::g_rank_here = rank_;
  enter_own_directory();
}

void forget_own_work() { g_simulator.bench_begin(); }

}  // namespace apmt::shim
