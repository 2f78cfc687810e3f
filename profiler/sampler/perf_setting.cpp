#include "profiler/sampler/perf_setting.h"

#include <stdio.h>
#include <stdlib.h>

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

}  // namespace apmt::sampler
