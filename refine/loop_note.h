// The file in which apmt refine --target-error stores its state in an experiment, so that the next
// call continues.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace apmt {

/// The state of the loop. The step in progress adds runs at one point. If it was interrupted after
/// its first run, the next call makes its missing runs before it chooses another step.
struct LoopNote {
  static constexpr const char* kFile = "refine.json";
  struct Step {
    int procs = 0;
    int reps = 0;  // how many runs the point will have after the step
    bool at_frequencies = false;
  };
  std::set<std::string> before;  // runs made before the loop began; they do not use its budget
  int at = 0;                    // the process count to predict
  std::optional<Step> step;      // the step in progress
};

/// Absent if no loop has begun in the experiment.
std::optional<LoopNote> read_note(const std::filesystem::path& dir);
void write_note(const std::filesystem::path& dir, const LoopNote& note);

}  // namespace apmt
