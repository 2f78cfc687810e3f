// Finds the finished runs of an experiment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/launching/command_template.h"
#include "profile/run_ending.h"

namespace apmt {

struct FinishedRun {
  std::filesystem::path dir;
  int procs = 0;
  std::map<std::string, double> params;
  std::vector<std::string> command;  // the launch command; empty: not known
  double launch_s = 0;               // time of the whole command; 0: not known
  int repetition = 0;                // which repetition in its campaign; 0: not known
  double elapsed_s = 0;              // time of the program
  RunEnding ending = RunEnding::kWhole;
  int exit_code = 0;  // of the launch command; 0 also if not known
};

/// All complete runs of an experiment: no rank is missing or was cut off, all ranks ended as the
/// program's ranks usually do, and the command did not fail. Empty if the experiment's folder does
/// not exist.
std::vector<FinishedRun> finished_runs(const std::filesystem::path& experiment);

/// Describes one run, complete or not. From its folder, reads only launch.json.
FinishedRun finished_run(const std::filesystem::path& dir, const RunProfile& profile);
FinishedRun read_finished_run(const std::filesystem::path& dir);

/// The relative standard error of the median of these times; infinite for fewer than two.
double relative_error(std::vector<double> times);

}  // namespace apmt
