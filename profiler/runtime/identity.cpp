#include "profiler/runtime/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/launcher_environment.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/small_file.h"

namespace apmt::rt {
namespace {

struct ProcessStat {
  pid_t parent;
  unsigned long long start_ticks;  // since boot; together with the pid it identifies a process
};

/// Reads the parent and the start time of a process (fields 4 and 22 of /proc/<pid>/stat); zeros if
/// the file cannot be read.
ProcessStat stat_of(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  char text[1024];
  ProcessStat stat = {0, 0};
  if (read_small_file(path, text, sizeof text) == 0) return stat;
  const char* at = strrchr(text, ')');  // ends field 2, the name, which may contain any character
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = strchr(at + 1, ' ');
    if (at != nullptr && field == 3) stat.parent = static_cast<pid_t>(strtol(at, nullptr, 10));
  }
  if (at != nullptr) stat.start_ticks = strtoull(at, nullptr, 10);
  return stat;
}

void note_process(const Recording& recording, const char* key, pid_t pid) {
  char text[64];
  snprintf(text, sizeof text, "%d:%llu", static_cast<int>(pid), stat_of(pid).start_ticks);
  append_text(recording, key, text);
}

void note_number(const Recording& recording, const char* key, int number) {
  if (number < 0) return;
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  append_text(recording, key, text);
}

/// Hydra, MPICH's launcher, sets no variable that identifies the launch. But the ranks' ancestors,
/// Hydra's proxies, have mpiexec's address among their arguments; this address is the same on every
/// node.
void note_hydra(const Recording& recording) {
  if (env("PMI_RANK") == nullptr || env("PMIX_NAMESPACE") != nullptr) return;
  constexpr int kMostWrappers = 8;
  pid_t pid = getppid();
  for (int i = 0; i < kMostWrappers && pid > 1; ++i, pid = stat_of(pid).parent) {
    char path[64];
    char arguments[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", static_cast<int>(pid));
    const size_t bytes = read_small_file(path, arguments, sizeof arguments);
    if (strstr(arguments, "hydra") == nullptr) continue;
    const char* const group = argument_after(arguments, bytes, "--pgid");
    const char* const port = argument_after(arguments, bytes, "--control-port");
    const char* const host = argument_after(arguments, bytes, "--upstream-host");  // Intel MPI
    const char* const upstream_port = argument_after(arguments, bytes, "--upstream-port");
    char text[512];
    if (port != nullptr)
      snprintf(text, sizeof text, "%.250s/%.20s", port, group == nullptr ? "0" : group);
    else if (host != nullptr && upstream_port != nullptr)
      snprintf(text, sizeof text, "%.250s:%.20s/%.20s", host, upstream_port,
               group == nullptr ? "0" : group);
    else
      continue;
    append_text(recording, "id.hydra", text);
    return;
  }
}

void note_machine(const Recording& recording) {
  char text[128];
  if (read_small_file("/proc/sys/kernel/random/boot_id", text, sizeof text) > 0)
    append_text(recording, "boot_id", text, strcspn(text, "\n"));
  const ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
  if (n > 0) append_text(recording, "pid_namespace", text, static_cast<size_t>(n));
}

}  // namespace

const char* argument_after(const char* arguments, size_t bytes, const char* option) {
  for (size_t at = 0; at < bytes; at += strnlen(arguments + at, bytes - at) + 1) {
    if (strcmp(arguments + at, option) != 0) continue;
    const size_t next = at + strlen(option) + 1;
    return next < bytes ? arguments + next : nullptr;
  }
  return nullptr;
}

void note_identity(const Recording& recording) {
  note_machine(recording);
  note_process(recording, "process", getpid());
  note_process(recording, "parent", getppid());
  note_number(recording, "launcher_rank", launcher_rank());
  note_number(recording, "launcher_size", launcher_size());
  char name[64];
  for (const char* const* variable = kIdentityVariables; *variable != nullptr; ++variable) {
    const char* const value = env(*variable);
    if (value == nullptr) continue;
    snprintf(name, sizeof name, "id.%s", *variable);
    append_text(recording, name, value, 256);
  }
  if (!kRanksShareAProcess) note_hydra(recording);
}

}  // namespace apmt::rt
