// Starts the user's command with apmt's library preloaded into the program, and collects the
// recordings.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "campaign/launching/executable.h"
#include "campaign/store/collect.h"
#include "machine/event_choice.h"
#include "profile/run_profile.h"

namespace apmt {

struct LaunchOptions {
  std::vector<std::string> command;
  std::filesystem::path library_dir;     // holds libapmt-*.so
  std::filesystem::path experiment;      // empty: apmt-<program> in the working directory
  std::map<std::string, double> params;  // named problem sizes
  std::string source = "auto";   // of samples: "auto", "hardware", "task-clock", "posix-timer"
  EventChoice events;            // hardware events to count
  int event_set = -1;            // the set of events to begin with; -1: each run takes the next set
  std::string rotate = "ranks";  // sets alternate over ranks and runs; "time": over time slices
  std::string simulate;   // for callgrind, in the form of APMT_SIMULATE; empty: no simulation
  double interval_s = 0;  // between samples; 0: chosen from the cost of a sample on this machine
  std::size_t memory_bytes = 0;  // size of a recording; 0: the default
  bool force = false;            // replaces runs with the same process count and sizes
};

/// Whether this process itself is a rank of a launch (mpirun -np 8 apmt record ./app).
bool inside_launcher();

/// A command and the environment that makes its ranks record.
struct PreparedLaunch {
  std::vector<std::string> command;
  Target target;
  std::filesystem::path experiment;  // ranks write into running-<run_id>/ in it
  std::string run_id;
  std::map<std::string, std::string> environment;  // variables to add
  std::shared_ptr<TemporaryFolder> copies;         // folder for SMPI's copies of a library; or null
};

/// Says that nothing was recorded, and why: the `reasons` that the processes noted or, if there are
/// none, the likely reason, judging by the program and the command.
std::string nothing_recorded(const PreparedLaunch& launch, const std::vector<std::string>& reasons);
/// The sentence `what`, which says that ranks are missing, with the reasons added.
std::string with_reasons(const std::string& what, const std::vector<std::string>& reasons);

/// Throws InputError if the command's first word is no program, or if there is no recorder library
/// for the program's MPI.
PreparedLaunch prepare_launch(const LaunchOptions& options);

/// Replaces this process with the prepared command.
[[noreturn]] void exec_prepared(const PreparedLaunch& launch);

/// Prepares the command, and replaces this process with it. Throws InputError if that fails.
[[noreturn]] void exec_recorded(const LaunchOptions& options);

struct RecordedRun {
  std::filesystem::path folder;
  RunProfile profile;
};

struct LaunchResult {
  int exit_code = 0;                  // the command's; 128 + n if signal n ended it
  int signal = 0;                     // the signal that ended it; 0: it ended by itself
  std::vector<RecordedRun> runs;      // sorted by name
  std::vector<std::string> problems;  // one sentence each
};

/// Runs the command to its end, passing signals on to it. Then merges its ranks' recordings.
LaunchResult run_recorded(const LaunchOptions& options, const OnProgress& on_progress = {});

}  // namespace apmt
