// Starts and stops sets of counters that PAPI has opened. The code relies on this behaviour of
// PAPI's perf_event component:
// - A set is a group of the kernel's counters, led by the first event.
// - Counters are opened when overflow is set up, but count only when their group is enabled.
// - A counter that overflows sends the signal that was set for its descriptor by fcntl(F_SETSIG).
// The code here sets the recorder's signal for every descriptor, because it is safer than PAPI's
// (signal.cpp), and removes PAPI's handler.

#include "profiler/sampler/papi_set.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/runtime/sampled_place.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/runtime/threads.h"
#include "profiler/sampler/counter_buffer.h"
#include "profiler/sampler/papi_api.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

struct Counter {
  CounterBuffer buffer;
  int fd;
  uint32_t event;      // number of the event in the recording
  uint64_t overflows;  // overflows that the recorder received since the start
};

struct OpenSet {
  int set;
  uint32_t count;
  Counter counters[kMaxSetEvents];
};

struct ThreadSets {
  uint32_t count;  // of open sets
  uint32_t now;    // index of the set that is enabled
  uint32_t slice_samples;
  uint32_t random;
  uint64_t samples_left;  // of the first event, until the next set is enabled
  uint64_t handled;       // signals handled so far
  OpenSet sets[kMaxSets];
};
thread_local ThreadSets t_sets = {};

/// Keeps the compiler from moving earlier writes below this point, because a signal handler on this
/// thread must see them.
void publish() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// PAPI requires a callback, but never calls it, because signals go to the recorder's handler.
void on_papi_overflow(int, void*, long long, void*) {}

void switch_group(const OpenSet& set, unsigned long request) {
  ioctl(set.counters[0].fd, request, PERF_IOC_FLAG_GROUP);
}

bool is_of_this_thread(int fd) {
  for (uint32_t s = 0; s < t_sets.count; ++s)
    for (uint32_t i = 0; i < t_sets.sets[s].count; ++i)
      if (t_sets.sets[s].counters[i].fd == fd) return true;
  return false;
}

uint64_t slice_length() {
  uint32_t& x = t_sets.random;  // xorshift
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return t_sets.slice_samples + x % t_sets.slice_samples;
}

void note_slice_time(uint64_t samples) {
  t_sets.samples_left -= samples < t_sets.samples_left ? samples : t_sets.samples_left;
  if (is_computing()) rt::add(rt::state().recording.header->slice_samples[t_sets.now], samples);
}

/// Takes samples from the records of the set's counters. A record without an address, or with an
/// address in the kernel (the counter overflowed on the way into it), becomes a sample at `pc`.
void serve(OpenSet& set, uint64_t pc) {
  for (uint32_t i = 0; i < set.count; ++i)
    set.counters[i].buffer.visit_new([&](uint64_t ip, uint64_t count) {
      const bool is_of_program = ip != 0 && ip >> 63 == 0;
      take_sample(is_of_program ? ip : pc, set.counters[i].event, count);
      set.counters[i].overflows += count;
      if (i == 0 && t_sets.count > 1) note_slice_time(count);
    });
}

/// Enables the next set instead of the present one, unless the program has closed or reused the
/// descriptors of one of these two sets.
void rotate(uint64_t pc) {
  OpenSet& before = t_sets.sets[t_sets.now];
  OpenSet& next = t_sets.sets[(t_sets.now + 1) % t_sets.count];
  t_sets.samples_left = slice_length();
  if (fcntl(before.counters[0].fd, F_GETSIG) != our_signal() ||
      fcntl(next.counters[0].fd, F_GETSIG) != our_signal())
    return;
  switch_group(before, PERF_EVENT_IOC_DISABLE);
  serve(before, pc);
  t_sets.now = (t_sets.now + 1) % t_sets.count;
  switch_group(next, PERF_EVENT_IOC_ENABLE);
}

