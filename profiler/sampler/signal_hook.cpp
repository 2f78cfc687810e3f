// Interposes sigaction and similar functions, so that no sampling signal reaches a handler of the
// program, not even a signal that was already pending. For this, the kernel always keeps the
// recorder's action for the sampling signal, once this signal is chosen. The program's action is
// stored, applied to every signal that is not a sample (signal.cpp), and returned when the program
// asks for it.

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "profiler/sampler/next_function.h"
#include "profiler/sampler/signal.h"

namespace apmt::sampler {
namespace {

using Disposition = sighandler_t;
using Action = int (*)(int, const struct sigaction*, struct sigaction*);
using Set = Disposition (*)(int, Disposition);
using Ignore = int (*)(int);
using Interrupt = int (*)(int, int);

/// The C library's functions. They are looked up early, because the program may call the interposed
/// functions in a signal handler, where the loader must not be called.
struct Real {
  Action sigaction;
  Set signal;
  Set sysv_signal;
  Set sigset;
  Ignore sigignore;
  Interrupt siginterrupt;
};
Real g_real = {};

__attribute__((constructor(101))) void find_all() {
  find_next(&g_real.signal, "signal");
  find_next(&g_real.sysv_signal, "sysv_signal");
  find_next(&g_real.sigset, "sigset");
  find_next(&g_real.sigignore, "sigignore");
  find_next(&g_real.siginterrupt, "siginterrupt");
  find_next(&g_real.sigaction, "sigaction");  // last: if it is set, all are set
}

/// Constructors of other libraries may run before find_all().
const Real& real() {
  if (g_real.sigaction == nullptr) find_all();
  return g_real;
}

bool is_ours(int number) { return number != 0 && number == our_signal(); }

/// Adds the flags and the restorer that the C library adds to every action, so that the program
/// gets them back in its action as usual.
void add_what_libc_adds(struct sigaction* action) {
  struct sigaction ours;
  if (real().sigaction(our_signal(), nullptr, &ours) != 0) return;
  action->sa_flags |= ours.sa_flags & ~(SA_SIGINFO | SA_RESTART | SA_ONSTACK);
  action->sa_restorer = ours.sa_restorer;
}

/// Sets the program's action for the sampling signal, unless `action` is nullptr; `before` gets the
/// action that the program had set before. A forked child is not sampled, so an action that it sets
/// is passed on to the kernel. Until then, the child has the action that the parent had set.
int exchange(const struct sigaction* action, struct sigaction* before) {
  if (!owns_signal()) {
    const int result = real().sigaction(our_signal(), action, before);
    if (result == 0 && is_our_action(*before)) *before = program_action();
    return result;
  }
  *before = program_action();
  if (action == nullptr) return 0;
  struct sigaction after = *action;
  add_what_libc_adds(&after);
  sigdelset(&after.sa_mask, SIGKILL);
  sigdelset(&after.sa_mask, SIGSTOP);
  set_program_action(after);
  return 0;
}

Disposition exchange(const struct sigaction& action) {
  struct sigaction before;
  return exchange(&action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

struct sigaction now() {
  struct sigaction action;
  exchange(nullptr, &action);
  return action;
}

struct sigaction make_action(Disposition disposition, int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = disposition;
  action.sa_flags = flags;
  return action;
}

Disposition refuse() {
  errno = EINVAL;
  return SIG_ERR;
}

bool g_interrupts = false;  // siginterrupt() made the signal interrupt system calls

Disposition set_as_bsd(int number, Disposition disposition) {
  if (!is_ours(number)) return real().signal(number, disposition);
  if (disposition == SIG_ERR) return refuse();
  struct sigaction action = make_action(disposition, g_interrupts ? 0 : SA_RESTART);
  sigaddset(&action.sa_mask, number);
  return exchange(action);
}

Disposition set_as_sysv(int number, Disposition disposition) {
  if (!is_ours(number)) return real().sysv_signal(number, disposition);
  if (disposition == SIG_ERR) return refuse();
  return exchange(make_action(disposition, static_cast<int>(SA_RESETHAND) | SA_NODEFER));
}

/// Sets the action like sigset(), which also unblocks the signal, or blocks it for SIG_HOLD.
Disposition set_and_unblock(int number, Disposition disposition) {
  if (!is_ours(number)) return real().sigset(number, disposition);
  if (disposition == SIG_ERR) return refuse();
  sigset_t it;
  sigset_t before;
  sigemptyset(&it);
  sigaddset(&it, number);
  const bool hold = disposition == SIG_HOLD;
  if (sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &it, &before) != 0) return SIG_ERR;
  const Disposition was = hold ? now().sa_handler : exchange(make_action(disposition, 0));
  return sigismember(&before, number) == 1 ? SIG_HOLD : was;
}

int set_action(int number, const struct sigaction* action, struct sigaction* before) {
  if (!is_ours(number)) return real().sigaction(number, action, before);
  struct sigaction was;
  const int result = exchange(action, &was);
  if (result == 0 && before != nullptr) *before = was;
  return result;
}

int ignore(int number) {
  if (!is_ours(number)) return real().sigignore(number);
  return exchange(make_action(SIG_IGN, 0)) == SIG_ERR ? -1 : 0;
}

int interrupt(int number, int wanted) {
  if (!is_ours(number)) return real().siginterrupt(number, wanted);
  g_interrupts = wanted != 0;
  struct sigaction action = now();
  action.sa_flags = g_interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return exchange(action) == SIG_ERR ? -1 : 0;
}

}  // namespace

int real_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return real().sigaction(number, action, before);
}

}  // namespace apmt::sampler

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  return apmt::sampler::set_action(number, action, before);
}
int __sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  return apmt::sampler::set_action(number, action, before);
}
sighandler_t signal(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_as_bsd(number, disposition);
}
sighandler_t bsd_signal(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_as_bsd(number, disposition);
}
sighandler_t ssignal(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_as_bsd(number, disposition);
}
sighandler_t sysv_signal(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_as_sysv(number, disposition);
}
sighandler_t __sysv_signal(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_as_sysv(number, disposition);
}
sighandler_t sigset(int number, sighandler_t disposition) noexcept {
  return apmt::sampler::set_and_unblock(number, disposition);
}
int sigignore(int number) noexcept { return apmt::sampler::ignore(number); }
int siginterrupt(int number, int wanted) noexcept {
  return apmt::sampler::interrupt(number, wanted);
}

}  // extern "C"
#pragma GCC visibility pop
