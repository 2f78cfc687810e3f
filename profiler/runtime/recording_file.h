// Creates, lays out and maps the recording of this process. Only append_text() and append_number()
// are async-signal-safe.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// The number of entries of each table. They determine the size of the file, which is fixed at
/// start.
struct Capacities {
  uint64_t text_bytes;
  uint64_t modules;
  uint64_t threads;
  uint64_t samples;  // powers of two: samples, calls, peers, requests and instances
  uint64_t ops;
  uint64_t calls;
  uint64_t peers;
  uint64_t requests = 2048;
  uint64_t instances = 8192;
};

/// Tables that fit into `memory_bytes` (APMT_MEMORY), but not smaller than the minimum sizes and
/// not larger than readers accept. 0 gives the default sizes.
Capacities capacities_for(uint64_t memory_bytes);

/// The size of a recording with these capacities, in bytes.
uint64_t recording_bytes(const Capacities& capacities);

/// Initialises an empty recording in `memory`, which must be zeroed and of recording_bytes() bytes.
Recording lay_out(void* memory, const Capacities& capacities);

/// Whether a file may have this size: exceeding RLIMIT_FSIZE would raise SIGXFSZ in the program.
bool file_size_allowed(uint64_t bytes);

/// Creates `path` (which must not exist), allocates its space on disk and maps it. Returns nullptr
/// on success, otherwise the reason for the failure; then errno is set, and no file is left.
const char* create_recording(const char* path, const Capacities& capacities, Recording* out);

/// Appends "key=value" to the texts, with `value` cut at `max` bytes. Returns the offset of the
/// value, 0 if the table is full. Thread-safe, async-signal-safe.
uint32_t append_text(const Recording& recording, const char* key, const char* value,
                     size_t max = 4096);

/// Appends "key=value" in decimal digits. Thread-safe, async-signal-safe.
void append_number(const Recording& recording, const char* key, uint64_t value);

}  // namespace apmt::rt
