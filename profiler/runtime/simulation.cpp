#include "profiler/runtime/simulation.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/runtime/memory_map.h"
#include "profiler/runtime/runtime.h"
#include "profiler/runtime/small_file.h"

namespace apmt::rt {

int g_rank_here = 0;
Simulation g_simulation;

int64_t now_ns() {
  // Simulated time begins at 0. One nanosecond is added, because 0 means "not reached".
  static int64_t last_ns = 1;
  if (g_simulation.clock_s != nullptr)
    last_ns = 1 + static_cast<int64_t>(g_simulation.clock_s() * 1e9 + 0.5);
  return last_ns;
}

void stop_simulated_clock() { g_simulation.clock_s = nullptr; }

void* take_zero_pages(size_t bytes) {
  constexpr size_t kChunkBytes = 64 << 20;
  constexpr size_t kPage = 4096;
  static char* free_begin = nullptr;
  static size_t free_bytes = 0;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (bytes > free_bytes) {
    const size_t chunk = bytes > kChunkBytes ? bytes : kChunkBytes;
    void* const memory = map_memory(nullptr, chunk, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (memory == MAP_FAILED) return nullptr;
    free_begin = static_cast<char*>(memory);
    free_bytes = chunk;
  }
  void* const out = free_begin;
  free_begin += bytes;
  free_bytes -= bytes;
  return out;
}

static const char* name_of(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

static char g_started_as[NAME_MAX + 1];  // without folders

void find_program(char* path, size_t capacity) {
  // The simulator's launcher is started as: smpimain PROGRAM --cfg=... platform.xml arguments...
  char words[PATH_MAX + 64];
  const size_t bytes = read_small_file("/proc/self/cmdline", words, sizeof words);
  const size_t first = strnlen(words, bytes);
  char resolved[PATH_MAX];
  if (first + 1 >= bytes || realpath(words + first + 1, resolved) == nullptr) return;
  snprintf(path, capacity, "%s", resolved);
  snprintf(g_started_as, sizeof g_started_as, "%s", name_of(words + first + 1));
}

static char g_copied_library[PATH_MAX];

void note_copied_library(const char* path) {
  snprintf(g_copied_library, sizeof g_copied_library, "%s", path);
}

const char* copied_library() { return g_copied_library; }

int rank_of_library(const char* object) {
  constexpr size_t kDigits = 7;
  const char* const name = name_of(object);
  const char* const library = name_of(g_copied_library);
  if (strlen(library) <= kDigits || strlen(name) <= kDigits) return -1;
  char* end = nullptr;
  const long rank = strtol(name, &end, 10);
  return end == name + kDigits && strcmp(end, library + kDigits) == 0 ? static_cast<int>(rank) : -1;
}

int rank_of_copy(const char* object) {
  const char* const name = name_of(object);
  const size_t base_bytes = strlen(g_started_as);
  if (strncmp(name, g_started_as, base_bytes) != 0 || name[base_bytes] != '_') return -1;
  char* end = nullptr;
  const long pid = strtol(name + base_bytes + 1, &end, 10);
  if (pid != getpid() || *end != '_') return -1;
  const char* const digits = end + 1;
  const long rank = strtol(digits, &end, 10);
  return end != digits && strcmp(end, ".so") == 0 && rank <= INT_MAX ? static_cast<int>(rank) : -1;
}

}  // namespace apmt::rt
