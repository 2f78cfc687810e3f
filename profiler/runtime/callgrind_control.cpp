#include "profiler/runtime/callgrind_control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
// Without valgrind's header, the recorder treats every run as a run outside valgrind.
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_STOP_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_TOGGLE_COLLECT static_cast<void>(0)
#define CALLGRIND_ZERO_STATS static_cast<void>(0)
#define CALLGRIND_DUMP_STATS_AT(text) static_cast<void>(text)
#endif

namespace apmt::rt {

uint32_t g_in_callgrind = 0;

namespace {

/// A window of the run: counting begins and ends at calls to one MPI operation. If `op` is 0, the
/// whole run is counted.
struct Window {
  uint32_t op;
  uint64_t first;
  uint64_t last;
  uint64_t seen;  // calls so far; atomic
};

Window g_window;
int g_rank = 0;
int g_size = 0;
constinit thread_local bool t_paused = false;  // whether this thread has toggled collection off

uint32_t number_of(const char* name, size_t length) {
  const format::Section& section = state().recording.section(format::SectionKind::kOps);
  for (uint32_t op = 1; op < section.used; ++op)
    if (strlen(state().recording.ops[op].name) == length &&
        strncmp(state().recording.ops[op].name, name, length) == 0)
      return op;
  return 0;
}

/// Parses a window such as "MPI_Allreduce:10:13".
bool read_window(const char* text, Window* window) {
  const char* colon = strchr(text, ':');
  if (colon == nullptr) return false;
  char* rest = nullptr;
  window->op = number_of(text, static_cast<size_t>(colon - text));
  window->first = strtoull(colon + 1, &rest, 10);
  if (window->op == 0 || *rest != ':') return false;
  window->last = strtoull(rest + 1, &rest, 10);
  return *rest == '\0' && window->first > 0 && window->last > window->first;
}

uint64_t counted_calls() {
  const uint64_t seen = __atomic_load_n(&g_window.seen, __ATOMIC_RELAXED);
  return seen > g_window.first ? seen - g_window.first : 0;
}

}  // namespace

bool in_valgrind() { return RUNNING_ON_VALGRIND != 0; }

void begin_callgrind(int world_rank, int world_size) {
  const char* what = env("APMT_SIMULATE");
  if (what == nullptr || !in_valgrind()) return;
  g_rank = world_rank;
  g_size = world_size;
  const bool whole = strcmp(what, "whole") == 0;
  if (!whole && (kRanksShareAProcess || !read_window(what, &g_window))) return;
  if (g_in_callgrind != 0) return;  // another rank of this process has started callgrind
  g_in_callgrind = 1;
  if (whole) CALLGRIND_START_INSTRUMENTATION;
}

void leave_callgrind() {
  static int left = 0;
  if (kRanksShareAProcess && in_callgrind() && ++left < g_size) return;
  end_callgrind();
}

void callgrind_enters_mpi() {
  if (t_paused) return;
  CALLGRIND_TOGGLE_COLLECT;
  t_paused = true;
}

void callgrind_leaves_mpi(uint32_t op) {
  if (kRanksShareAProcess && stage() != format::Stage::kMain) return;
  // Switches collection on before CALLGRIND_START_INSTRUMENTATION (below). The latter also switches
  // collection on, so a toggle after it would switch collection off.
  if (t_paused) CALLGRIND_TOGGLE_COLLECT;
  t_paused = false;
  if (op != g_window.op || op == 0) return;
  const uint64_t seen = __atomic_add_fetch(&g_window.seen, 1, __ATOMIC_RELAXED);
  // Instrumentation starts one call before the window (with the window if it begins at the first
  // call), so that the simulated caches are full when the window begins. The counts of that time
  // are discarded.
  if (seen + 1 == g_window.first || (seen == 1 && g_window.first == 1))
    CALLGRIND_START_INSTRUMENTATION;
  if (seen == g_window.first) CALLGRIND_ZERO_STATS;
  if (seen == g_window.last) end_callgrind();
}

void end_callgrind() {
  if (__atomic_exchange_n(&g_in_callgrind, 0u, __ATOMIC_ACQ_REL) == 0) return;
  static char label[128];  // callgrind copies it into its file
  if (kRanksShareAProcess)
    snprintf(label, sizeof label, "apmt all of %d ranks", g_size);
  else
    snprintf(label, sizeof label, "apmt rank %d of %d calls %llu", g_rank, g_size,
             static_cast<unsigned long long>(counted_calls()));
  CALLGRIND_DUMP_STATS_AT(label);
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace apmt::rt
