#include "reports/sides.h"

#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "reports/numbers.h"

namespace apmt {
namespace {

using Names = std::set<std::string>;

Names names(const Experiment& experiment,
            const std::function<void(const RunProfile&, Names*)>& of) {
  Names all;
  for (const RunProfile& run : experiment.runs) of(run, &all);
  all.erase("");
  return all;
}

std::string list(const Names& names) {
  return join_list(std::vector<std::string>(names.begin(), names.end()));
}

/// What differs, and the values on both sides.
struct SideDifference {
  std::string what;
  std::string first;
  std::string second;
};

/// The arguments of the program, "'slow 100'" or "none". Folders are left out, because each side
/// may have its input in a folder of its own. Absent if the run does not state its command.
std::optional<std::string> arguments_of(const RunProfile& run) {
  std::istringstream words(run.command);
  std::string word;
  if (!(words >> word)) return std::nullopt;
  std::string text;
  while (words >> word) {
    while (word.size() > 1 && word.back() == '/') word.pop_back();
    // The folder of a path does not matter. "1/2" is no path.
    const std::size_t value = word.rfind('=') + 1;
    const bool is_path = word.find_first_not_of("0123456789./", value) != std::string::npos;
    text += (text.empty() ? "" : " ") + (is_path ? word.substr(word.rfind('/') + 1) : word);
  }
  return text.empty() ? "none" : "'" + text + "'";
}

using ProcsAndSizes = std::pair<int, std::map<std::string, double>>;

std::map<ProcsAndSizes, Names> arguments_at_points(const Experiment& experiment) {
  std::map<ProcsAndSizes, Names> all;
  for (const RunProfile& run : experiment.runs)
    if (const std::optional<std::string> arguments = arguments_of(run))
      all[{run.config.procs, run.config.params}].insert(*arguments);
  return all;
}

/// Compares the arguments at points that both sides have. Without such a point, they are compared
/// if neither side varies them or its sizes: otherwise they may state the size or process count.
std::optional<SideDifference> different_arguments(const Experiment& first,
                                                  const Experiment& second) {
  const std::map<ProcsAndSizes, Names> was = arguments_at_points(first);
  const std::map<ProcsAndSizes, Names> is = arguments_at_points(second);
  const std::string what = "the arguments of the program";
  bool have_a_point_in_common = false;
  Names all_was, all_is;
  std::set<std::map<std::string, double>> sizes;
  for (const auto& [point, arguments] : was) {
    all_was.insert(arguments.begin(), arguments.end());
    sizes.insert(point.second);
    const auto other = is.find(point);
    if (other == is.end()) continue;
    have_a_point_in_common = true;
    if (other->second != arguments)
      return SideDifference{what, list(arguments), list(other->second)};
  }
  for (const auto& [point, arguments] : is) {
    all_is.insert(arguments.begin(), arguments.end());
    sizes.insert(point.second);
  }
  if (have_a_point_in_common || all_was.size() != 1 || all_is.size() != 1 || sizes.size() != 1 ||
      all_was == all_is)
    return std::nullopt;
  return SideDifference{what, list(all_was), list(all_is)};
}

std::vector<SideDifference> differences(const ComparedRuns& first, const ComparedRuns& second) {
  std::vector<SideDifference> all;
  if (auto arguments = different_arguments(first.experiment, second.experiment))
    all.push_back(std::move(*arguments));
  const auto compare = [&](const std::string& what, const Names& was, const Names& is) {
    if (was != is && !was.empty() && !is.empty()) all.push_back({what, list(was), list(is)});
  };
  const auto compare_runs = [&](const std::string& what,
                                const std::function<void(const RunProfile&, Names*)>& of) {
    compare(what, names(first.experiment, of), names(second.experiment, of));
  };
  compare_runs("their machines", [](const RunProfile& run, Names* names) {
    names->insert(run.config.is_virtual ? "a simulated cluster" : "a real machine");
  });
  compare("their simulated clusters", first.clusters, second.clusters);
  compare_runs("their MPI",
               [](const RunProfile& run, Names* names) { names->insert(run.mpi_library); });
  compare_runs("their processors", [](const RunProfile& run, Names* names) {
    for (const HostInfo& host : run.hosts) names->insert(host.cpu_model);
  });
  compare_runs("their threads per rank", [](const RunProfile& run, Names* names) {
    names->insert(std::to_string(run.config.threads_per_rank));
  });
  return all;
}

}  // namespace

std::vector<std::string> cautions(const ComparedRuns& before, const ComparedRuns& after) {
  std::vector<std::string> sentences;
  for (const SideDifference& d : differences(before, after))
    sentences.push_back("the two differ in " + d.what + ", too: " + d.first + " before, " +
                        d.second + " after");
  for (const std::string& warning : before.experiment.warnings)
    sentences.push_back("before: " + warning);
  for (const std::string& warning : after.experiment.warnings)
    sentences.push_back("after: " + warning);
  return sentences;
}

std::vector<std::string> cautions_of_validation(const ComparedRuns& fitted,
                                                const ComparedRuns& compared) {
  std::vector<std::string> sentences;
  for (const SideDifference& d : differences(fitted, compared))
    sentences.push_back("these runs and those of the model differ in " + d.what + ": " + d.second +
                        " here, " + d.first + " in those of the model");
  return sentences;
}

}  // namespace apmt
