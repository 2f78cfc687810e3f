#include "profiler/sampler/perf_setting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/runtime/small_file.h"

namespace apmt::sampler {

const char* perf_setting_forbids() {
  static char text[128];
  char level[16];
  rt::read_small_file("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
  const long value = strtol(level, nullptr, 10);
  text[0] = '\0';
  if (value > 2)
    snprintf(text, sizeof text,
             " (kernel.perf_event_paranoid is %ld, which forbids counters; 2 allows them)", value);
  return text;
}

const char* kernel_has_no_cycles() {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) {
    close(static_cast<int>(fd));
    return nullptr;
  }
  switch (errno) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case ENOSYS:
      return "this machine (or virtual machine) has no counters";
    case EACCES:
    case EPERM:
      return strerror(errno);
    default:
      return nullptr;
  }
}

}  // namespace apmt::sampler
