// Decides where the recording of this process is stored: in one file in one folder of the
// experiment. The file's name is unique, so no process has to list the folder to find a free name.
// Which recordings belong to one launch is decided later, by code outside the profiled program.
#pragma once

namespace apmt::rt {

/// Stores the experiment's directory: APMT_DIR, or else apmt-<program> in the current directory.
/// Must run before the program can change its directory.
void choose_experiment_dir();

/// Creates the recording of the calling process, with `rank` in its file name. Returns false if
/// that failed; the reason is then stored in the experiment and printed on stderr (APMT_QUIET in
/// docs/environment.md says when it is not printed).
bool open_recording(int rank);

/// If the recording was written on a disk of this node (staging.h), copies it to the launch's
/// folder. To be called when nothing more will be written to the recording.
void bring_home();

/// Prints one line on stderr, by a single write. Prints nothing if APMT_QUIET is set.
void say(const char* format_text, const char* a, const char* b);

const char* base_name(const char* path);

}  // namespace apmt::rt
