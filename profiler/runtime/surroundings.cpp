#include "profiler/runtime/surroundings.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/simulation.h"
#include "profiler/runtime/small_file.h"

namespace apmt::rt {
namespace {

/// The calling thread's affinity mask as text: "0-3,8".
void affinity_list(char* out, size_t capacity, uint32_t* count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  *count = 0;
  out[0] = '\0';
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  *count = static_cast<uint32_t>(CPU_COUNT(&set));
  size_t used = 0;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    const int n =
        first == last
            ? snprintf(out + used, capacity - used, "%s%d", used > 0 ? "," : "", first)
            : snprintf(out + used, capacity - used, "%s%d-%d", used > 0 ? "," : "", first, last);
    if (n < 0 || static_cast<size_t>(n) >= capacity - used) return;
    used += static_cast<size_t>(n);
    first = last;
  }
}

void note_cpu_model(const Recording& recording) {
  char text[4096];
  read_small_file("/proc/cpuinfo", text, sizeof text);
  const char* at = strstr(text, "model name");
  if (at == nullptr || (at = strchr(at, ':')) == nullptr) return;
  const char* end = strchr(++at, '\n');
  while (*at == ' ') ++at;
  append_text(recording, "cpu_model", at,
              end == nullptr ? strlen(at) : static_cast<size_t>(end - at));
}

void note_command_line(const Recording& recording) {
  char text[4096];
  const size_t bytes = read_small_file("/proc/self/cmdline", text, sizeof text);
  for (size_t i = 0; i + 1 < bytes; ++i)
    if (text[i] == '\0') text[i] = ' ';
  append_text(recording, "command", text);
}

#ifndef APMT_RANKS_SHARE_A_PROCESS
const char* host_name(const char* system_name) { return system_name; }
#else
const char* host_name(const char* system_name) {
  return g_simulation.host == nullptr ? system_name : g_simulation.host();
}
#endif

/// Adds notes about settings that are ignored or cannot be met.
void note_odd_settings(const Recording& recording) {
  constexpr const char* kNumbers[] = {"APMT_INTERVAL_NS", "APMT_MEMORY", "APMT_SET"};
  char text[256];
  for (const char* name : kNumbers) {
    const char* const value = env(name);
    if (value == nullptr || env_number(name, -1) >= 0) continue;
    snprintf(text, sizeof text, "%s=%.100s is ignored: it is not a number", name, value);
    append_text(recording, "note", text);
  }
  const int64_t wanted_bytes = env_number("APMT_MEMORY", 0);
  const uint64_t bytes = recording.header->file_bytes;
  if (wanted_bytes == 0 || (static_cast<uint64_t>(wanted_bytes) >= bytes &&
                            static_cast<uint64_t>(wanted_bytes) <= format::kMaxRecordingBytes))
    return;
  snprintf(text, sizeof text, "the recording has %llu bytes instead of the %lld of APMT_MEMORY",
           static_cast<unsigned long long>(bytes), static_cast<long long>(wanted_bytes));
  append_text(recording, "note", text);
}

}  // namespace

void note_surroundings(const Recording& recording) {
  append_text(recording, "exe", state().exe);
  note_command_line(recording);
  note_cpu_model(recording);
  struct utsname system;
  if (uname(&system) == 0) {
    append_text(recording, "host", host_name(system.nodename));
    append_text(recording, "kernel", system.release);
    append_text(recording, "architecture", system.machine);
  }
  char libc[64];
  if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc) > 0) append_text(recording, "libc", libc);
  if (kRanksShareAProcess) {
    append_text(recording, "virtual", "SimGrid SMPI");
  } else {
    char list[1024];
    affinity_list(list, sizeof list, &recording.header->usable_cpus);
    append_text(recording, "affinity", list);
  }
  if (const char* params = env("APMT_PARAMS")) append_text(recording, "params", params);
  if (const char* metrics = env("APMT_METRICS")) append_text(recording, "metrics", metrics);
  char name[64];
  for (const char* const* variable = kRecordedVariables; *variable != nullptr; ++variable) {
    const char* value = env(*variable);
    if (value == nullptr) continue;
    snprintf(name, sizeof name, "env.%s", *variable);
    append_text(recording, name, value, 256);
  }
  note_odd_settings(recording);
}

}  // namespace apmt::rt
