// The place of this process's recording: one file in one folder of the experiment. No other process
// has a file of that name, and no process has to list the folder. Offline code decides to which
// launch the recording belongs.
#pragma once

namespace apmt::rt {

/// Stores APMT_DIR, or apmt-<program> in the directory that the program started in. Must run before
/// the program can change directory.
void choose_experiment_dir();

/// Creates the recording of the calling process (of `rank`, if the launcher gives one). False if
/// that failed; the reason is then in the folder, or else on stderr.
bool open_recording(int rank);

/// If the recording was staged on this node, copies it to the folder. Called last.
void bring_home();

/// Prints one line on stderr, whole or not at all; never on the program's stdout.
void say(const char* format_text, const char* a, const char* b);

const char* base_name(const char* path);

}  // namespace apmt::rt
