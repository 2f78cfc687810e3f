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
  uint64_t samples;  // this and all below, except `ops`, are powers of two
  uint64_t ops;
  uint64_t calls;
  uint64_t peers;
  uint64_t requests = 2048;
  uint64_t instances = 8192;
};

/// The largest tables that fit into `memory_bytes` (APMT_MEMORY), but at least the smallest ones
/// and at most what readers accept; the defaults when 0.
Capacities capacities_for(uint64_t memory_bytes);

/// Bytes of a recording of these capacities.
uint64_t recording_bytes(const Capacities& capacities);

/// Initialises an empty recording in `memory` (zeroed, recording_bytes long).
Recording lay_out(void* memory, const Capacities& capacities);

/// Whether the file may be that large: writing past RLIMIT_FSIZE would raise SIGXFSZ in the
/// program.
bool file_size_allowed(uint64_t bytes);

/// Creates `path` (which must not exist), allocates its space on disk and maps it. Returns nullptr,
/// or the reason of a failure; then no file is left, and errno is that of the failure.
const char* create_recording(const char* path, const Capacities& capacities, Recording* out);

/// Appends "key=value" (value cut at `max` bytes). Returns the offset of the value, 0 if the table
/// is full. Thread-safe, async-signal-safe.
uint32_t append_text(const Recording& recording, const char* key, const char* value,
                     size_t max = 4096);

}  // namespace apmt::rt
