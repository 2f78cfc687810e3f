// Starting the user's own command with our library in the program, and collecting what it left.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "campaign/launching/executable.h"
#include "campaign/store/collect.h"
#include "machine/event_choice.h"
#include "profile/run_profile.h"

namespace apmt {

struct LaunchOptions {
  std::vector<std::string> command;
  std::filesystem::path library_dir;     // holds libapmt-*.so
  std::filesystem::path experiment;      // empty: apmt-<program> where the program starts
  std::map<std::string, double> params;  // named problem sizes
  std::string source = "auto";           // of samples: auto, hardware, task-clock, posix-timer
  EventChoice events;                    // hardware events to count
  int event_set = -1;  // which of the sets they are split into; -1: as many as there are runs
  std::string rotate = "ranks";  // sets over ranks and repetitions, or over "time" slices
  std::string simulate;   // what callgrind is to count, as APMT_SIMULATE says; empty: no simulation
  double interval_s = 0;  // 0: chosen by what a sample costs here
  std::size_t memory_bytes = 0;  // of a recording; 0: the default
  bool force = false;            // runs of the same processes and sizes are replaced
};

/// Whether this very process is one rank of a launch (mpirun -np 8 apmt record ./app).
bool inside_launcher();

/// A command and the environment that makes its ranks record.
struct PreparedLaunch {
  std::vector<std::string> command;
  Target target;
  std::filesystem::path experiment;  // where ranks write, running-<run_id>/
  std::string run_id;
  std::map<std::string, std::string> environment;  // beside our own
};

/// One sentence that says that nothing was recorded, with the reasons that the processes left.
std::string nothing_recorded(const PreparedLaunch& launch, const std::vector<std::string>& reasons);
/// A sentence that says that ranks are missing, with the reasons.
std::string with_reasons(const std::string& what, const std::vector<std::string>& reasons);

/// Throws InputError when there is no such program or no library for its MPI.
PreparedLaunch prepare_launch(const LaunchOptions& options);

/// Replaces this process by the command.
[[noreturn]] void exec_prepared(const PreparedLaunch& launch);

/// Replaces this process by the command, prepared for recording. Throws InputError when it cannot.
[[noreturn]] void exec_recorded(const LaunchOptions& options);

struct RecordedRun {
  std::filesystem::path folder;
  RunProfile profile;
};

struct LaunchResult {
  int exit_code = 0;                  // of the command; 128 + n when signal n ended it
  int signal = 0;                     // that ended it; 0: it ended by itself
  std::vector<RecordedRun> runs;      // merged, by name
  std::vector<std::string> problems;  // one sentence each
};

/// Runs the command to its end, passes signals on to it, then merges what its ranks recorded.
LaunchResult run_recorded(const LaunchOptions& options, const OnProgress& on_progress = {});

}  // namespace apmt
