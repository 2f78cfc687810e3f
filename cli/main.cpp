// The command `apmt`: runs the verb that is given. Results go to stdout, everything else to stderr.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "base/input_error.h"
#include "cli/first_affinity.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace {

constexpr const char* kMainFooter =
    "Begin with:\n"
    "  apmt run --procs 2,4,8 -- mpirun -np {p} ./app\n"
    "  apmt predict --procs 64\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 not enough data, 4 threshold not met.";

int report_error(const apmt::InputError& error) {
  apmt::logging::error("{}", error.what());
  if (!error.hint().empty()) apmt::logging::error("hint: {}", error.hint());
  return static_cast<int>(error.code());
}

/// Turns an unexpected file error into a message with the path, the error and what to do.
apmt::InputError in_words(const std::filesystem::filesystem_error& error) {
  std::string hint;
  if (error.code() == std::errc::permission_denied)
    hint = "this user lacks the permission: check it and its parent directory with `ls -ld`";
  else if (error.code() == std::errc::no_space_on_device)
    hint = "the disk is full: free some space (`df -h` shows which disk)";
  return {error.path1().string(), error.code().message(), hint, apmt::ExitCode::kFailed};
}

}  // namespace

int main(int argc, char** argv) {
  apmt::restore_first_affinity();
  apmt::CommandLine program("apmt predicts how an MPI program scales, from a few small runs of it.",
                            {apmt::version_text, apmt::version_json}, kMainFooter);
  int verbose = 0;
  int quiet = 0;
  program.add_flag("-v,--verbose", verbose, "More messages on stderr; twice for even more");
  program.add_flag("-q,--quiet", quiet, "Fewer messages on stderr; twice for errors only");

  apmt::add_run(program);
  apmt::add_record(program);
  apmt::add_simulate(program);
  apmt::add_info(program);
  apmt::add_merge(program);
  apmt::add_fit(program);
  apmt::add_predict(program);
  apmt::add_report(program);
  apmt::add_validate(program);
  apmt::add_refine(program);
  apmt::add_check(program);
  apmt::add_diff(program);
  apmt::add_history(program);
  apmt::add_doctor(program);
  apmt::add_calibrate(program);
  apmt::add_other_verbs(program);

  int exit_code = 0;
  std::function<int()> action = apmt::action_elsewhere(argc, argv);
  if (!action) action = program.parse(argc, argv, &exit_code);
  if (!action) return exit_code;
  apmt::logging::set_up(verbose, quiet);
  try {
    const int code = action();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw apmt::InputError("stdout", "cannot be written", {}, apmt::ExitCode::kFailed);
    return code;
  } catch (const apmt::InputError& error) {
    return report_error(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return report_error(in_words(error));
  } catch (const std::exception& error) {
    apmt::logging::error("unexpected: {}; please report it with the command that led to it",
                         error.what());
  }
  return static_cast<int>(apmt::ExitCode::kFailed);
}
