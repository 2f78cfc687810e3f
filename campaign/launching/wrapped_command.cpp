#include "campaign/launching/wrapped_command.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/input_error.h"
#include "campaign/launching/group_witness.h"
#include "campaign/launching/held_signals.h"

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

/// `witness`: of our group, where the command is in it.
void hand_on(int number, pid_t child, GroupWitness* witness) {
  if (witness != nullptr && witness->has_seen(number)) {
    if (number == SIGTSTP) ::raise(SIGSTOP);  // the shell waits for us to stop as well
    return;
  }
  // A script dies of a signal that it alone is sent, and what it has started runs on.
  ::kill(witness == nullptr && asks_to_end(number) ? -child : child, number);
}

}  // namespace

CommandEnd run_wrapped(const std::function<void()>& exec) {
  const bool own_group = !has_terminal();
  const pid_t us = ::getpid();
  const HeldSignals signals(kHandedOn);
  std::optional<GroupWitness> witness;
  if (!own_group) witness.emplace();
  const pid_t child = ::fork();
  if (child < 0)
    throw InputError("", std::string("cannot start a process: ") + std::strerror(errno), {},
                     ExitCode::kFailed);
  if (child == 0) {
    if (own_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != us) ::_exit(127);
    signals.restore();
    try {
      exec();
    } catch (const InputError& error) {
      std::fprintf(stderr, "apmt: %s\n", error.what());
    }
    ::_exit(127);
  }
  if (own_group) ::setpgid(child, child);  // here and there: whoever comes first
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) != child) {
    const int number = signals.next();
    if (number != SIGCHLD) hand_on(number, child, witness ? &*witness : nullptr);
  }
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
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
