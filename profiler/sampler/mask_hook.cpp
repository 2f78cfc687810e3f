// Interposes pthread_sigmask and similar functions. While a thread blocks the sampling signal, no
// such signal may be pending for it. A pending one would disturb the program: it would appear in
// sigwait, sigpending or a signalfd, it would make sigsuspend return, or a signal of the program
// could be merged with it. So the thread's source of samples sends no signals until the signal is
// unblocked.
//
// If the mask is changed in another way (by setcontext, siglongjmp, a handler's sa_mask or a direct
// system call), this code does not notice, and a sampling signal stays pending like any other.

#include <signal.h>

#include "profiler/sampler/next_function.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/source.h"

namespace apmt::sampler {
namespace {

using Change = int (*)(int, const sigset_t*, sigset_t*);
using OfOne = int (*)(int);

/// The C library's functions. They are looked up early, because the program may call the interposed
/// functions in a signal handler, where the loader must not be called.
struct Real {
  Change pthread_sigmask;
  Change sigprocmask;
  OfOne sighold;
  OfOne sigrelse;
  OfOne sigblock;
  OfOne sigsetmask;
};
Real g_real = {};

__attribute__((constructor(101))) void find_all() {
  find_next(&g_real.sigprocmask, "sigprocmask");
  find_next(&g_real.sighold, "sighold");
  find_next(&g_real.sigrelse, "sigrelse");
  find_next(&g_real.sigblock, "sigblock");
  find_next(&g_real.sigsetmask, "sigsetmask");
  find_next(&g_real.pthread_sigmask, "pthread_sigmask");  // last: if it is set, all are set
}

/// Constructors of other libraries may run before find_all().
const Real& real() {
  if (g_real.pthread_sigmask == nullptr) find_all();
  return g_real;
}

/// If the call has blocked the sampling signal, stops the source of samples from sending it; if the
/// call has unblocked the signal, lets the source send it again. Does nothing if the signal already
/// was in the new state, for example because of a handler's sa_mask.
void follow(bool blocked, bool blocks, uint64_t caller) {
  if (blocks == blocked || !owns_signal()) return;
  if (blocks)
    hold_samples();
  else
    release_samples(caller);
}

int change(Change function, int how, const sigset_t* set, sigset_t* before, uint64_t caller) {
  const int number = our_signal();
  if (number == 0 || set == nullptr) return function(how, set, before);
  const bool is_named = sigismember(set, number) == 1;  // `set` may be `before`
  sigset_t was;
  const int result = function(how, set, &was);
  if (result != 0) return result;
  if (before != nullptr) *before = was;
  const bool blocked = sigismember(&was, number) == 1;
  if (how == SIG_SETMASK)
    follow(blocked, is_named, caller);
  else if (is_named)
    follow(blocked, how == SIG_BLOCK, caller);
  return result;
}

int change(OfOne function, int value, uint64_t caller) {
  if (our_signal() == 0) return function(value);
  const bool blocked = signal_is_blocked();
  const int result = function(value);
  follow(blocked, signal_is_blocked(), caller);
  return result;
}

}  // namespace
}  // namespace apmt::sampler

#define APMT_CALLER reinterpret_cast<uint64_t>(__builtin_return_address(0))

#pragma GCC visibility push(default)
extern "C" {

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return apmt::sampler::change(apmt::sampler::real().pthread_sigmask, how, set, before,
                               APMT_CALLER);
}
int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return apmt::sampler::change(apmt::sampler::real().sigprocmask, how, set, before, APMT_CALLER);
}
int sighold(int number) noexcept {
  return apmt::sampler::change(apmt::sampler::real().sighold, number, APMT_CALLER);
}
int sigrelse(int number) noexcept {
  return apmt::sampler::change(apmt::sampler::real().sigrelse, number, APMT_CALLER);
}
int sigblock(int mask) noexcept {
  return apmt::sampler::change(apmt::sampler::real().sigblock, mask, APMT_CALLER);
}
int sigsetmask(int mask) noexcept {
  return apmt::sampler::change(apmt::sampler::real().sigsetmask, mask, APMT_CALLER);
}

}  // extern "C"
#pragma GCC visibility pop
