// apmt analyze: counts what a program's kernels do (instructions, accesses, parallelism, locality),
// independently of any machine.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/input_error.h"
#include "base/search_path.h"
#include "base/temporary_folder.h"
#include "base/words.h"
#include "campaign/launching/executable.h"
#include "campaign/launching/wrapped_command.h"
#include "cli/analyze_join.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/verbs.h"
#include "kernels/analysers/analyser_names.h"
#include "kernels/collect/collect.h"
#include "kernels/compile/build_tree.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/compiler_names.h"
#include "kernels/function_names.h"
#include "kernels/runtime/settings.h"
#include "machine/child_process.h"
#include "reports/kernels.h"
#include "reports/render.h"

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

constexpr const char* kNothing = "counts";  // value of --with: no analyser

struct AnalyzeArguments {
  std::vector<std::string> words;
  std::vector<std::string> kernels;
  std::vector<std::string> analysers;
  std::vector<std::string> parallel, sequential;  // loops, as FILE:LINE
  bool every_invocation = false;
  int rank = 0;
  fs::path output = "analysis.json";
  fs::path join;
  bool json = false;
  bool opencl = false;
};

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

std::string one_a_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

/// Adds the variables to the list of variables that Open MPI passes to other nodes.
void forward_to_nodes(std::map<std::string, std::string>* environment) {
  constexpr const char* kList = "OMPI_MCA_mca_base_env_list";
  const char* const before = std::getenv(kList);
  std::string names = before == nullptr ? "" : before;
  for (const auto& [name, value] : *environment) names += (names.empty() ? "" : ";") + name;
  (*environment)[kList] = names;
}

std::vector<std::string> chosen_analysers(const AnalyzeArguments& options) {
  if (options.analysers.empty()) return kernels::usual_analysers();
  const auto& named = options.analysers;
  if (std::count(named.begin(), named.end(), kNothing) == 0) return named;
  if (named.size() > 1)
    throw InputError("--with", "counts runs no analyser, but analysers are named with it",
                     "leave counts out, or name it alone");
  if (options.opencl)
    throw InputError("--with",
                     "counts runs no analyser, but only analysers can count OpenCL kernels",
                     "name mix instead");
  if (!options.kernels.empty() || options.every_invocation)
    throw InputError(options.kernels.empty() ? "--every-invocation" : "--kernel",
                     "no kernel is followed if --with is counts", "leave one of the two out");
  return {};
}

