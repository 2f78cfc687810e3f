// A campaign: the user's launch command at several process counts and sizes, each repeated; points
// alternate.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launching/command_template.h"
#include "campaign/launch.h"

namespace apmt {

struct CampaignOptions {
  LaunchOptions launch;  // its command is the template; its params are ignored
  std::vector<CampaignPoint> points;
  int reps = 3;
  int only_repetition = 0;  // of each point, counting from 1; 0: all of them
  /// Repeat a point beyond `reps`, up to `max_reps`, until its time is known to this relative
  /// standard error; 0: never beyond `reps`.
  double spread = 0;
  int max_reps = 10;
  bool any_command = false;  // count runs of other commands as this campaign's
  bool keep_old = false;     // count runs of older builds of the program
  /// Converts a filled-in command to the one to start at a process count (for a virtual cluster).
  std::function<std::vector<std::string>(int procs, std::vector<std::string> command)> launcher;

  /// Throws InputError when the options make no sense.
  void check() const;
};

/// One run of a campaign, in the order in which they are made.
struct PlannedRun {
  CampaignPoint point;
  int round = 1;  // counts from 1 at each point
  std::vector<std::string> command;
  bool is_done = false;  // found finished before the campaign started
};

struct CampaignResult {
  enum class End { kComplete, kInterrupted, kFailed };
  End end = End::kComplete;
  int signal = 0;                     // of kInterrupted
  int exit_code = 0;                  // of the command that failed
  std::vector<std::string> problems;  // a sentence each, also where all planned runs are there
  std::vector<std::string> failed_command;
  std::filesystem::path output;          // what it printed
  std::vector<std::string> last_output;  // the last lines of it
  int runs_done = 0;
  int runs_planned = 0;
  int runs_made = 0;  // by this very call
  /// Points whose time still has a larger relative error than requested, with that error.
  std::vector<std::pair<CampaignPoint, double>> unsettled;
};

/// The progress of a campaign. `number` counts from 1; `left_s` is absent until a run has
/// ended.
struct CampaignStep {
  const PlannedRun* run = nullptr;
  int number = 0;
  int planned = 0;
  double elapsed_s = 0;          // of this run
  std::optional<double> left_s;  // of the whole campaign, this run included
};

struct CampaignWatcher {
  std::function<void(const CampaignStep&)> on_start;
  std::function<void(const CampaignStep&)> on_second;
  std::function<void(const CampaignStep&, const std::filesystem::path& run)> on_end;
};

/// Whether the command names a different file for each point (./lu.W.{p}); these are builds of one
/// program.
bool has_program_per_point(const CampaignOptions& options);

/// The experiment of a campaign: the requested one, or else apmt-<program>.
std::filesystem::path campaign_experiment(const CampaignOptions& options);

/// The runs that the options require at least, in order: every point once, then every point again.
/// Like run_campaign(), throws InputError if existing runs were made by another command or another
/// build of the program.
std::vector<PlannedRun> plan_campaign(const CampaignOptions& options);

/// Makes the missing runs. If interrupted at any moment it loses no finished run; the next call
/// continues.
CampaignResult run_campaign(const CampaignOptions& options, const CampaignWatcher& watcher = {});

}  // namespace apmt
