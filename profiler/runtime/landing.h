// Where the recording of this process lands: one file with a name that no other process has, in
// one folder of the experiment that nobody need list. Whose launch it is, is settled offline.
#pragma once

namespace apmt::rt {

/// Notes APMT_DIR, or apmt-<program> in the directory that the program started in. Before it can
/// change directory.
void choose_experiment_dir();

/// Creates the recording of the calling process (of `rank`, as far as the launcher says). False:
/// it cannot be recorded; why was left in the folder, or else said.
bool open_recording(int rank);

/// A recording that was staged on this node is brought into the folder. At the very end.
void bring_home();

/// One line on stderr, whole or not at all; the program's stdout is never ours.
void say(const char* format_text, const char* a, const char* b);

const char* base_name(const char* path);

}  // namespace apmt::rt