/// Totals are also read while a thread runs, because it may never end or may be killed. They are
/// read often at first and then seldom, so that short threads have totals and long ones pay little.
bool is_time_to_read_totals(uint64_t handled) {
  return handled % 64 == 0 || (handled & (handled - 1)) == 0;
}

/// Whether the signal came from a descriptor for which fcntl(F_SETSIG) set a signal; only signals
/// from such descriptors have these codes. That descriptor may have been closed since the signal
/// was sent.
bool is_from_counter(const siginfo_t& info) {
  return info.si_code >= POLL_IN && info.si_code <= POLL_HUP;
}

/// Takes the samples of all counters of the enabled set: one signal may stand for overflows of
/// several, because the kernel drops further signals while one is pending.
void on_overflow(const siginfo_t& info, void* context) {
  if (!is_of_this_thread(info.si_fd)) return;
  const int64_t begin_ns = handler_begins();
  const uint64_t pc = rt::program_counter(context);
  serve(t_sets.sets[t_sets.now], pc);
  if (t_sets.count > 1 && t_sets.samples_left == 0) rotate(pc);
  if (is_time_to_read_totals(++t_sets.handled)) note_papi_totals();
  handler_ends(begin_ns);
}

constexpr Receiver kReceiver = {is_from_counter, on_overflow};

/// Finds the descriptors that PAPI has opened for this thread since this function last ran: those
/// that send PAPI's signal to this thread. Makes them send the recorder's signal. Sorts them by
/// number, which is the order in which they were opened. Makes exec close them, because the new
/// program does not expect their signals.
uint32_t take_descriptors(int papi_signal, int (&fds)[kMaxSetEvents]) {
  const int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return 0;
  struct Entry {  // struct linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
  };
  alignas(8) char buffer[1024];  // small, because threads may have small stacks
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
          owner.type != F_OWNER_TID || owner.pid != self || count == kMaxSetEvents)
        continue;
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      if (fcntl(fd, F_SETSIG, our_signal()) != 0) continue;
      uint32_t place = count++;
      for (; place > 0 && fds[place - 1] > fd; --place) fds[place] = fds[place - 1];
      fds[place] = fd;
    }
  }
  close(directory);
  return count;
}

/// Whether every descriptor still is the counter that PAPI opened.
bool descriptors_are_ours() {
  struct f_owner_ex owner;
  const pid_t self = static_cast<pid_t>(syscall(SYS_gettid));
  for (uint32_t s = 0; s < t_sets.count; ++s)
    for (uint32_t i = 0; i < t_sets.sets[s].count; ++i) {
      const int fd = t_sets.sets[s].counters[i].fd;
      if (fcntl(fd, F_GETSIG) != our_signal() || fcntl(fd, F_GETOWN_EX, &owner) != 0 ||
          owner.pid != self)
        return false;
    }
  return true;
}

/// Whether this descriptor number leaves a quarter of all descriptors to the program.
bool descriptor_is_to_spare(int fd) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  const rlim_t most =
      limit.rlim_cur == RLIM_INFINITY ? INT32_MAX : limit.rlim_cur - limit.rlim_cur / 4;
  return static_cast<rlim_t>(fd) < most;
}

/// The index of the event that the nth counter of a set counts; -1 if it is not known. (PAPI may
/// have changed the order.)
int event_of_counter(const PapiApi& api, int set, uint32_t n) {
  int index[1] = {-1};
  int indices = 1;
  const int error =
      api.get_overflow_event_index(set, static_cast<long long>(uint64_t{1} << n), index, &indices);
  return error == PAPI_OK && indices == 1 ? index[0] : -1;
}

const PAPI_component_info_t* perf_event_component(const PapiApi& api) {
  const int component = api.get_component_index("perf_event");
  return component < 0 ? nullptr : api.get_component_info(component);
}

