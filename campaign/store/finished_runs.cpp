#include "campaign/store/finished_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "campaign/store/launch_note.h"
#include "campaign/store/run_directory.h"
#include "profile/run_profile.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// Whether the command's exit code is the program's own, because no launcher started the program.
/// The exit code then shows how the program ended. The recording does not show this: after _exit,
/// it looks cut off.
bool has_own_exit_code(const FinishedRun& run, const RunProfile& profile) {
  return profile.mpi_library.empty() && !run.command.empty() &&
         fs::path(run.command.front()).filename() == profile.program;
}

}  // namespace

FinishedRun finished_run(const fs::path& dir, const RunProfile& profile) {
  FinishedRun run;
  run.dir = dir;
  run.procs = profile.config.procs;
  run.params = profile.config.params;
  run.elapsed_s = profile.times.wall_s.max();
  if (fs::exists(dir / LaunchNote::kFile)) {
    const LaunchNote note = read_launch_note(dir);
    run.command = note.command;
    run.launch_s = note.elapsed_s;
    run.exit_code = note.exit_code;
    run.repetition = note.repetition;
  }
  run.ending = has_own_exit_code(run, profile) ? RunEnding::kWhole : ending_of(profile);
  return run;
}

FinishedRun read_finished_run(const fs::path& dir) {
  return finished_run(dir, read_run_profile(dir / "profile.json"));
}

std::vector<FinishedRun> finished_runs(const fs::path& experiment) {
  std::vector<FinishedRun> runs;
  EndingHabit habit;
  for (const fs::path& dir : run_directories(experiment)) {
    runs.push_back(read_finished_run(dir));
    habit.see(runs.back().ending);
  }
  std::erase_if(runs, [&](const FinishedRun& run) {
    return run.exit_code != 0 || !habit.is_whole(run.ending);
  });
  return runs;
}

double relative_error(std::vector<double> times) {
  const auto n = static_cast<double>(times.size());
  if (times.size() < 2) return std::numeric_limits<double>::infinity();
  double mean = 0;
  for (const double t : times) mean += t / n;
  double squares = 0;
  for (const double t : times) squares += (t - mean) * (t - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[half] : 0.5 * (times[half - 1] + times[half]);
  if (median <= 0) return std::numeric_limits<double>::infinity();
  // The standard deviation of the median of n normal values is sqrt(pi/2/n) times that of one
  // value. For two values, the median is the mean.
  const double factor = times.size() == 2 ? std::sqrt(0.5) : std::sqrt(0.5 * std::numbers::pi / n);
  return factor * deviation / median;
}

}  // namespace apmt
