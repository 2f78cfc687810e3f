#include "fitter/runs/whole_runs.h"

#include <algorithm>

#include "base/words.h"
#include "profile/run_ending.h"

namespace apmt {
namespace {

std::string sentence(const RunProfile& run) {
  return "the run with " + counted(run.config.procs, "process", "processes") + ", repetition " +
         std::to_string(run.config.repetition) + ", is left out: " + how_it_ended(run);
}

/// How the recorded ranks ended. Ranks without a recording are ignored.
RunEnding ending_of_the_recorded(RunProfile run) {
  run.health.ranks_present = run.config.procs;
  return ending_of(run);
}

}  // namespace

std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs) {
  std::vector<RunEnding> endings;
  EndingHabit habit;
  for (const RunProfile& run : *runs) {
    endings.push_back(ending_of_the_recorded(run));
    habit.see(endings.back());
  }
  if (std::none_of(endings.begin(), endings.end(),
                   [&](RunEnding ending) { return habit.is_whole(ending); }))
    return {};
  std::vector<std::string> sentences;
  std::vector<RunProfile> whole;
  for (std::size_t i = 0; i < runs->size(); ++i)
    if (habit.is_whole(endings[i]))
      whole.push_back(std::move((*runs)[i]));
    else
      sentences.push_back(sentence((*runs)[i]));
  *runs = std::move(whole);
  return sentences;
}

}  // namespace apmt
