// Opens the task clock of the Linux kernel. The descriptor of the event is closed as soon as its
// buffer is mapped; the mapping keeps the event open. So the program can neither see nor close the
// descriptor. A forked child or a program started by exec does not inherit the mapping.

#include "profiler/sampler/task_clock.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace apmt::sampler {
namespace {

#if defined(__x86_64__)
constexpr uint64_t kProgramCounter = uint64_t{1} << PERF_REG_X86_IP;
#elif defined(__aarch64__)
constexpr uint64_t kProgramCounter = uint64_t{1} << PERF_REG_ARM64_PC;
#elif defined(__powerpc64__)
constexpr uint64_t kProgramCounter = uint64_t{1} << PERF_REG_POWERPC_NIP;
#else
#error "say which register of perf is the program counter"
#endif

bool g_omits_kernel = false;

int open_event(uint64_t what, uint64_t period_ns) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = what;
  attributes.sample_period = period_ns;
  attributes.sample_type = PERF_SAMPLE_REGS_USER;
  attributes.sample_regs_user = kProgramCounter;
  attributes.exclude_kernel = g_omits_kernel;
  attributes.exclude_hv = 1;
  attributes.watermark = 1;  // a watermark that is never reached, so that no signal is sent
  attributes.wakeup_watermark = UINT32_MAX;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/// Whether the kernel would open a task clock. Opening the first one takes long, so this tries an
/// event that does not exist: the kernel checks permissions before it checks the event.
bool is_granted() {
  constexpr uint64_t kNoSuchEvent = UINT32_MAX;
  const int fd = open_event(kNoSuchEvent, 1);
  if (fd >= 0) close(fd);
  return fd >= 0 || (errno != EACCES && errno != EPERM && errno != ENOSYS);
}

}  // namespace

const char* task_clock_is_refused() {
  g_omits_kernel = false;
  if (is_granted()) return nullptr;
  g_omits_kernel = true;
  if (is_granted()) return nullptr;
  g_omits_kernel = false;
  return strerror(errno);
}

const char* TaskClock::start(uint64_t period_ns) {
  const int fd = open_event(PERF_COUNT_SW_TASK_CLOCK, period_ns);
  if (fd < 0) return "it cannot be opened";
  const size_t pages = getpagesize() < 8192 ? 2 : 1;  // room for a few hundred samples
  const char* const why = buffer_.map(fd, pages) ? nullptr : "its buffer cannot be mapped";
  close(fd);
  return why;
}

bool task_clock_omits_kernel() { return g_omits_kernel; }

}  // namespace apmt::sampler
