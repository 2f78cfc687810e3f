// What has to be known of PAPI's perf_event component: a counter that overflows sends the signal
// that fcntl(F_SETSIG) names for its descriptor; PAPI's handler looks at the descriptor in the
// signal's information, not at its number. So the signal can be ours, which is safer than PAPI's
// (signal.cpp), and is the only one we take: the disposition of PAPI's is put back as the program
// left it.

#include "profiler/sampler/papi_set.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/runtime/state.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

Handler g_papi_handler = nullptr;

struct ThreadSet {
  int set;
  uint32_t count;  // events, and as many descriptors
  struct pollfd fds[format::kMaxEvents];
  uint8_t event_of_bit[64];  // of PAPI's overflow vector
};
thread_local ThreadSet t_set = {PAPI_NULL, 0, {}, {}};

/// PAPI calls this from its own signal handler, on the thread that overflowed. The sample is given
/// to where the signal interrupted the program. PAPI's address is that of the overflow, which may
/// lie in the kernel (a counter that ran out on the way into it) or in our own handler (two
/// counters that keep step).
void on_overflow(int, void* address, long long overflowed, void* context) {
  const uint64_t pc =
      context != nullptr ? program_counter(context) : reinterpret_cast<uint64_t>(address);
  for (uint64_t bits = static_cast<uint64_t>(overflowed); bits != 0; bits &= bits - 1)
    take_sample(pc, t_set.event_of_bit[__builtin_ctzll(bits)], 1);
}

bool is_of_this_thread(int fd) {
  for (uint32_t i = 0; i < t_set.count; ++i)
    if (t_set.fds[i].fd == fd) return true;
  return false;
}

/// One signal may stand for several counters: while it is pending, the kernel drops further ones. A
/// counter that is not served stays off for good, so all that have something are.
void on_signal(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (info->si_code <= 0 || g_papi_handler == nullptr || !is_of_this_thread(info->si_fd)) {
    count_foreign_signal();
  } else if (t_set.count == 1) {
    g_papi_handler(number, info, context);
  } else if (poll(t_set.fds, t_set.count, 0) > 0) {
    for (uint32_t i = 0; i < t_set.count; ++i) {
      if ((t_set.fds[i].revents & POLLIN) == 0) continue;
      info->si_fd = t_set.fds[i].fd;
      g_papi_handler(number, info, context);
    }
  }
  errno = saved_errno;
}

/// The descriptors that PAPI opened for this thread: those that send PAPI's signal to it. Each is
/// made to send ours. A descriptor that survived exec would signal a program that knows nothing of
/// it.
uint32_t take_descriptors(int papi_signal) {
  const int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 0;
  struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
  };
  alignas(8) char buffer[1024];  // threads may have small stacks
  const pid_t self = static_cast<pid_t>(syscall(SYS_gettid));
  uint32_t count = 0;
  for (long bytes; (bytes = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < bytes;) {
      const Entry* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->bytes;
      if (entry->name[0] < '0' || entry->name[0] > '9') continue;
      const int fd = atoi(entry->name);
      struct f_owner_ex owner;
      if (fcntl(fd, F_GETSIG) != papi_signal || fcntl(fd, F_GETOWN_EX, &owner) != 0 ||
          owner.type != F_OWNER_TID || owner.pid != self || count == format::kMaxEvents)
        continue;
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      if (fcntl(fd, F_SETSIG, our_signal()) == 0) t_set.fds[count++] = {fd, POLLIN, 0};
    }
  }
  close(directory);
  return count;
}

/// True while every descriptor still is the counter that PAPI opened.
bool descriptors_are_ours() {
  struct f_owner_ex owner;
  const pid_t self = static_cast<pid_t>(syscall(SYS_gettid));
  for (uint32_t i = 0; i < t_set.count; ++i)
    if (fcntl(t_set.fds[i].fd, F_GETSIG) != our_signal() ||
        fcntl(t_set.fds[i].fd, F_GETOWN_EX, &owner) != 0 || owner.pid != self)
      return false;
  return true;
}

/// A program with many threads needs its descriptors itself.
bool descriptors_are_left() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  const rlim_t most =
      limit.rlim_cur == RLIM_INFINITY ? INT32_MAX : limit.rlim_cur - limit.rlim_cur / 4;
  for (uint32_t i = 0; i < t_set.count; ++i)
    if (static_cast<rlim_t>(t_set.fds[i].fd) >= most) return false;
  return true;
}

/// Which of our events a bit of the overflow vector means.
const char* map_overflow_bits(const PapiApi& api, uint32_t count) {
  uint32_t found = 0;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    int index[1] = {-1};
    int indices = 1;
    if (api.get_overflow_event_index(t_set.set, static_cast<long long>(uint64_t{1} << bit), index,
                                     &indices) != PAPI_OK ||
        indices < 1 || index[0] < 0 || static_cast<uint32_t>(index[0]) >= count)
      continue;
    t_set.event_of_bit[bit] = static_cast<uint8_t>(index[0]);
    ++found;
  }
  return found == count ? nullptr : "PAPI does not tell which of the events overflowed";
}

