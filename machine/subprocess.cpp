#include "machine/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "base/input_error.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

/// Runs in the child. Prints nothing if the command cannot be started; the exit code 127 shows
/// this.
void replace_child_by(const Command& command) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  if (!command.folder.empty() && ::chdir(command.folder.c_str()) != 0) ::_exit(127);
  try {
    replace_by(command.words, command.environment);
  } catch (const InputError&) {
    ::_exit(127);
  }
}

/// Reads until the other end is closed. Returns false if the time limit was reached before that.
bool read_all(int fd, const Command& command, std::string* output) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(command.timeout_s);
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0) return true;
    if (output->size() < kMost) output->append(buffer.data(), static_cast<std::size_t>(n));
    if (command.on_output) command.on_output(*output);
  }
}

}  // namespace

Finished run_command(const Command& command) {
  Finished finished;
  std::array<int, 2> ends{};
  if (command.words.empty() || ::pipe2(ends.data(), O_CLOEXEC) != 0) return finished;
  pid_t child = -1;
  try {
    const int errors = command.separate_stderr ? -1 : ends[1];
    child = start_child({.output = ends[1], .errors = errors}, [&] { replace_child_by(command); });
  } catch (const InputError&) {
  }
  ::close(ends[1]);
  if (child > 0) {
    finished.timed_out = !read_all(ends[0], command, &finished.output);
    if (finished.timed_out) ::kill(-child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    finished.exit_code = exit_code_of(status);
  }
  ::close(ends[0]);
  return finished;
}

}  // namespace apmt
