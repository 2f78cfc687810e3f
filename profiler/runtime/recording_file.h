// Creating, laying out and mapping the recording of this process. Ordinary context only.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// How large each table is. The sum decides the size of the file, fixed at start.
struct Capacities {
  uint64_t text_bytes;
  uint64_t modules;
  uint64_t threads;
  uint64_t samples;  // all but `ops` from here on are powers of two
  uint64_t ops;
  uint64_t calls;
  uint64_t peers;
  uint64_t requests = 2048;
  uint64_t instances = 8192;
};

/// As much as fits into `memory_bytes` (APMT_MEMORY), at least the smallest tables and at most what
/// readers take; the defaults when 0.
Capacities capacities_for(uint64_t memory_bytes);

/// Bytes of a recording of these capacities.
uint64_t recording_bytes(const Capacities& capacities);

/// Lays an empty recording into `memory` (zeroed, recording_bytes long).
Recording lay_out(void* memory, const Capacities& capacities);

/// Writing past RLIMIT_FSIZE would raise SIGXFSZ in the program: look first.
bool file_size_allowed(uint64_t bytes);

/// Creates `path` (which must not exist), allocates its space on disk and maps it. nullptr on
/// success, otherwise why not; nothing is left behind then, and errno is that of the failure.
const char* create_recording(const char* path, const Capacities& capacities, Recording* out);

/// Appends "key=value" (value cut at `max` bytes); the offset of the value, 0 when there is no
/// room. Thread-safe, async-signal-safe.
uint32_t append_text(const Recording& recording, const char* key, const char* value,
                     size_t max = 4096);

}  // namespace apmt::rt