const PAPI_component_info_t* perf_event_component(const PapiApi& api) {
  const int component = api.get_component_index("perf_event");
  return component < 0 ? nullptr : api.get_component_info(component);
}

int open_events(const PapiApi& api, const PapiEvent* events, uint32_t count) {
  int error = api.register_thread();
  if (error == PAPI_OK) error = api.create_eventset(&t_set.set);
  for (uint32_t i = 0; i < count && error == PAPI_OK; ++i)
    error = api.add_event(t_set.set, events[i].code);
  for (uint32_t i = 0; i < count && error == PAPI_OK; ++i)
    error =
        api.overflow(t_set.set, events[i].code, static_cast<int>(events[i].period), 0, on_overflow);
  return error;
}

/// Opens the events; PAPI installs its handler for its signal while it does, which is undone.
int open_quietly(const PapiApi& api, int papi_signal, const PapiEvent* events, uint32_t count) {
  struct sigaction before;
  struct sigaction after;
  if (sigaction(papi_signal, nullptr, &before) != 0) return PAPI_ESYS;
  const int error = open_events(api, events, count);
  if (sigaction(papi_signal, nullptr, &after) == 0 && after.sa_sigaction != before.sa_sigaction) {
    if (g_papi_handler == nullptr) g_papi_handler = after.sa_sigaction;
    sigaction(papi_signal, &before, nullptr);
  }
  return error;
}

void discard(const PapiApi& api) {
  if (t_set.set == PAPI_NULL) return;
  api.cleanup_eventset(t_set.set);
  api.destroy_eventset(&t_set.set);
  t_set.set = PAPI_NULL;
  t_set.count = 0;
}

const char* start(const PapiApi& api, const PapiEvent* events, uint32_t count) {
  if (const char* why = claim_signal(on_signal)) return why;
  if (signal_is_blocked()) return "a thread that blocks all signals is not sampled";
  const PAPI_component_info_t* info = perf_event_component(api);
  if (info == nullptr) return "PAPI was built without perf_event";
  const int papi_signal = info->hardware_intr_sig;
  const int error = open_quietly(api, papi_signal, events, count);
  if (error != PAPI_OK) return api.strerror(error);
  if (g_papi_handler == nullptr) return "PAPI's signal handler was not found";
  if (const char* why = map_overflow_bits(api, count)) return why;
  // From here on our handler may be called.
  t_set.count = take_descriptors(papi_signal);
  if (t_set.count != count) return "PAPI's descriptors were not found";
  if (!descriptors_are_left()) return "the program is short of file descriptors (ulimit -n)";
  const int start_error = api.start(t_set.set);
  return start_error == PAPI_OK ? nullptr : api.strerror(start_error);
}

}  // namespace

const char* find_papi_event(const char* name, int* code) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  const int error = api->event_name_to_code(const_cast<char*>(name), code);
  return error == PAPI_OK ? nullptr : api->strerror(error);
}

const char* papi_is_disabled() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  const PAPI_component_info_t* info = perf_event_component(*api);
  if (info == nullptr) return "PAPI was built without perf_event";
  return info->disabled != PAPI_OK && info->disabled != PAPI_EDELAY_INIT ? info->disabled_reason
                                                                         : nullptr;
}

const char* start_papi_set(const PapiEvent* events, uint32_t count) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  why = start(*api, events, count);
  if (why != nullptr) discard(*api);
  return why;
}

bool read_papi_set(long long* values) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  return api != nullptr && t_set.set != PAPI_NULL && api->read(t_set.set, values) == PAPI_OK;
}

bool stop_papi_set() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr || t_set.set == PAPI_NULL) return false;
  if (!descriptors_are_ours()) {
    t_set.set = PAPI_NULL;
    t_set.count = 0;
    rt::note(
        "the program closed the descriptors of the counters: a thread was not sampled to its end");
    return false;
  }
  long long unused[format::kMaxEvents];
  api->stop(t_set.set, unused);
  discard(*api);
  return true;
}

void end_papi_thread() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api != nullptr && stop_papi_set()) api->unregister_thread();
}

LowDescriptorsTaken::LowDescriptorsTaken() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 4 * kLowest) return;
  const int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int fd = first; fd >= 0; fd = fcntl(first, F_DUPFD_CLOEXEC, 0)) {
    fds_[count_++] = fd;
    if (fd >= kLowest - 1 || count_ == kLowest) break;
  }
}

LowDescriptorsTaken::~LowDescriptorsTaken() {
  while (count_ > 0) close(fds_[--count_]);
}

}  // namespace apmt::sampler
