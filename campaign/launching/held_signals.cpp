#include "campaign/launching/held_signals.h"

#include <ctime>

namespace apmt {

HeldSignals::HeldSignals(std::span<const int> numbers) {
  ::sigemptyset(&held_);
  for (const int number : numbers) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::sigaddset(&held_, number);
  }
  ::sigaddset(&held_, SIGCHLD);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;  // if it were ignored, the kernel would discard a child's exit status
  ::sigaction(SIGCHLD, &plain, &child_before_);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  while (next_within(0) != 0) {
  }
  restore();
}

int HeldSignals::next() const {
  int number = 0;
  while ((number = ::sigwaitinfo(&held_, nullptr)) < 0) {
  }
  return number;
}

int HeldSignals::next_within(int seconds) const {
  const timespec time{seconds, 0};
  const int number = ::sigtimedwait(&held_, nullptr, &time);
  return number > 0 ? number : 0;
}

void HeldSignals::restore() const {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace apmt