int add_events(const PapiApi& api, const PapiSet& wanted, OpenSet* open) {
  int error = api.create_eventset(&open->set);
  for (uint32_t i = 0; i < wanted.count && error == PAPI_OK; ++i)
    error = api.add_event(open->set, wanted.events[i].code);
  for (uint32_t i = 0; i < wanted.count && error == PAPI_OK; ++i)
    error = api.overflow(open->set, wanted.events[i].code,
                         static_cast<int>(wanted.events[i].period), 0, on_papi_overflow);
  return error;
}

/// Adds the events and then restores the signal action, because PAPI installs a handler for its
/// signal.
int add_quietly(const PapiApi& api, int papi_signal, const PapiSet& wanted, OpenSet* open) {
  struct sigaction before;
  struct sigaction after;
  if (sigaction(papi_signal, nullptr, &before) != 0) return PAPI_ESYS;
  const int error = add_events(api, wanted, open);
  if (sigaction(papi_signal, nullptr, &after) == 0 && after.sa_sigaction != before.sa_sigaction)
    sigaction(papi_signal, &before, nullptr);
  return error;
}

const char* open_set(const PapiApi& api, int papi_signal, const PapiSet& wanted, OpenSet* open) {
  const int error = add_quietly(api, papi_signal, wanted, open);
  if (error != PAPI_OK) return api.strerror(error);
  int fds[kMaxSetEvents];
  if (take_descriptors(papi_signal, fds) != wanted.count)
    return "PAPI's descriptors were not found";
  for (uint32_t i = 0; i < wanted.count; ++i) {
    const int index = event_of_counter(api, open->set, i);
    if (index < 0 || static_cast<uint32_t>(index) >= wanted.count)
      return "PAPI does not report which of the events overflowed";
    if (!descriptor_is_to_spare(fds[i]))
      return "the program is short of file descriptors (ulimit -n)";
    Counter& counter = open->counters[i];
    counter.fd = fds[i];
    counter.event = wanted.events[index].number;
    counter.overflows = 0;
    if (!counter.buffer.map(counter.fd)) return "the counters' buffers cannot be mapped";
    ++open->count;
  }
  switch_group(*open, PERF_EVENT_IOC_RESET);  // PAPI has let the counters run in a trial
  return open->counters[0].event == wanted.events[0].number
             ? nullptr
             : "PAPI made another event the leader of the group";
}

/// Reads the values of a group's counters. The kernel puts the number of counters before them.
bool read_group(const OpenSet& open, uint64_t (&values)[kMaxSetEvents]) {
  uint64_t answer[1 + kMaxSetEvents];
  const ssize_t bytes = read(open.counters[0].fd, answer, sizeof answer);
  if (bytes != static_cast<ssize_t>((1 + open.count) * sizeof answer[0]) || answer[0] != open.count)
    return false;
  for (uint32_t i = 0; i < open.count; ++i) values[i] = answer[1 + i];
  return true;
}

