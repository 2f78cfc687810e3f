// apmt doctor: checks what works on this machine and what does not, and prints why and what to do.

#include "machine/doctor.h"

#include <cstdio>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "base/search_path.h"
#include "campaign/launching/executable.h"
#include "cli/installation.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

constexpr const char* kDoctorFooter =
    "Examples:\n"
    "  apmt doctor\n"
    "  apmt doctor --require A --json\n"
    "  apmt doctor --no-self-test -- mpirun -np 4 ./app     can this program be recorded?\n"
    "\n"
    "Grades: A hardware counters and MPI, B simulated counters and MPI, C clock sampling and MPI,\n"
    "D MPI only. Exit code 4 when the grade that --require names is not met, 1 when a check is "
    "bad.";

struct DoctorArguments {
  std::string require;
  std::vector<std::string> command;
  std::filesystem::path run_dir = ".";
  bool no_self_test = false;
  bool json = false;
};

/// Checks whether apmt's recording library can be loaded into the program of a command.
Check check_program(const std::vector<std::string>& command) {
  Check check{.id = "program", .title = "program"};
  const Target target = target_of(command);
  const std::string library = "libapmt-" + to_string(target.family) + ".so";
  if (!target.program && target.starter && target.family != MpiFamily::kNone) {
    check.what = "MPI programs that " + target.starter->path.string() +
                 " starts can be recorded, with " + library;
  } else if (!target.program || target.program->is_static() || target.program->is_privileged) {
    check.state = Check::State::kBad;
    check.what = "cannot be recorded: " + why_not_recorded(target);
  } else {
    check.what = target.program->path.string() + " can be recorded, with " + library;
  }
  return check;
}

int run_doctor(const DoctorArguments& options) {
  Surroundings around;
  around.search_path = program_search_path();
  around.run_dir = options.run_dir;
  around.configs = configs_dir();
  around.libraries = library_dir();
  around.probes = probes_dir();
  around.apmt = std::filesystem::read_symlink("/proc/self/exe");
  around.self_test = !options.no_self_test;
  DoctorReport report;
  {
    constexpr std::size_t kSteps = 4;
    Progress progress("examining");
    std::size_t step = 0;
    report = examine(around, [&](const std::string&) { progress.at(step++, kSteps); });
  }
  bool recordable = true;
  if (!options.command.empty()) {
    report.checks.push_back(check_program(options.command));
    recordable = report.checks.back().state != Check::State::kBad;
  }
  std::fputs((options.json ? format_json(to_json(report)) : render_doctor_text(report)).c_str(),
             stdout);
  const bool met = options.require.empty() || (report.meets(options.require) && recordable);
  if (!met) return static_cast<int>(ExitCode::kThresholdNotMet);
  return static_cast<int>(report.has_bad() ? ExitCode::kFailed : ExitCode::kOk);
}

}  // namespace

void add_doctor(CommandLine& program) {
  Verb verb = program.add_verb(
      "doctor", "Report what works on this machine, what does not, why, and the remedy");
  verb.footer(kDoctorFooter);
  auto options = std::make_shared<DoctorArguments>();
  verb.add_option("--require", options->require, "Grade to require; exit code 4 if it is not met")
      .check(one_of({"A", "B", "C", "D"}));
  verb.add_option("-d,--dir", options->run_dir, "Where recordings would go [here]");
  verb.add_flag("--no-self-test", options->no_self_test, "Start no MPI programs");
  verb.add_flag("--json", options->json, "Print JSON");
  verb.add_option("command", options->command, "A command that is to be recorded");
  verb.ends_with_command();
  verb.action([options] { return run_doctor(*options); });
}

}  // namespace apmt
