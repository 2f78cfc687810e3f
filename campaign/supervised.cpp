#include "campaign/supervised.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr std::array<int, 4> kInterruptions = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr double kGrace_s = 10;  // between passing an interruption on and killing

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Every run of a campaign is to read the same input.
void give_standard_input() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
    ::lseek(STDIN_FILENO, 0, SEEK_SET);
    return;
  }
  const int empty = ::open("/dev/null", O_RDONLY);
  if (empty >= 0) ::dup2(empty, STDIN_FILENO);
}

[[noreturn]] void become(const std::function<void()>& exec, int output, pid_t parent,
                         const sigset_t& mask) {
  ::setpgid(0, 0);
  // Nothing would collect the results of a launcher that outlives apmt.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  give_standard_input();
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  try {
    exec();
  } catch (const InputError& error) {
    std::fprintf(stderr, "apmt: %s\n", error.what());
    std::fflush(stderr);
  }
  ::_exit(127);
}

}  // namespace

InterruptionsHeld::InterruptionsHeld() {
  ::sigemptyset(&held_);
  for (const int number : kInterruptions) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::sigaddset(&held_, number);
  }
  ::sigaddset(&held_, SIGCHLD);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;  // ignored, the end of a child could not be waited for
  ::sigaction(SIGCHLD, &plain, &child_before_);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

InterruptionsHeld::~InterruptionsHeld() {
  received();  // the pending signals were handled: they must not end this process now
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int InterruptionsHeld::received() {
  const timespec at_once{0, 0};
  for (int number = 0; (number = ::sigtimedwait(&held_, nullptr, &at_once)) > 0;)
    if (number != SIGCHLD && received_ == 0) received_ = number;
  return received_;
}

int InterruptionsHeld::wait_a_second() {
  const timespec second{1, 0};
  const int number = ::sigtimedwait(&held_, nullptr, &second);
  if (number <= 0 || number == SIGCHLD) return 0;
  if (received_ == 0) received_ = number;
  return number;
}

Supervised run_supervised(const std::function<void()>& exec, const std::filesystem::path& output,
                          InterruptionsHeld* interruptions,
                          const std::function<bool(double)>& on_second) {
  const int file =
      ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    throw InputError(output.string(), std::string("cannot create: ") + std::strerror(errno), {},
                     ExitCode::kFailed);
  const pid_t us = ::getpid();
  const Clock::time_point begin = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) become(exec, file, us, interruptions->mask_before());
  ::close(file);
  if (child < 0)
    throw InputError("", std::string("cannot start a process: ") + std::strerror(errno), {},
                     ExitCode::kFailed);
  ::setpgid(child, child);  // in parent and child: the first one takes effect

  int status = 0;
  double killed_at_s = -1;
  int interruption = 0;
  for (pid_t ended = 0; (ended = ::waitpid(child, &status, WNOHANG)) != child;) {
    if (ended < 0 && errno != EINTR)
      throw InputError("", std::string("cannot wait for the command: ") + std::strerror(errno), {},
                       ExitCode::kFailed);
    int number = interruptions->wait_a_second();
    if (interruption == 0) interruption = number;
    const double elapsed_s = seconds_since(begin);
    if (number == 0 && killed_at_s < 0 && on_second && !on_second(elapsed_s)) number = SIGTERM;
    if (number != 0) {
      ::kill(-child, number);
      if (killed_at_s < 0) killed_at_s = elapsed_s + kGrace_s;
    }
    if (killed_at_s >= 0 && elapsed_s > killed_at_s) ::kill(-child, SIGKILL);
  }
  const double elapsed_s = seconds_since(begin);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), elapsed_s,
          interruption};
}

}  // namespace apmt
