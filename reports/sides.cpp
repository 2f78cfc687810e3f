#include "reports/sides.h"

#include <functional>
#include <set>

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

}  // namespace

std::vector<std::string> cautions(const Experiment& before, const Experiment& after) {
  std::vector<std::string> sentences;
  const auto hold_against = [&](const std::string& what,
                                const std::function<void(const RunProfile&, Names*)>& of) {
    const Names was = names(before, of);
    const Names is = names(after, of);
    if (was != is && !was.empty() && !is.empty())
      sentences.push_back("the two differ in " + what + ", too: " + list(was) + " before, " +
                          list(is) + " after");
  };
  hold_against("their MPI",
               [](const RunProfile& run, Names* all) { all->insert(run.mpi_library); });
  hold_against("their processors", [](const RunProfile& run, Names* all) {
    for (const HostInfo& host : run.hosts) all->insert(host.cpu_model);
  });
  hold_against("their threads per rank", [](const RunProfile& run, Names* all) {
    all->insert(std::to_string(run.config.threads_per_rank));
  });
  for (const std::string& warning : before.warnings) sentences.push_back("before: " + warning);
  for (const std::string& warning : after.warnings) sentences.push_back("after: " + warning);
  return sentences;
}

}  // namespace apmt
