// apmt analyze: counts what a program's kernels do (instructions, accesses, parallelism, locality),
// independently of any machine.

#include <memory>

#include "base/input_error.h"
#include "base/search_path.h"
#include "base/temporary_folder.h"
#include "base/words.h"
#include "campaign/launching/wrapped_command.h"
#include "cli/analyze_join.h"
#include "cli/analyze_run.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"
#include "kernels/analysers/analyser_names.h"
#include "kernels/compile/build_tree.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/compiler_names.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnalyzeFooter =
    "First build the program again, by clang-19 and flang-19 with an instrumenting pass: build\n"
    "runs any build command with a folder of compiler names at the front of PATH; cc, c++ and fc\n"
    "are the compilers themselves. Then any run of it is analysed. docs/kernels.md says what is\n"
    "counted, what the analysers show, and what is not supported.\n"
    "\n"
    "OpenCL programs need no new build: with --opencl, their kernels run in Oclgrind.\n"
    "\n"
    "--join shows an analysis beside the times of a run of apmt record or apmt run, function by\n"
    "function, and says how much of the compute time it covers. The recorded program is the usual\n"
    "build, with -g; the analysed one may be from another compiler.\n"
    "\n"
    "Examples:\n"
    "  apmt analyze build -- make\n"
    "  apmt analyze build -- cmake -B build-analyze\n"
    "  apmt analyze build -- cmake --build build-analyze\n"
    "  apmt analyze cc -O2 -fopenmp solve.c -o solve -lm\n"
    "  apmt analyze -- mpirun -np 2 ./app input.nml\n"
    "  apmt analyze --kernel solve --with mix,parallelism -- ./app\n"
    "  apmt analyze --opencl -- ./opencl-app\n"
    "  apmt analyze --join apmt-app/apmt-app.p2.r1 analysis.json";

Instrumentation instrumentation() {
  const fs::path folder = kernels_dir();
  return {folder / "libapmt-kernels-pass.so", folder};
}

int run_build(std::vector<std::string> command) {
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  if (command.empty())
    throw InputError("apmt analyze build", "no build command is given",
                     "apmt analyze build -- make");
  const Instrumentation checked =
      instrumentation();  // throws here, before any compiler runs, if parts of apmt are missing
  const fs::path compilers = compilers_dir();
  if (const auto other = other_compiler(command, fs::current_path(), compilers))
    throw InputError((build_folder(command, fs::current_path()) / "CMakeCache.txt").string(),
                     "this build tree compiles with " + *other + ", whatever PATH says",
                     "make a fresh one: apmt analyze build -- cmake -B build-analyze, then "
                     "apmt analyze build -- cmake --build build-analyze");
  auto environment = build_environment(compilers, program_search_path());
  const auto build = [&] {
    const TemporaryFolder said;
    environment[kSaidVariable] = said.path().string();
    return run_wrapped([&] { replace_by(command, environment); });
  };
  const CommandEnd end = build();
  if (end.signal != 0) end_by(end.signal);  // only now, after `build` has removed its folder
  return end.exit_code;
}

int run_compiler(Language language, const std::vector<std::string>& arguments) {
  compile(language, arguments, instrumentation(), [](const DroppedArgument& dropped) {
    logging::warn("{} is left out: {}", dropped.argument, dropped.reason);
  });
}

int run_join(const AnalyzeArguments& options) {
  const std::vector<std::string>& words = options.words;
  if (words.size() > 1)
    throw InputError(
        "--join", "takes one analysis, but " + counted(words.size(), "word", "words") + " follow",
        "options come before the analysis; a command is run first, without --join");
  if (!words.empty() && !fs::is_regular_file(words.front()))
    throw InputError(words.front(), "no such analysis; --join runs no command",
                     "make it first: apmt analyze -o FILE -- mpirun -np 2 ./app");
  return print_join(options.join, words.empty() ? fs::path() : fs::path(words.front()),
                    options.json);
}

int analyze(const AnalyzeArguments& options) {
  if (!options.join.empty()) return run_join(options);
  if (options.words.empty())
    throw InputError("apmt analyze", "no command is given", "apmt analyze -- mpirun -np 2 ./app");
  if (options.opencl) return run_analysed(options);
  const std::string& first = options.words.front();
  const std::vector<std::string> rest(options.words.begin() + 1, options.words.end());
  if (first == "build") return run_build(rest);
  if (first == "cc") return run_compiler(Language::kC, rest);
  if (first == "c++") return run_compiler(Language::kCxx, rest);
  if (first == "fc") return run_compiler(Language::kFortran, rest);
  return run_analysed(options);
}

}  // namespace

void add_analyze(CommandLine& program) {
  Verb verb = program.add_verb(kAnalyze.name, kAnalyze.help);
  verb.footer(kAnalyzeFooter);
  verb.ends_with_command();
  auto options = std::make_shared<AnalyzeArguments>();
  std::vector<std::string> names = kernels::analyser_names();
  names.emplace_back(kNoAnalyser);
  verb.add_option("--kernel", options->kernels,
                  "A function that is a kernel, by its name [functions with loops that call no "
                  "others with loops]")
      .one_word();
  verb.add_option("--with", options->analysers,
                  "Analysers; counts: none, blocks are counted [all but stack-distances and "
                  "aiwc-compat]")
      .comma_separated()
      .check(one_of(names));
  verb.add_option("--parallel", options->parallel,
                  "A loop, as FILE:LINE, whose iterations are independent, whatever the run shows")
      .one_word();
  verb.add_option("--sequential", options->sequential,
                  "A loop, as FILE:LINE, whose iterations must run one after another")
      .one_word();
  verb.add_flag("--every-invocation", options->every_invocation,
                "Follow every invocation of a kernel, however many there are (slow)");
  verb.add_option("--rank", options->rank, "The rank whose kernels are analysed")
      .check(whole_number(0, 1 << 30))
      .shows_default();
  verb.add_option("-o,--output", options->output, "File to write").shows_default();
  verb.add_flag("--opencl", options->opencl,
                "Analyse the kernels of OpenCL that the command runs; it needs no special build");
  verb.add_option("--join", options->join,
                  "A recorded run: joins an analysis with it instead of running a command");
  verb.add_flag("--json", options->json, "Print the analysis as JSON");
  verb.add_option(
      "command", options->words,
      "build, cc, c++ or fc with what follows; or the command to analyse; with --join an "
      "analysis [that in the run, or analysis.json]");
  verb.action([options] { return analyze(*options); });
}

}  // namespace apmt
