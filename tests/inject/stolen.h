// Measures the time that a hypervisor takes away from this machine. While the hypervisor has the
// processor, the sampling clock runs on, but the thread's CPU time does not, so there are too many
// samples.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

namespace apmt::testing {

/// Seconds of CPU time that a hypervisor took from this machine since it started.
inline double stolen_s() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  double ticks[8] = {};  // user nice system idle iowait irq softirq steal
  stat >> cpu;
  for (double& t : ticks) stat >> t;
  return ticks[7] / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace apmt::testing
