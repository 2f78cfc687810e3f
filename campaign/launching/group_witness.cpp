#include "campaign/launching/group_witness.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

namespace apmt {
namespace {

std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

pid_t start() {
  const pid_t us = ::getpid();
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);  // for the child: all signals must stay pending
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != us) ::_exit(0);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
    for (;;) ::pause();
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return child;
}

void end(pid_t witness) {
  if (witness <= 0) return;
  ::kill(witness, SIGKILL);
  ::waitpid(witness, nullptr, 0);
}

/// The signals that are pending for a process as a whole, not for one of its threads.
std::uint64_t pending_for(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("ShdPnd:")) return std::stoull(line.substr(7), nullptr, 16);
  return 0;
}

/// Waits until a signal to the group has reached all its processes. The kernel holds a lock while
/// it signals a group, and setpgid needs the same lock. So after this call either all processes of
/// the group have the signal or none has.
void wait_until_the_group_is_signalled(pid_t witness) { ::setpgid(witness, ::getpgrp()); }

}  // namespace

GroupWitness::GroupWitness() : witness_(start()) {}

GroupWitness::~GroupWitness() { end(witness_); }

bool GroupWitness::has_seen(int signal) {
  if (witness_ <= 0) return false;
  wait_until_the_group_is_signalled(witness_);
  const std::uint64_t asked = bit_of(signal);
  const bool seen = ((pending_for(witness_) | kept_) & asked) != 0;
  kept_ &= ~asked;
  if (!seen) return false;
  // A pending signal cannot be cleared, so a new witness replaces this one.
  const pid_t next = start();
  kept_ |= pending_for(witness_) & ~asked;
  end(witness_);
  witness_ = next;
  return true;
}

}  // namespace apmt
