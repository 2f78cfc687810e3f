// What a loop keeps between calls.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace apmt {

/// The runs that existed before it began (they are not on its
/// budget), what the model is wanted for, and the step that it is at: of three repetitions one may
/// be there already, which does not make the point a measured one.
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

/// Absent when no loop was begun in the experiment.
std::optional<LoopNote> read_note(const std::filesystem::path& dir);
void write_note(const std::filesystem::path& dir, const LoopNote& note);
/// All runs that are there now are not on its budget.
LoopNote begin_note(const std::filesystem::path& dir, int at);

/// Core-hours of the runs that came since.
double spent_since(const std::filesystem::path& dir, const std::set<std::string>& before);

}  // namespace apmt
