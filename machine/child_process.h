// Starts processes: the only code that forks to run another program.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// The set-up of a child.
struct ChildSetup {
  bool own_group = true;      // it leads a process group, which can be signalled as a whole
  bool ends_with_us = false;  // it gets SIGTERM when this process dies
  // Descriptors for the child's standard input, output and errors; -1: inherited from this process.
  int input = -1;
  int output = -1;
  int errors = -1;
};

/// Starts a child that calls `run`, which should replace the child with a program. If `run` returns
/// or throws an InputError (which is printed on the child's stderr), the child ends with 127.
/// Throws InputError if no child can be started.
pid_t start_child(const ChildSetup& setup, const std::function<void()>& run);

/// The exit code for a status from waitpid; 128 + n if signal n ended the process.
int exit_code_of(int wait_status);

/// Replaces this process with a command. Adds the variables to the environment, and finds the first
/// word as a shell would. Throws InputError if the command cannot be started.
[[noreturn]] void replace_by(const std::vector<std::string>& words,
                             const std::map<std::string, std::string>& environment);

}  // namespace apmt
