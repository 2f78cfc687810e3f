#include "campaign/wrapped_command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace apmt {
namespace {

/// A process that wraps a command. The command waits for one signal, tells which one it was, and
/// ends with its number.
class Wrapped {
 public:
  Wrapped() {
    if (::pipe(told_.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::_exit(run_wrapped([this] { wait_for_a_signal(); }).exit_code);
    }
    ::close(told_[1]);
    EXPECT_EQ(next_word(), 0) << "it is ready";
  }
  ~Wrapped() { ::close(told_[0]); }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;

  pid_t pid() const { return pid_; }
  /// What the command says next; -1: it has ended.
  int next_word() {
    char byte = 0;
    return ::read(told_[0], &byte, 1) == 1 ? byte : -1;
  }
  int status() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

 private:
  void wait_for_a_signal() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    char byte = 0;
    if (::write(told_[1], &byte, 1) != 1) ::_exit(99);
    byte = static_cast<char>(::sigwaitinfo(&all, nullptr));
    if (::write(told_[1], &byte, 1) != 1) ::_exit(99);
    ::_exit(byte);
  }
  std::array<int, 2> told_{};
  pid_t pid_ = -1;
};

TEST(WrappedCommand, IsHandedEverySignalAndItsEndIsOurs) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) {
    Wrapped wrapped;
    ::kill(wrapped.pid(), number);
    EXPECT_EQ(wrapped.next_word(), number);
    const int status = wrapped.status();
    EXPECT_TRUE(WIFEXITED(status)) << "we stay until it has ended";
    EXPECT_EQ(WEXITSTATUS(status), number);
  }
}

TEST(WrappedCommand, EndsWhenWeAreKilled) {
  Wrapped wrapped;
  ::kill(wrapped.pid(), SIGKILL);
  EXPECT_EQ(wrapped.next_word(), SIGTERM);
  EXPECT_EQ(wrapped.next_word(), -1);
  EXPECT_TRUE(WIFSIGNALED(wrapped.status()));
}

TEST(WrappedCommand, TellsASignalFromAnExitCode) {
  const CommandEnd killed = run_wrapped([] { ::raise(SIGKILL); });
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.exit_code, 137);
  const CommandEnd exited = run_wrapped([] { ::_exit(137); });
  EXPECT_EQ(exited.signal, 0);
  EXPECT_EQ(exited.exit_code, 137);
}

TEST(WrappedCommand, EndByASignalIsSeenAsOne) {
  const pid_t child = ::fork();
  if (child == 0) end_by(SIGSEGV);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_FALSE(WCOREDUMP(status));
}

}  // namespace
}  // namespace apmt
