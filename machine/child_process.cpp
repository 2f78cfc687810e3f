#include "machine/child_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/input_error.h"

namespace apmt {
namespace {

void put_in_place_of(int standard, int descriptor) {
  if (descriptor >= 0) ::dup2(descriptor, standard);
}

[[noreturn]] void become(const ChildSetup& setup, pid_t parent, const std::function<void()>& run) {
  if (setup.own_group) ::setpgid(0, 0);
  if (setup.ends_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);  // the parent had already died
  }
  put_in_place_of(STDIN_FILENO, setup.input);
  put_in_place_of(STDOUT_FILENO, setup.output);
  put_in_place_of(STDERR_FILENO, setup.errors);
  try {
    run();
  } catch (const InputError& error) {
    std::fprintf(stderr, "apmt: %s\n", error.what());
    std::fflush(stderr);
  }
  ::_exit(127);
}

}  // namespace

pid_t start_child(const ChildSetup& setup, const std::function<void()>& run) {
  const pid_t us = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(setup, us, run);
  if (child < 0)
    throw InputError("", std::string("cannot start a process: ") + std::strerror(errno), {},
                     ExitCode::kFailed);
  if (setup.own_group) ::setpgid(child, child);  // the child does this, too: either may be first
  return child;
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void replace_by(const std::vector<std::string>& words,
                const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  throw InputError(words.front(), std::strerror(error));
}

}  // namespace apmt
