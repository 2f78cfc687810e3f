// apmt <verb>: results on stdout, everything else on stderr.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/input_error.h"
#include "cli/verbs.h"

namespace {

constexpr const char* kFooter =
    "Begin with:\n"
    "  apmt run --procs 2,4,8 -- mpirun -np {p} ./app\n"
    "  apmt predict --procs 64\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 not enough data, 4 threshold not met.";

void set_up_logging(int verbose, int quiet) {
  auto logger = spdlog::stderr_color_st("apmt");
  logger->set_pattern("apmt: %^%l%$: %v");
  const int level = spdlog::level::info - verbose + quiet;
  logger->set_level(static_cast<spdlog::level::level_enum>(std::clamp(
      level, static_cast<int>(spdlog::level::trace), static_cast<int>(spdlog::level::off))));
  spdlog::set_default_logger(logger);
}

int report_error(const apmt::InputError& error) {
  spdlog::error("{}", error.what());
  if (!error.hint().empty()) spdlog::error("hint: {}", error.hint());
  return static_cast<int>(error.code());
}

/// What is missing is often there, misspelt: then the word that nobody knows is what to tell.
CLI::ParseError in_words(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (error.get_name() != "RequiredError" || unknown.empty()) return error;
  const bool is_verb = app.get_subcommands().empty();  // that is missing
  const bool is_option = unknown.front().starts_with('-');
  const std::string what = (is_option ? "unknown option "
                            : is_verb ? "no verb is called "
                                      : "not expected: ") +
                           unknown.front();
  return CLI::RequiredError(is_verb ? what : what + "; " + error.what(),
                            CLI::ExitCodes::RequiredError);
}

/// A file or folder that nobody thought could fail: what, where and what to do all the same.
apmt::InputError in_words(const std::filesystem::filesystem_error& error) {
  std::string hint;
  if (error.code() == std::errc::permission_denied)
    hint =
        "its permissions do not allow that to this user: see `ls -ld` of it and of what it is in";
  else if (error.code() == std::errc::no_space_on_device)
    hint = "free some room: `df -h` says where there is none";
  return {error.path1().string(), error.code().message(), hint, apmt::ExitCode::kFailed};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("apmt predicts how an MPI program scales, from a few small runs of it.", "apmt");
  app.require_subcommand(1);
  app.set_version_flag("--version", "apmt " APMT_VERSION);
  app.footer(kFooter);
  int verbose = 0;
  int quiet = 0;
  app.add_flag("-v,--verbose", verbose, "Say more on stderr; twice for even more");
  app.add_flag("-q,--quiet", quiet, "Say less on stderr; twice for errors only");
  app.fallthrough();

  apmt::Action action;
  apmt::add_run(app, &action);
  apmt::add_record(app, &action);
  apmt::add_simulate(app, &action);
  apmt::add_info(app, &action);
  apmt::add_fit(app, &action);
  apmt::add_predict(app, &action);
  apmt::add_report(app, &action);
  apmt::add_validate(app, &action);
  apmt::add_refine(app, &action);
  apmt::add_check(app, &action);
  apmt::add_diff(app, &action);
  apmt::add_doctor(app, &action);
  apmt::add_calibrate(app, &action);
  apmt::add_import(app, &action);
  apmt::add_export(app, &action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(in_words(error, app)) == 0) return 0;
    return static_cast<int>(apmt::ExitCode::kUsage);
  }
  set_up_logging(verbose, quiet);
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
    spdlog::error("unexpected: {}; please report it with the command that led to it", error.what());
  }
  return static_cast<int>(apmt::ExitCode::kFailed);
}
