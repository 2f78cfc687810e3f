// The state of the recorder for each rank. It exists until the process ends; nothing is freed,
// because signal handlers may run until the very last moment.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "profiler/profile_format.h"
#include "profiler/runtime/per_rank.h"
#include "profiler/runtime/runtime.h"

namespace apmt::rt {

/// Marks the parts of a table that have entries, so that code that visits all entries can skip the
/// other parts. A bit is set only when a slot is claimed, not when a slot is updated.
class UsedParts {
 public:
  void note(uint64_t index, uint64_t capacity) {
    const uint64_t part = index / entries_in_part(capacity);
    __atomic_fetch_or(&bits_[part / 64], uint64_t{1} << part % 64, __ATOMIC_RELAXED);
  }

  /// Calls `visit(begin, end)` with the range of entries of each part that has entries.
  template <typename Visit>
  void for_each(uint64_t capacity, const Visit& visit) const {
    const uint64_t width = entries_in_part(capacity);
    for (uint64_t part = 0; part < kParts; ++part)
      if (__atomic_load_n(&bits_[part / 64], __ATOMIC_RELAXED) >> part % 64 & 1)
        visit(part * width, (part + 1) * width);
  }

 private:
  static constexpr uint64_t kParts = 256;
  static uint64_t entries_in_part(uint64_t capacity) {
    return capacity > kParts ? capacity / kParts : 1;
  }
  uint64_t bits_[kParts / 64];
};

/// The addresses of the tables in the mapped recording, computed once.
struct Recording {
  format::Header* header;
  char* text;
  format::Module* modules;
  format::Thread* threads;
  format::Sample* samples;
  format::Op* ops;
  format::MpiCall* calls;
  format::Peer* peers;
  format::Peer* peer_blocks;
  format::RequestRow* requests;
  format::Instance* instances;
  format::ThreadTotals* totals;
  format::MainTime* main_times;

  format::Section& section(format::SectionKind kind) const {
    return header->sections[static_cast<uint32_t>(kind) - 1];
  }
};

/// The sampler's functions. The sampler registers them before main(), so that the runtime does not
/// depend on the sampler.
struct SamplerHooks {
  bool (*start_process)();  // chooses a source of samples and starts sampling the calling thread
  bool (*start_thread)();   // starts sampling the calling thread, already registered; false: failed
  /// Starts sampling another thread of the process; it must be registered already. Returns nullptr,
  /// or the reason why the thread cannot be sampled.
  const char* (*start_other_thread)(pid_t tid);
  void (*stop_thread)();
  /// To be called at the beginning and end of the main stage, for the calling thread.
  void (*begin_main)();
  void (*end_main)();
  /// Writes the values of the calling thread's counters into the recording.
  void (*note_totals)();
  /// Takes the calling thread's samples from the kernel's buffer. Async-signal-safe.
  void (*take_written)();
};

struct State {
  Recording recording;
  UsedParts used_samples;
  UsedParts used_calls;
  uint64_t objects_loaded;    // the loader's count of loads when objects were last recorded
  uint64_t objects_unloaded;  // the loader's count of unloads when objects were last detached
  SamplerHooks sampler;
  uint32_t begun;    // whether begin() was called; atomic
  uint32_t pauses;   // number of calls to pause(); atomic
  pid_t pid;         // of the process that owns the recording: a forked child must not write it
  int64_t start_ns;  // when the recorder's constructor ran
  int64_t start_realtime_ns;
  char experiment_dir[4096];  // resolved at start, before the program can change directory
  char exe[4096];
  char run_dir[4096];
  char file_name[128];  // of the recording in run_dir, without its ending
  char staged[768];     // path of the recording while it is staged on this node
  bool quiet;           // APMT_QUIET: no line on stderr
  bool tells_reason;    // even if `quiet`, prints the reason for a failure if no link can hold it
};

extern PerRank<State> g_state;

/// For the active rank; async-signal-safe.
inline State& state() { return g_state.here(); }

}  // namespace apmt::rt