/// Switches the signals of overflows on or off. Descriptors that no longer are counters, because
/// the program has closed them, are not touched.
void set_signalling(bool on) {
  for (uint32_t s = 0; s < t_sets.count; ++s)
    for (uint32_t i = 0; i < t_sets.sets[s].count; ++i) {
      const int fd = t_sets.sets[s].counters[i].fd;
      const int flags = fcntl(fd, F_GETSIG) == our_signal() ? fcntl(fd, F_GETFL) : -1;
      if (flags >= 0) fcntl(fd, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
    }
}

/// Closes all sets, also those that were opened only in part.
void discard(const PapiApi& api) {
  const uint32_t count = t_sets.count;
  for (uint32_t s = 0; s < count; ++s)
    if (t_sets.sets[s].count > 0) switch_group(t_sets.sets[s], PERF_EVENT_IOC_DISABLE);
  t_sets.count = 0;
  publish();
  for (uint32_t s = 0; s < count; ++s) {
    OpenSet& open = t_sets.sets[s];
    for (uint32_t i = 0; i < open.count; ++i) open.counters[i].buffer.unmap();
    open.count = 0;
    if (open.set == PAPI_NULL) continue;
    api.cleanup_eventset(open.set);
    api.destroy_eventset(&open.set);
  }
}

const char* start(const PapiApi& api, const PapiSet* wanted, uint32_t count,
                  uint32_t slice_samples) {
  if (const char* why = claim_signal(kReceiver)) return why;
  if (signal_is_blocked()) return "a thread that blocks all signals is not sampled";
  const PAPI_component_info_t* info = perf_event_component(api);
  if (info == nullptr) return "PAPI was built without perf_event";
  const int error = api.register_thread();
  if (error != PAPI_OK) return api.strerror(error);
  for (uint32_t s = 0; s < count; ++s) {
    t_sets.sets[s].set = PAPI_NULL;
    t_sets.sets[s].count = 0;
    t_sets.count = s + 1;
    const char* why = open_set(api, info->hardware_intr_sig, wanted[s], &t_sets.sets[s]);
    if (why != nullptr) return why;
  }
  const uint32_t slot = static_cast<uint32_t>(rt::self().slot);
  t_sets.now = slot % count;  // threads begin with different sets
  t_sets.slice_samples = slice_samples > 0 ? slice_samples : 1;
  t_sets.random = 2463534242u + slot;
  t_sets.samples_left = slice_length();
  t_sets.handled = 0;
  publish();
  const OpenSet& first = t_sets.sets[t_sets.now];
  return ioctl(first.counters[0].fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0
             ? nullptr
             : strerror(errno);
}

}  // namespace

const char* find_papi_event(const char* name, int* code) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  const int error = api->event_name_to_code(const_cast<char*>(name), code);
  if (error == PAPI_OK) return nullptr;
  if (error == PAPI_ENOEVNT) return "PAPI has no such event on this processor";
  return api->strerror(error);
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

const char* start_papi_sets(const PapiSet* sets, uint32_t count, uint32_t slice_samples) {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr) return why;
  why = start(*api, sets, count, slice_samples);
  if (why != nullptr) discard(*api);
  return why;
}

bool read_papi_set(uint64_t (&values)[kMaxSetEvents]) {
  return t_sets.count > 0 && read_group(t_sets.sets[0], values);
}

/// An event in several sets, such as cycles, is counted in the slices of each set, so its values
/// are added.
void note_papi_totals() {
  format::CounterTotal totals[format::kMaxEvents] = {};
  for (uint32_t s = 0; s < t_sets.count; ++s) {
    const OpenSet& set = t_sets.sets[s];
    uint64_t values[kMaxSetEvents];
    if (fcntl(set.counters[0].fd, F_GETSIG) != our_signal() || !read_group(set, values)) return;
    for (uint32_t i = 0; i < set.count; ++i) {
      format::CounterTotal& total = totals[set.counters[i].event];
      total.counted += values[i];
      total.overflows += set.counters[i].overflows;
      total.throttled_ns += set.counters[i].buffer.throttled_ns();
    }
  }
  for (uint32_t e = 0; e < format::kMaxEvents; ++e)
    if (totals[e].counted > 0) note_total(e, totals[e]);
}

void hold_papi_sets() {
  set_signalling(false);
  take_pending([](const siginfo_t&) {});  // the overflows stay recorded in the buffers
}

void release_papi_sets(uint64_t pc) {
  set_signalling(true);
  if (t_sets.count == 0) return;
  const int64_t begin_ns = handler_begins();
  serve(t_sets.sets[t_sets.now], pc);
  handler_ends(begin_ns, 0);
}

bool stop_papi_sets() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  if (api == nullptr || t_sets.count == 0) return false;
  if (!descriptors_are_ours()) {
    t_sets.count = 0;
    rt::note(
        "the program closed the descriptors of the counters: a thread was not sampled to its end");
    return false;
  }
  discard(*api);
  return true;
}

void end_papi_thread() {
  const char* why = nullptr;
  const PapiApi* api = papi(&why);
  note_papi_totals();
  if (api != nullptr && stop_papi_sets()) api->unregister_thread();
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
