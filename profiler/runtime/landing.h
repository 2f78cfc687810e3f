// The place of this process's recording: one file with a name that no other process has, in one
// folder of the experiment that no process has to list. Offline code decides to which launch it
// belongs.
#pragma once

namespace apmt::rt {

/// Stores APMT_DIR, or apmt-<program> in the directory that the program started in. Must run before
/// the program can change directory.
void choose_experiment_dir();

/// Creates the recording of the calling process (of `rank`, if the launcher gives one). False: it
/// cannot be recorded; the reason is in the folder, or else on stderr.
bool open_recording(int rank);

/// Copies a recording that was staged on this node to the folder. At the very end.
void bring_home();

/// Prints one line on stderr, whole or not at all; never on the program's stdout.
void say(const char* format_text, const char* a, const char* b);

const char* base_name(const char* path);

}  // namespace apmt::rt
