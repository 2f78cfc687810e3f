#include "campaign/launching/wrapped_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace apmt {
namespace {

/// A process that wraps a command. The command reports each signal that it gets. Without a
/// terminal, the command exits with the number of the first signal; at a terminal it exits on
/// SIGUSR2.
class Wrapped {
 public:
  enum Where { kAlone, kAtATerminal };
  explicit Wrapped(Where where = kAlone, unsigned alarm_s = 0) : ends_at_once_(where == kAlone) {
    if (::pipe(told_.data()) != 0) std::abort();
    if (where == kAtATerminal) keyboard_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (where == kAtATerminal && (::grantpt(keyboard_) != 0 || ::unlockpt(keyboard_) != 0))
      std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      if (where == kAtATerminal) {
        ::setsid();
        if (::open(::ptsname(keyboard_), O_RDWR) < 0) std::abort();  // the controlling terminal
      } else {
        ::setpgid(0, 0);
      }
      ::alarm(alarm_s);
      ::_exit(run_wrapped([this] { tell_signals(); }).exit_code);
    }
    ::close(told_[1]);
    EXPECT_EQ(next_word(), 0) << "it is ready";
  }
  ~Wrapped() {
    ::close(told_[0]);
    if (keyboard_ >= 0) ::close(keyboard_);
  }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;

  pid_t pid() const { return pid_; }
  void type(char key) const { EXPECT_EQ(::write(keyboard_, &key, 1), 1); }
  /// The next signal that the command reports; -1: it has ended.
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
  void tell_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    char byte = 0;
    do {
      if (::write(told_[1], &byte, 1) != 1) ::_exit(99);
      byte = static_cast<char>(::sigwaitinfo(&all, nullptr));
    } while (!ends_at_once_ && byte != SIGUSR2);
    if (::write(told_[1], &byte, 1) != 1) ::_exit(99);
    ::_exit(byte);
  }
  bool ends_at_once_;
  int keyboard_ = -1;
  std::array<int, 2> told_{};
  pid_t pid_ = -1;
};

TEST(WrappedCommand, IsHandedEverySignalAndItsEndIsOurs) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) {
    Wrapped wrapped;
    ::kill(wrapped.pid(), number);
    EXPECT_EQ(wrapped.next_word(), number);
    const int status = wrapped.status();
    EXPECT_TRUE(WIFEXITED(status)) << "the wrapper waits for its end";
    EXPECT_EQ(WEXITSTATUS(status), number);
  }
}

// Each signal is sent several times. If the wrapper passed a signal on twice, the kernel could
// merge the two copies, and a single attempt would not show the fault.
TEST(WrappedCommand, AtATerminalItGetsOnceWhatItsGroupGets) {
  Wrapped wrapped(Wrapped::kAtATerminal);
  const auto is_told_next = [&](int number) {
    EXPECT_EQ(wrapped.next_word(), number);
    ::kill(wrapped.pid(), SIGXCPU);  // the highest number, so the wrapper passes it on last
    EXPECT_EQ(wrapped.next_word(), SIGXCPU);
  };
  constexpr char kCtrlC = 3;
  for (int i = 0; i < 10 && !::testing::Test::HasFailure(); ++i) {
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGALRM}) {
      ::kill(-wrapped.pid(), number);
      is_told_next(number);
    }
    wrapped.type(kCtrlC);
    is_told_next(SIGINT);
    ::kill(wrapped.pid(), SIGINT);
    is_told_next(SIGINT);
  }
  ::kill(wrapped.pid(), SIGUSR2);
  EXPECT_EQ(wrapped.next_word(), SIGUSR2);
  EXPECT_EQ(wrapped.next_word(), -1);
  EXPECT_EQ(WEXITSTATUS(wrapped.status()), SIGUSR2);
}

// As in perl -e 'alarm 60; exec @ARGV' apmt record ...: the alarm survives exec, and only the
// wrapping process gets its signal.
TEST(WrappedCommand, AtATerminalAnAlarmOfOursIsHandedOn) {
  Wrapped wrapped(Wrapped::kAtATerminal, 1);
  EXPECT_EQ(wrapped.next_word(), SIGALRM);
  ::kill(wrapped.pid(), SIGUSR2);
  EXPECT_EQ(wrapped.next_word(), SIGUSR2);
  wrapped.status();
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
