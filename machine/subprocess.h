// Runs another program with a time limit, and returns its output.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace apmt {

struct Finished {
  int exit_code = -1;  // 128 + n if signal n ended it, 127 if it could not be started
  bool timed_out = false;
  std::string output;  // stdout and stderr, at most a megabyte
  bool ok() const { return exit_code == 0 && !timed_out; }
};

struct Command {
  std::vector<std::string> words;
  std::filesystem::path folder;                    // empty: the working directory
  std::map<std::string, std::string> environment;  // variables to add
  int timeout_s = 60;
  bool separate_stderr = false;  // leaves stderr out of `output`; it goes to apmt's stderr
  /// Called with everything printed so far, whenever there is more.
  std::function<void(const std::string&)> on_output = {};
};

Finished run_command(const Command& command);

}  // namespace apmt
