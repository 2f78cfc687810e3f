// The note that a loop keeps between calls.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace apmt {

/// The runs that existed before the loop began (they do not count towards its budget), the process
/// count to predict, and the step in progress. If only one of its three repetitions exists, its
/// point does not count as measured.
struct LoopNote {
  struct Step {
    int procs = 0;
    int reps = 0;  // there are to be at the point in the end
    bool at_frequencies = false;
  };
  std::set<std::string> before;
  int at = 0;
  std::optional<Step> step;
};

/// Absent if no loop was begun in the experiment.
std::optional<LoopNote> read_note(const std::filesystem::path& dir);
void write_note(const std::filesystem::path& dir, const LoopNote& note);
/// Starts a note: all runs that exist now do not count towards the budget.
LoopNote begin_note(const std::filesystem::path& dir, int at);

/// Core-hours of the runs made since then.
double spent_since(const std::filesystem::path& dir, const std::set<std::string>& before);

}  // namespace apmt
