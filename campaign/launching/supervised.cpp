#include "campaign/launching/supervised.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/input_error.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

constexpr std::array<int, 4> kInterruptions = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr double kGrace_s = 10;  // between passing on an interruption and killing the command

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Rewinds standard input for the child, because every run of a campaign must read the same input.
/// Input that cannot be rewound is replaced by an empty one.
void give_standard_input() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
    ::lseek(STDIN_FILENO, 0, SEEK_SET);
    return;
  }
  const int empty = ::open("/dev/null", O_RDONLY);
  if (empty >= 0) ::dup2(empty, STDIN_FILENO);
}

}  // namespace

InterruptionsHeld::InterruptionsHeld() : signals_(kInterruptions) {}

int InterruptionsHeld::received() {
  for (int number = 0; (number = signals_.next_within(0)) > 0;)
    if (number != SIGCHLD && received_ == 0) received_ = number;
  return received_;
}

int InterruptionsHeld::wait_a_second() {
  const int number = signals_.next_within(1);
  if (number == 0 || number == SIGCHLD) return 0;
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
  const Clock::time_point begin = Clock::now();
  pid_t child = -1;
  try {
    // The child ends when apmt ends, because nobody would collect the results of a launcher that
    // outlived apmt.
    child = start_child({.ends_with_us = true, .output = file, .errors = file}, [&] {
      give_standard_input();
      interruptions->restore();
      exec();
    });
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);

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
  return {exit_code_of(status), elapsed_s, interruption};
}

}  // namespace apmt
