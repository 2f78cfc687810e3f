#include "profiler/sampler/signal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "profiler/runtime/small_file.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"
#include "profiler/sampler/signal_frame.h"

namespace apmt::sampler {
namespace {

int g_signal = 0;  // the sampling signal, chosen once; 0 = not chosen yet
const Receiver* g_receiver = nullptr;

constexpr int kMostOthers = 16;  // pending signals of other senders; more of them stay untouched

/// A ring of the last actions that the program set for the sampling signal. So a handler can read
/// the newest action while another thread sets the next one.
constexpr uint32_t kActions = 16;
struct sigaction g_actions[kActions];
uint32_t g_latest = 0;  // atomic

/// The kernel's own type for a set of signals; sigset_t is longer.
using KernelSet = uint64_t;
constexpr size_t kKernelSetBytes = 8;

KernelSet& kernel_set(sigset_t& set) { return *reinterpret_cast<KernelSet*>(&set); }

KernelSet set_of(int number) { return KernelSet{1} << (number - 1); }

/// Calls the program's handler as the kernel would, with the signal mask of its action. The return
/// from the recorder's handler restores the mask.
void call_handler(int number, siginfo_t* info, void* context, struct sigaction& action) {
  KernelSet mask =
      kernel_set(static_cast<ucontext_t*>(context)->uc_sigmask) | kernel_set(action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) mask |= set_of(number);
  const int saved_errno = errno;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, kKernelSetBytes);
  errno = saved_errno;
  if ((action.sa_flags & SA_ONSTACK) == 0)
    move_to_interrupted_stack(number, info, context, action.sa_sigaction);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

bool queue_to_self(int number, siginfo_t* info) {
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) == 0;
}

/// Whether the sampling signal is in the set that a thread's status file in /proc shows in `field`.
/// Returns `otherwise` if that cannot be read.
bool has_signal_in(const char* path, const char* field, bool otherwise) {
  char text[4096];
  if (rt::read_small_file(path, text, sizeof text) == 0) return otherwise;
  const char* const found = strstr(text, field);
  if (found == nullptr) return otherwise;
  return (strtoull(found + strlen(field), nullptr, 16) & set_of(g_signal)) != 0;
}

/// Ends the process like the kernel's default action for the signal: sends the signal again with
/// the default action. All signals are blocked here, so the signal arrives when it is unblocked.
void end_by(int number, siginfo_t* info) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  const KernelSet set = set_of(number);
  if (real_sigaction(number, &action, nullptr) == 0 && queue_to_self(number, info))
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, nullptr, kKernelSetBytes);
}

/// Handles a signal that is not a sample: applies the program's action to it.
void pass_on(int number, siginfo_t* info, void* context) {
  if (rt::recording()) rt::add(rt::state().recording.header->samples_foreign, 1);
  struct sigaction action = program_action();
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) {
    if (number != SIGURG) end_by(number, info);
    return;
  }
  if ((action.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction after = action;
    after.sa_handler = SIG_DFL;
    set_program_action(after);
  }
  call_handler(number, info, context, action);
}

void on_signal(int number, siginfo_t* info, void* context) {
  if (!g_receiver->is_ours(*info)) return pass_on(number, info, context);
  const int saved_errno = errno;
  g_receiver->take(*info, context);
  errno = saved_errno;
}

bool is_free(int number) {
  struct sigaction current;
  return real_sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_DFL;
}

/// Chooses the sampling signal:
/// - SIGURG, if the program left its action at the default. The default action is to ignore the
///   signal, and a standard signal needs no place in the queue of signals. (If the queue is full,
///   see RLIMIT_SIGPENDING, the kernel sends a SIGIO in place of a real-time signal, and SIGIO ends
///   the process.)
/// - Otherwise the highest real-time signal below SIGRTMAX with the default action, except the
///   lowest four. Programs rarely use high ones.
/// - If there is none, SIGURG, which is then shared with the program.
int choose_signal() {
  if (is_free(SIGURG)) return SIGURG;
  for (int candidate = SIGRTMAX - 1; candidate > SIGRTMIN + 3; --candidate)
    if (is_free(candidate)) return candidate;
  return SIGURG;
}

}  // namespace

const char* claim_signal(const Receiver& receiver) {
  g_receiver = &receiver;
  if (g_signal != 0) return nullptr;
  const int chosen = choose_signal();
  struct sigaction action;
  if (real_sigaction(chosen, nullptr, &action) != 0) return strerror(errno);
  set_program_action(action);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (real_sigaction(chosen, &action, nullptr) != 0) return strerror(errno);
  __atomic_store_n(&g_signal, chosen, __ATOMIC_RELEASE);
  return nullptr;
}

int our_signal() { return __atomic_load_n(&g_signal, __ATOMIC_ACQUIRE); }

bool owns_signal() { return getpid() == rt::state().pid; }

bool is_our_action(const struct sigaction& action) { return action.sa_sigaction == on_signal; }

struct sigaction program_action() {
  return g_actions[__atomic_load_n(&g_latest, __ATOMIC_ACQUIRE) % kActions];
}

void set_program_action(const struct sigaction& action) {
  static uint32_t taken = 0;
  const uint32_t mine = __atomic_add_fetch(&taken, 1u, __ATOMIC_RELAXED);
  g_actions[mine % kActions] = action;
  __atomic_store_n(&g_latest, mine, __ATOMIC_RELEASE);
}

bool signal_is_blocked() {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, g_signal) == 1;
}

bool signal_is_blocked_by(pid_t tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", static_cast<int>(tid));
  return has_signal_in(path, "SigBlk:", true);
}

void take_pending(void (*visit)(const siginfo_t& info)) {
  const KernelSet ours = set_of(g_signal);
  KernelSet pending = 0;
  syscall(SYS_rt_sigpending, &pending, kKernelSetBytes);
  // A signal that is pending for the process, not for this thread, is not a sample and must stay.
  if ((pending & ours) == 0 || !has_signal_in("/proc/thread-self/status", "SigPnd:", false)) return;
  const struct timespec at_once = {0, 0};
  siginfo_t info;
  siginfo_t others[kMostOthers];
  int count = 0;
  do {
    if (syscall(SYS_rt_sigtimedwait, &ours, &info, &at_once, kKernelSetBytes) <= 0) break;
    if (g_receiver->is_ours(info))
      visit(info);
    else
      others[count++] = info;
  } while (count < kMostOthers && has_signal_in("/proc/thread-self/status", "SigPnd:", false));
  for (int i = 0; i < count; ++i) queue_to_self(g_signal, &others[i]);
}

}  // namespace apmt::sampler
