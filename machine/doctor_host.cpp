// The checks of the host: processor, cores, disk, frequency, the recorder's libraries.
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "machine/doctor_checks.h"
#include "machine/frequency.h"
#include "machine/topology.h"
#include "machine/small_file.h"
#include "profiler/profile_format.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using State = Check::State;

/// How many processors a container may use at once, from its quota; 0 without a quota.
double quota_cores(const fs::path& root) {
  const auto text =
      read_small_file(root / "sys/fs/cgroup/cpu.max");  // for example "max 100000", "150000 100000"
  if (!text) return 0;
  double quota = 0;
  double period = 0;
  std::istringstream in(*text);
  return in >> quota >> period && period > 0 ? quota / period : 0;
}

std::string cores(double n) {
  char text[32];
  std::snprintf(text, sizeof text, "%g core%s", n, n == 1 ? "" : "s");
  return text;
}

}  // namespace

Check check_processor(const Surroundings& around, const CpuIdentity& cpu) {
  Check check{.id = "processor", .title = "processor"};
  check.what = cpu.model.empty() ? "unknown" : cpu.model;
  check.what += " (" + (cpu.key.empty() ? "no /proc/cpuinfo" : cpu.key) + ")";
  if (cpu.is_virtual) check.what += ", in a virtual machine";
  const auto clock = read_small_file(
      around.root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (clock) {
    check.details.push_back("clock source: " + *clock);
    if (*clock == "hpet" || *clock == "acpi_pm" || *clock == "jiffies") {
      check.state = State::kLimited;
      check.remedy = "reading the clock " + *clock +
                     " is slow, which shows in short MPI calls; boot with a usable TSC";
    }
  }
  return check;
}

Check check_binding(const Surroundings& around) {
  Check check{.id = "cores", .title = "cores"};
  const int usable = std::max(1, static_cast<int>(usable_cpus().size()));
  const long online = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  const double quota = quota_cores(around.root);
  check.what = cores(usable) + " usable of " + std::to_string(online);
  double together = usable;
  if (quota > 0 && quota < usable) {
    together = quota;
    check.what += ", " + cores(quota) + " at once by the container's quota";
  }
  if (together < 2) {
    check.state = State::kLimited;
    check.remedy =
        "two ranks share a core here: computation is measured, communication is not; "
        "ask for more "
        "cores (cpuset, taskset, --cpus)";
  } else if (usable < online) {
    check.details.push_back("bound to a part of the machine; more ranks than " +
                            cores(std::floor(together)) + " are oversubscribed");
  }
  return check;
}

Check check_disk(const Surroundings& around) {
  constexpr double kRecordingMib = static_cast<double>(format::kDefaultRecordingBytes) / 1048576.0;
  Check check{.id = "disk", .title = "run directory"};
  const std::string dir = fs::absolute(around.run_dir).lexically_normal().string();
  std::string name = (around.run_dir / ".apmt-doctor-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) {
    check.state = State::kBad;
    check.what = dir + " cannot be written (" + std::strerror(errno) + ")";
    check.remedy = "start from a writable folder, or name one: apmt record -d, or APMT_DIR";
    return check;
  }
  ::close(fd);
  ::unlink(name.c_str());
  struct statvfs space {};
  double free_mib = 0;
  if (::statvfs(around.run_dir.c_str(), &space) == 0)
    free_mib =
        static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) / 1048576.0;
  char text[128];
  std::snprintf(text, sizeof text, " can be written, %.0f MiB free: room for %.0f ranks", free_mib,
                std::floor(free_mib / kRecordingMib));
  check.what = dir + text;
  if (free_mib < 64 * kRecordingMib) {
    check.state = State::kLimited;
    std::snprintf(text, sizeof text, "a recording takes %.1f MiB a rank; ", kRecordingMib);
    check.remedy = std::string(text) + "make room or name another folder with APMT_DIR";
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < format::kDefaultRecordingBytes) {
    check.state = State::kBad;
    check.what += "; but files may not exceed " + std::to_string(limit.rlim_cur) + " bytes";
    check.remedy = "ulimit -f unlimited";
  }
  return check;
}

Check check_frequency(const Surroundings& around) {
  Check check{.id = "frequency", .title = "core frequency", .state = State::kLimited};
  const FrequencyWays ways = find_frequency_ways(around.root);
  if (ways.way == FrequencyWays::Way::kNone) {
    check.what = "cannot be set: " + ways.why_not;
    check.remedy = "frequency refinement needs it; a batch system may set it (srun --cpu-freq)";
    return check;
  }
  check.what = "driver " + ways.driver;
  if (ways.highest_hz > 0) {
    char range[64];
    std::snprintf(range, sizeof range, ", %.0f to %.0f MHz", ways.lowest_hz * 1e-6,
                  ways.highest_hz * 1e-6);
    check.what += range;
  }
  if (ways.can_be_written) {
    check.state = State::kGood;
    check.what += ", can be set";
  } else {
    check.what += ", cannot be set by this user";
    check.remedy =
        "as root, or through the batch system (srun --cpu-freq); needed for frequency refinement "
        "only";
  }
  return check;
}

Check check_libraries(const Surroundings& around) {
  Check check{.id = "libraries", .title = "recorder"};
  std::string found;
  for (const char* family : {"openmpi", "mpich", "smpi", "serial"})
    if (fs::exists(around.libraries / ("libapmt-" + std::string(family) + ".so")))
      found += (found.empty() ? "" : ", ") + std::string(family);
  check.what = "libraries for " + found;
  if (found.empty()) {
    check.state = State::kBad;
    check.what = "no libapmt-*.so in " + around.libraries.string();
    check.remedy = "the installation is incomplete: run cmake --install again";
  }
  return check;
}

}  // namespace apmt
