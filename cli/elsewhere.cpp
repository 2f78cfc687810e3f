// What apmt leaves to the program apmt-full: the verbs of other_verbs.h, cards of devices (`apmt
// calibrate --device`), and requests to a server of `apmt serve`.

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "base/input_error.h"
#include "cli/calibrate_device.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/service_access.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

constexpr std::array kOthers = {kAnalyze, kLearn, kAdvise, kMatch, kOffload, kImport,
                                kExport,  kServe, kPush,   kAsk,   kManual};

/// The path of apmt-full. Throws InputError if it is missing; `what` says what needs it.
std::string full_program(const std::string& what) {
  const std::filesystem::path program = full_program_path();
  if (!std::filesystem::exists(program))
    throw InputError(program.string(), "not there; " + what + " needs it",
                     "in the sources of apmt, `./run build` builds it; elsewhere, install apmt "
                     "again",
                     ExitCode::kFailed);
  return program.string();
}

/// Runs the command line of this process in apmt-full.
[[noreturn]] void run_there(const std::string& what) {
  std::vector<std::string> words = {full_program(what)};
  std::ifstream own("/proc/self/cmdline");
  std::string word;
  std::getline(own, word, '\0');  // the name of this program
  while (std::getline(own, word, '\0')) words.push_back(word);
  replace_by(words, {});
}

/// Runs the verb `push` in the program apmt-full, with `more` as additional arguments; returns its
/// exit code.
int push_there(const ServerOptions& server, const std::vector<std::string>& more) {
  std::vector<std::string> words = {full_program("pushing runs")};
  for (const std::string& flag : logging::flags()) words.push_back(flag);
  words.insert(words.end(), {kPush.name, "--to", server.url});
  if (!server.token_file.empty())
    words.insert(words.end(), {"--token-file", server.token_file.string()});
  words.insert(words.end(), more.begin(), more.end());
  const pid_t child = start_child({.own_group = false}, [&words] { replace_by(words, {}); });
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return exit_code_of(status);
}

}  // namespace

void add_other_verbs(CommandLine& program) {
  for (const OtherVerb& verb : kOthers) program.add_verb(verb.name, verb.help);
}

std::function<int()> action_elsewhere(int argc, const char* const* argv) {
  // The options before a verb take no values, so the first word without a dash is the verb.
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) continue;
    if (std::any_of(kOthers.begin(), kOthers.end(),
                    [&](const OtherVerb& verb) { return verb.name == word; }))
      return [word]() -> int { run_there("apmt " + word); };
    break;
  }
  return nullptr;
}

void calibrate_device(const DeviceCalibration&) { run_there("apmt calibrate --device"); }
void show_device(const std::filesystem::path&, bool) { run_there("showing the card of a device"); }

Model model_from_server(const ServerOptions&, const ApplicationOptions&) {
  run_there("asking a server");
}

void check_can_push(const ServerOptions& server) {
  (void)full_program("pushing runs");
  if (!APMT_HAS_SERVICE) say_no_service();
  if (const int code = push_there(server, {"--check"}); code != 0)
    throw InputError("--push", "nothing was started, since the runs could not be pushed", {},
                     static_cast<ExitCode>(code));
}

void push_runs(const ServerOptions& server, const std::filesystem::path& dir,
               const ApplicationOptions& application) {
  std::vector<std::string> words = {dir.string()};
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--name", application.name);
  add("--machine", application.machine);
  add("--app-version", application.version);
  if (const int code = push_there(server, words); code != 0)
    throw InputError(dir.string(), "its runs were not pushed", {}, static_cast<ExitCode>(code));
}

}  // namespace apmt
