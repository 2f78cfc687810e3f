// The finished runs of a campaign in an experiment.
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
  std::vector<std::string> command;  // of the launch; empty when apmt run did not make it
  double launch_s = 0;               // of the whole command; 0 when not known
  int repetition = 0;                // which one its campaign made it as; 0 when not known
  double elapsed_s = 0;              // of the program
  RunEnding ending = RunEnding::kWhole;
  int exit_code = 0;  // of the launch, where it is known
};

/// All complete runs of an experiment: no rank is missing, none was cut off, all ended as the
/// program's ranks usually do, and the command did not fail. Empty if there is no such
/// directory.
std::vector<FinishedRun> finished_runs(const std::filesystem::path& experiment);

/// One run, complete or not. Of its folder, only the launch's note is read.
FinishedRun finished_run(const std::filesystem::path& dir, const RunProfile& profile);
FinishedRun read_finished_run(const std::filesystem::path& dir);

/// The relative standard error of the median of these times; infinite below two.
double relative_error(std::vector<double> times);

}  // namespace apmt
