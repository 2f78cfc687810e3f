#include "machine/perf_access.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <sstream>

#include "machine/known_work.h"
#include "machine/small_file.h"

namespace apmt {
namespace {

perf_event_attr attributes_of(std::uint32_t type, std::uint64_t config) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return attributes;
}

/// Whether a seccomp filter may reject system calls of this process (mode 2).
bool is_filtered(const std::filesystem::path& root) {
  std::istringstream status(read_small_file(root / "proc/self/status").value_or(""));
  for (std::string line; std::getline(status, line);)
    if (line.rfind("Seccomp:", 0) == 0) return line.find('2') != std::string::npos;
  return false;
}

PerfAccess no_pmu(bool is_virtual) {
  if (is_virtual)
    return {PerfState::kNoPmu, "this virtual machine has no performance counters",
            "give it a virtual PMU (KVM: <pmu state='on'/>, VMware: virtual CPU performance "
            "counters), or "
            "measure on the bare machine"};
  return {PerfState::kNoPmu, "the kernel offers no performance counters on this processor",
          "a newer kernel may support the processor; firmware may have switched its PMU off"};
}

PerfAccess denied(int error, const PerfOpen& open, const std::filesystem::path& root,
                  bool is_virtual) {
  const long long level =
      read_small_number(root / "proc/sys/kernel/perf_event_paranoid").value_or(-1);
  if (level < 0 && !read_small_file(root / "proc/sys/kernel/perf_event_paranoid") &&
      error == ENOSYS && !is_filtered(root))
    return {PerfState::kMissing, "this kernel was built without perf events",
            "a kernel with CONFIG_PERF_EVENTS"};
  // A dummy event needs no hardware. If it is refused, too, the reason is not that hardware
  // counters are missing.
  perf_event_attr dummy = attributes_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
  const int software = open(&dummy);
  if (software >= 0) ::close(software);
  const bool all_denied = software < 0;
  if ((error == EACCES || error == EPERM) && level > 2)
    return {PerfState::kSetting,
            "kernel.perf_event_paranoid is " + std::to_string(level) +
                ", which forbids counters to users",
            "as root: sysctl kernel.perf_event_paranoid=2"};
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) return no_pmu(is_virtual);
  if (all_denied && is_filtered(root))
    return {PerfState::kForbidden,
            std::string("a seccomp filter forbids perf_event_open (") + std::strerror(error) +
                "): usual in containers",
            "start the container with --cap-add PERFMON (podman, docker) or a seccomp profile that "
            "allows perf_event_open"};
  if (error == EACCES || error == EPERM)
    return {PerfState::kForbidden,
            std::string("perf_event_open is refused (") + std::strerror(error) + ")",
            "a security module or missing rights: CAP_PERFMON, or kernel.perf_event_paranoid=2"};
  return {PerfState::kOther, std::string("perf_event_open fails: ") + std::strerror(error), ""};
}

/// How many samples of an event a short loop gives; -1 if the event cannot be opened.
int samples_of(const PerfOpen& open, perf_event_attr attributes, std::uint64_t period) {
  attributes.sample_period = period;
  attributes.sample_type = PERF_SAMPLE_IP;
  attributes.wakeup_events = 1;
  const int fd = open(&attributes);
  if (fd < 0) return -1;
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* ring = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  int samples = -1;
  if (ring != MAP_FAILED) {
    ::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    count_down(20000000);
    ::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    // A record is a header and one address: 16 bytes.
    samples = static_cast<int>(static_cast<perf_event_mmap_page*>(ring)->data_head / 16);
    ::munmap(ring, 2 * page);
  }
  ::close(fd);
  return samples;
}

double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

volatile std::sig_atomic_t g_expiries = 0;
void count_expiry(int) { g_expiries = g_expiries + 1; }

}  // namespace

int system_perf_open(perf_event_attr* attributes) {
  const long fd = ::syscall(SYS_perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

PerfAccess examine_hardware_counters(const PerfOpen& open, const std::filesystem::path& root,
                                     bool is_virtual) {
  perf_event_attr cycles = attributes_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  const int fd = open(&cycles);
  if (fd < 0) return denied(-fd, open, root, is_virtual);
  ::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
  count_down(1000000);
  std::uint64_t counted = 0;
  const bool was_read = ::read(fd, &counted, sizeof counted) == sizeof counted;
  ::close(fd);
  if (!was_read || counted == 0)
    return {PerfState::kCountsNothing, "the cycle counter starts but counts nothing",
            "the hypervisor or an emulator only pretends to count; measure on the bare machine"};
  return {PerfState::kCounts, "hardware counters count", ""};
}

int hardware_samples(const PerfOpen& open) {
  return samples_of(open, attributes_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), 1000000);
}

int task_clock_samples(const PerfOpen& open) {
  return samples_of(open, attributes_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK), 500000);
}

int timer_samples() {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = count_expiry;
  action.sa_flags = SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGURG;
  timer_t timer{};
  if (::sigaction(SIGURG, &action, &before) != 0) return -1;
  if (::timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) {
    ::sigaction(SIGURG, &before, nullptr);
    return -1;
  }
  g_expiries = 0;
  const itimerspec interval{{0, 4000000}, {0, 4000000}};
  ::timer_settime(timer, 0, &interval, nullptr);
  constexpr double kEnough_s = 0.2;  // many ticks of any kernel
  const double begin = cpu_seconds();
  while (g_expiries == 0 && cpu_seconds() - begin < kEnough_s) count_down(1000000);
  ::timer_delete(timer);
  ::sigaction(SIGURG, &before, nullptr);
  return g_expiries;
}

}  // namespace apmt
