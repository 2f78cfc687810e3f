// The stages of the program: before MPI_Init has returned, the main stage, and after MPI_Finalize
// was entered. Records when they begin and end, the CPU time of the main stage, and pauses.
#include "profiler/runtime/stages.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/runtime/callgrind_control.h"
#include "profiler/runtime/calls.h"
#include "profiler/runtime/clock.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/landing.h"
#include "profiler/runtime/modules.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/threads.h"

namespace apmt::rt {
namespace {

using format::Ending;
using format::Header;
using format::Stage;

/// CPU time of the process in user mode.
int64_t user_cpu_ns() {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return int64_t{usage.ru_utime.tv_sec} * 1000000000 + int64_t{usage.ru_utime.tv_usec} * 1000;
}

/// The CPU times of the main stage are differences of two clock readings, at its end and at its
/// beginning. Until the stage ends, the header holds the readings at its beginning, with a minus
/// sign.
void begin_main_cpu(Header& header) {
  header.main_cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  header.main_user_ns = -user_cpu_ns() - 1;  // negative even if the kernel has counted no time
}

/// Begins the main part of the program: samples and CPU times count from now on.
void begin_main() {
  if (state().sampler.begin_main != nullptr) state().sampler.begin_main();
  count_main_times(true);
}

void set_stage(Stage stage) {
  settle_samples(self());
  __atomic_store_n(reinterpret_cast<uint32_t*>(&state().recording.header->stage),
                   static_cast<uint32_t>(stage), __ATOMIC_RELAXED);
}

}  // namespace

bool owns_recording() { return recording_exists() && getpid() == state().pid; }

void mark(int64_t Header::*when) { state().recording.header->*when = now_ns(); }

void end_main_cpu(Header& header) {
  header.process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (header.main_cpu_ns < 0) header.main_cpu_ns += header.process_cpu_ns;
  if (header.main_user_ns < 0) header.main_user_ns += user_cpu_ns();
}

void end_main() {
  if (stage() != Stage::kMain || !recording()) return;
  if (state().sampler.end_main != nullptr) state().sampler.end_main();
  count_main_times(false);
}

void mark_init_entered() {
  if (owns_recording() && state().recording.header->init_entered_ns == 0)
    mark(&Header::init_entered_ns);
}

void mark_init_returned(int world_rank, int world_size) {
  if (!owns_recording() || state().recording.header->init_returned_ns != 0) return;
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
  begin_main();  // before set_stage(), so samples of this work are not in kMain
  set_stage(Stage::kMain);
  begin_callgrind(world_rank, world_size);
}

void mark_finalize_entered() {
  if (!owns_recording() || state().recording.header->finalize_entered_ns != 0) return;
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
  if (owns_recording()) mark(&Header::finalize_returned_ns);
}

void mark_abort() {
  if (!owns_recording()) return;
  settle_samples(self());
  end_main();
  end_callgrind();
  Header& header = *state().recording.header;
  header.ending = Ending::kAbortCalled;
  end_main_cpu(header);
  mark(&Header::end_ns);
}

void pause() {
  if (owns_recording() && recording()) {
    settle_samples(self());
    count_main_times(false);
    __atomic_fetch_add(&state().pauses, 1u, __ATOMIC_RELAXED);
  }
  set_recording(0);
}

void resume() {
  if (!owns_recording() || recording()) return;
  settle_samples(self());  // recording is still off, so this discards the pause's samples
  set_recording(1);
  if (stage() == Stage::kMain) count_main_times(true);
}

}  // namespace apmt::rt