/// The command, started by the launcher of Oclgrind, which preloads Oclgrind's own OpenCL library.
std::vector<std::string> in_oclgrind(const std::vector<std::string>& command) {
  const std::string plugin = opencl_plugin().string();
  if (!find_executable("oclgrind"))
    throw InputError("oclgrind", "not found in PATH; it runs the kernels of OpenCL",
                     "apt-get install oclgrind");
  std::vector<std::string> words = {"oclgrind", "--plugins", plugin};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

InputError nothing_left(const AnalyzeArguments& options) {
  if (options.opencl)
    return {"", "no process wrote results: none made an OpenCL context, or it was killed",
            "does the command use OpenCL, through a library that can be preloaded?",
            ExitCode::kFailed};
  return {"",
          "no process wrote results: the program was not built by apmt analyze, or it was killed",
          "build it with: apmt analyze build -- make", ExitCode::kFailed};
}

/// What the user says about loops, in the form that loop_annotation() reads.
std::vector<std::string> annotations_of(const AnalyzeArguments& options) {
  std::vector<std::string> annotations;
  const auto add = [&](const std::string& says, const std::vector<std::string>& loops) {
    for (const std::string& loop : loops) {
      annotations.push_back(says + ' ' + loop);
      if (!kernels::loop_annotation(annotations.back()))
        throw InputError("--" + says, loop + " is not the place of a loop", "give it as FILE:LINE");
    }
  };
  add("parallel", options.parallel);
  add("sequential", options.sequential);
  for (const std::string& loop : options.parallel)
    if (std::count(options.sequential.begin(), options.sequential.end(), loop) > 0)
      throw InputError("--parallel", loop + " is named as --sequential, too",
                       "leave one of the two out");
  return annotations;
}

/// How the analysed command ended and, if it succeeded, the results of its processes.
struct AnalysedRun {
  CommandEnd end;
  kernels::CollectedRun found;
};

AnalysedRun analysed_run(const AnalyzeArguments& options, const std::vector<std::string>& analysers,
                         const std::vector<std::string>& annotations) {
  const TemporaryFolder parts(fs::current_path());  // a folder that other nodes can usually see
  std::map<std::string, std::string> environment;
  environment[kernels::kFolderVariable] = parts.path().string();
  environment[kernels::kKernelsVariable] = one_a_line(options.kernels);
  environment[kernels::kLoopsVariable] = one_a_line(annotations);
  environment[kernels::kRankVariable] = std::to_string(options.rank);
  environment[kernels::kAnalysersVariable] = one_a_line(analysers);
  environment[kernels::kEveryVariable] = options.every_invocation ? "1" : "";
  forward_to_nodes(&environment);

  AnalysedRun run;
  const std::vector<std::string> command =
      options.opencl ? in_oclgrind(options.words) : options.words;
  run.end = run_wrapped([&] { replace_by(command, environment); });
  if (run.end.signal == 0 && run.end.exit_code == 0)
    run.found = kernels::collect_parts(parts.path(), options.rank, nothing_left(options));
  return run;
}

void warn_of_kernels_that_did_not_run(const std::vector<std::string>& names,
                                      const kernels::Analysis& analysis) {
  for (const std::string& name : names)
    if (std::none_of(analysis.kernels.begin(), analysis.kernels.end(),
                     [&](const kernels::KernelAnalysis& kernel) {
                       return kernels::is_named(kernel.function, kernel.name, name);
                     }))
      logging::warn("--kernel {}: no function of this name ran as a kernel", name);
}

void warn_of_annotations_not_used(const std::vector<std::string>& annotations,
                                  const kernels::Analysis& analysis) {
  for (const std::string& text : annotations) {
    const auto annotation = *kernels::loop_annotation(text);
    bool is_used = false;
    for (const kernels::KernelAnalysis& kernel : analysis.kernels)
      for (const kernels::LoopFacts& loop : kernel.loops)
        is_used |= loop.because == "annotation" && annotation.is_at(loop.file, loop.line);
    if (!is_used) logging::warn("--{}: no loop that ran in a followed kernel begins there", text);
  }
}

int run_analysed(const AnalyzeArguments& options) {
  if (!find_executable(options.words.front()))
    throw InputError(options.words.front(), "no such program");
  const std::vector<std::string> analysers = chosen_analysers(options);
  const std::vector<std::string> annotations = annotations_of(options);
  if (!annotations.empty() && !kernels::analysers_named(analysers).synchronisation)
    throw InputError(options.parallel.empty() ? "--sequential" : "--parallel",
                     "only the analyser synchronisation decides which loops are parallel",
                     "add synchronisation to --with");
  auto [end, run] = analysed_run(options, analysers, annotations);
  if (end.signal != 0) end_by(end.signal);
  if (end.exit_code != 0) {
    logging::warn("the command ended with exit code {}", end.exit_code);
    return end.exit_code;
  }
  run.analysis.analysers = analysers;
  for (const std::string& word : options.words)
    run.analysis.program += (run.analysis.program.empty() ? "" : " ") + word;
  kernels::write_analysis(run.analysis, options.output);
  if (run.processes.size() > 1)
    logging::info(
        "kernels are those of {}; of the other {} {}",
        run.analysed.front() == 'p' ? "process " + run.analysed.substr(1) : "rank " + run.analysed,
        counted(run.processes.size() - 1, "process", "processes"),
        options.opencl ? "nothing is kept" : "only blocks were counted");
  warn_of_kernels_that_did_not_run(options.kernels, run.analysis);
  warn_of_annotations_not_used(annotations, run.analysis);
  std::fputs((options.json ? kernels::analysis_to_json(run.analysis)
                           : render_text(make_analysis_report(run.analysis)))
                 .c_str(),
             stdout);
  logging::info("analysis written to {}", options.output.string());
  return 0;
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
  names.emplace_back(kNothing);
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
