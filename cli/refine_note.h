// Begins the note of apmt refine --target-error, the file that holds the state of its loop
// (refine/loop_note.h). Adds up what the loop's runs have cost.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "refine/loop_note.h"

namespace apmt {

/// Writes the note of a loop that begins now. The runs that exist now will not use its budget.
LoopNote begin_note(const std::filesystem::path& dir, int at);

/// The core-hours of all runs that are not in `before`.
double spent_since(const std::filesystem::path& dir, const std::set<std::string>& before);

}  // namespace apmt
