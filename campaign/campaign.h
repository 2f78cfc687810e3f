// A campaign runs the user's launch command at several points (process counts and sizes), and
// repeats each point. Every point is run once before any is run again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launch.h"
#include "campaign/launching/command_template.h"

namespace apmt {

struct CampaignOptions {
  LaunchOptions launch;  // `command` is the template; `params` are ignored
  std::vector<CampaignPoint> points;
  int reps = 3;
  int only_repetition = 0;  // make only this repetition, counted from 1; 0: all
  /// Repeat a point beyond `reps`, up to `max_reps` times, until the relative standard error of its
  /// time is no larger than this; 0: never beyond `reps`.
  double spread = 0;
  int max_reps = 10;
  bool any_command = false;  // also count runs of other commands
  bool keep_old = false;     // also count runs of older builds of the program
  /// Turns a filled-in command into the one that starts it on a virtual cluster; empty: not needed.
  std::function<std::vector<std::string>(int procs, std::vector<std::string> command)> launcher;
  /// Writes the files that the command of `launcher` needs. Called before each run; empty: no files
  /// are needed.
  std::function<void(int procs)> before_run;

  /// Throws InputError if the options are invalid.
  void check() const;
};

/// One run of a campaign; runs are made in the order of the list.
struct PlannedRun {
  CampaignPoint point;
  int round = 1;  // the repetition, counted from 1 at each point
  std::vector<std::string> command;
  bool is_done = false;  // it was finished before this campaign began
};

struct CampaignResult {
  enum class End { kComplete, kInterrupted, kFailed };
  End end = End::kComplete;
  int signal = 0;                     // the signal, if kInterrupted
  int exit_code = 0;                  // exit code of the command that failed
  std::vector<std::string> problems;  // one sentence each; a complete campaign may have some
  std::vector<std::string> failed_command;
  std::filesystem::path output;          // file with what the failed command printed
  std::vector<std::string> last_output;  // the last lines of that file
  int runs_done = 0;
  int runs_planned = 0;
  int runs_made = 0;  // in this call
  /// Points whose time has a larger relative error than requested, with that error.
  std::vector<std::pair<CampaignPoint, double>> unsettled;
};

/// The progress of a campaign. `number` counts runs from 1; `left_s` is absent until a run has
/// ended.
struct CampaignStep {
  const PlannedRun* run = nullptr;
  int number = 0;
  int planned = 0;
  double elapsed_s = 0;          // how long this run has taken so far
  std::optional<double> left_s;  // for the rest of the campaign, including this run
};

struct CampaignWatcher {
  std::function<void(const CampaignStep&)> on_start;
  std::function<void(const CampaignStep&)> on_second;
  std::function<void(const CampaignStep&, const std::filesystem::path& run)> on_end;
};

/// Whether the command names a different file for each point (./lu.W.{p}). These files are then
/// builds of one program.
bool has_program_per_point(const CampaignOptions& options);

/// The experiment of a campaign: the requested one, or else apmt-<program>.
std::filesystem::path campaign_experiment(const CampaignOptions& options);

/// The runs that the options require, in order: every point once, then every point a second time,
/// and so on. Runs that --spread may add are not included. Like run_campaign(), throws InputError
/// if existing runs were made by another command or another build of the program.
std::vector<PlannedRun> plan_campaign(const CampaignOptions& options);

/// Makes the missing runs. An interruption at any moment loses no finished run; the next call makes
/// the runs that are still missing.
CampaignResult run_campaign(const CampaignOptions& options, const CampaignWatcher& watcher = {});

}  // namespace apmt
