// The only exception type for bad input. main() prints its message and exits with its exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace apmt {

/// Exit codes of every verb (docs/formats.md repeats them for users).
enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotEnoughData = 3,
  kThresholdNotMet = 4
};

/// `where` is the place of the problem, `what` the problem and `hint` its remedy, each in one line.
class InputError : public std::runtime_error {
 public:
  InputError(std::string where, std::string what, std::string hint = {},
             ExitCode code = ExitCode::kUsage)
      : std::runtime_error(where.empty() ? what : where + ": " + what),
        hint_(std::move(hint)),
        code_(code) {}
  const std::string& hint() const { return hint_; }
  ExitCode code() const { return code_; }

 private:
  std::string hint_;
  ExitCode code_;
};

}  // namespace apmt
