#include "machine/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace apmt {
namespace {

[[noreturn]] void become(const Command& command, int output) {
  ::setpgid(0, 0);  // so that all of it can be ended at once
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (!command.separate_stderr) ::dup2(output, STDERR_FILENO);
  if (!command.folder.empty() && ::chdir(command.folder.c_str()) != 0) ::_exit(127);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

/// Reads until the other end is closed; false when time ran out.
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
  const pid_t child = ::fork();
  if (child == 0) become(command, ends[1]);
  ::close(ends[1]);
  if (child > 0) {
    finished.timed_out = !read_all(ends[0], command, &finished.output);
    if (finished.timed_out) ::kill(-child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  ::close(ends[0]);
  return finished;
}

std::filesystem::path find_in_path(const std::string& name, const std::string& search_path) {
  for (std::size_t at = 0; at <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', at), search_path.size());
    const std::filesystem::path candidate =
        std::filesystem::path(search_path.substr(at, end - at)) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    at = end + 1;
  }
  return {};
}

}  // namespace apmt
