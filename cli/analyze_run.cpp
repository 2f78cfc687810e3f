#include "cli/analyze_run.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "base/words.h"
#include "campaign/launching/executable.h"
#include "campaign/launching/other_nodes.h"
#include "campaign/launching/wrapped_command.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/terminal.h"
#include "kernels/analysers/analyser_names.h"
#include "kernels/collect/collect.h"
#include "kernels/function_names.h"
#include "kernels/runtime/settings.h"
#include "machine/child_process.h"
#include "reports/kernels.h"
#include "reports/render.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

std::string one_a_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

std::vector<std::string> chosen_analysers(const AnalyzeArguments& options) {
  if (options.analysers.empty()) return kernels::usual_analysers();
  const auto& named = options.analysers;
  if (std::count(named.begin(), named.end(), kNoAnalyser) == 0) return named;
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

  AnalysedRun run;
  std::vector<std::string> command = options.opencl ? in_oclgrind(options.words) : options.words;
  forward_to_nodes(&environment, target_of(command), &command);
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

}  // namespace

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
                           : render_text(make_analysis_report(run.analysis), text_columns()))
                 .c_str(),
             stdout);
  logging::info("analysis written to {}", options.output.string());
  return 0;
}

}  // namespace apmt
