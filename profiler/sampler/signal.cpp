#include "profiler/sampler/signal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/runtime/small_file.h"
#include "profiler/runtime/state.h"
#include "profiler/runtime/tables.h"

namespace apmt::sampler {
namespace {

int g_signal = 0;  // chosen once; 0 = not yet
Handler g_handler = nullptr;

bool is_free(int signal) {
  struct sigaction current;
  return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL;
}

}  // namespace

/// SIGURG when nobody handles it: its default is to be ignored, so that a program which resets
/// every signal loses our samples and not its life. As one of the old signals it needs no place in
/// the queue either, whose end (RLIMIT_SIGPENDING) the kernel would tell by a deadly SIGIO.
/// Otherwise a real-time signal from the top, where programs rarely look.
const char* claim_signal(Handler handler) {
  if (handler == g_handler) return nullptr;
  int candidate = g_signal;
  if (candidate == 0) {
    candidate = SIGURG;
    if (!is_free(candidate))
      for (candidate = SIGRTMAX - 1; candidate > SIGRTMIN + 3 && !is_free(candidate);) --candidate;
    if (!is_free(candidate)) return "no free signal";
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(candidate, &action, nullptr) != 0) return strerror(errno);
  g_signal = candidate;
  g_handler = handler;
  return nullptr;
}

int our_signal() { return g_signal; }

bool signal_is_blocked() {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, g_signal) == 1;
}

bool signal_is_blocked_by(pid_t tid) {
  char path[64];
  char text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", static_cast<int>(tid));
  if (rt::read_small_file(path, text, sizeof text) == 0) return true;
  constexpr const char* kField = "SigBlk:";
  const char* const field = strstr(text, kField);
  if (field == nullptr) return true;
  const unsigned long long blocked = strtoull(field + strlen(kField), nullptr, 16);
  return (blocked >> (g_signal - 1) & 1) != 0;
}

void count_foreign_signal() {
  if (rt::recording()) rt::add(rt::state().recording.header->samples_foreign, 1);
}

}  // namespace apmt::sampler
