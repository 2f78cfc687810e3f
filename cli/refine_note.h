// The note that apmt refine --target-error keeps in an experiment between calls.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace apmt {

/// The runs that existed before the loop began, which do not count towards its budget; the process
/// count to predict; and the step in progress. While some of the step's repetitions are missing,
/// its point does not count as measured.
struct LoopNote {
  struct Step {
    int procs = 0;
    int reps = 0;  // how many runs the point has after the step
    bool at_frequencies = false;
  };
  std::set<std::string> before;
  int at = 0;
  std::optional<Step> step;
};

/// Absent if no loop was begun in the experiment.
std::optional<LoopNote> read_note(const std::filesystem::path& dir);
void write_note(const std::filesystem::path& dir, const LoopNote& note);
/// Starts a note. All runs that exist now will not count towards the budget.
LoopNote begin_note(const std::filesystem::path& dir, int at);

/// Core-hours of all runs that are not in `before`.
double spent_since(const std::filesystem::path& dir, const std::set<std::string>& before);

}  // namespace apmt
