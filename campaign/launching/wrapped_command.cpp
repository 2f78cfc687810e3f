#include "campaign/launching/wrapped_command.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>

#include "campaign/launching/group_witness.h"
#include "campaign/launching/held_signals.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

constexpr std::array kHandedOn = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                  SIGUSR2, SIGALRM, SIGXCPU, SIGTSTP, SIGCONT};

bool has_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal >= 0) ::close(terminal);
  return terminal >= 0;
}

bool asks_to_end(int number) {
  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

/// Passes a signal on to the command, unless `witness` has seen it: then the signal went to the
/// whole process group, so the command has got it, too. `witness` is null if the command has its
/// own process group.
void hand_on(int number, pid_t child, GroupWitness* witness) {
  if (witness != nullptr && witness->has_seen(number)) {
    if (number == SIGTSTP) ::raise(SIGSTOP);  // so that the shell sees that apmt has stopped, too
    return;
  }
  // If the command has its own process group, a signal that ends it goes to the whole group: if the
  // command is a script, the programs that it has started would otherwise go on.
  ::kill(witness == nullptr && asks_to_end(number) ? -child : child, number);
}

}  // namespace

CommandEnd run_wrapped(const std::function<void()>& exec) {
  const bool own_group = !has_terminal();
  const HeldSignals signals(kHandedOn);
  std::optional<GroupWitness> witness;
  if (!own_group) witness.emplace();
  const pid_t child = start_child({.own_group = own_group, .ends_with_us = true}, [&] {
    signals.restore();
    exec();
  });
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) != child) {
    const int number = signals.next();
    if (number != SIGCHLD) hand_on(number, child, witness ? &*witness : nullptr);
  }
  return {exit_code_of(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

void end_by(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(signal, &plain, nullptr);
  sigset_t only{};
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace apmt
