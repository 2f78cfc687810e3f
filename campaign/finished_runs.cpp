#include "campaign/finished_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "campaign/run_directory.h"
#include "campaign/stage.h"
#include "profiler/reader/run_profile.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

bool is_whole(const RunProfile& profile, bool ended_well) {
  const Health& health = profile.health;
  if (health.ranks_present < profile.config.procs) return false;
  // A program may leave by _exit: its ranks look cut off although the command ended well.
  return ended_well || (health.ranks_cut_off == 0 && health.ranks_aborted == 0);
}

FinishedRun finished(const fs::path& dir, const RunProfile& profile, bool has_note) {
  FinishedRun run;
  run.dir = dir;
  run.procs = profile.config.procs;
  run.params = profile.config.params;
  run.elapsed_s = profile.times.wall_s.max();
  if (has_note) {
    const LaunchNote note = read_launch_note(dir);
    run.command = note.command;
    run.launch_s = note.elapsed_s;
    run.repetition = note.repetition;
  }
  return run;
}

}  // namespace

FinishedRun read_finished_run(const fs::path& dir) {
  return finished(dir, read_run_profile(dir / "profile.json"), fs::exists(dir / LaunchNote::kFile));
}

std::vector<FinishedRun> finished_runs(const fs::path& experiment) {
  std::vector<FinishedRun> runs;
  for (const fs::path& dir : run_directories(experiment)) {
    const bool has_note = fs::exists(dir / LaunchNote::kFile);
    const RunProfile profile = read_run_profile(dir / "profile.json");
    if (is_whole(profile, has_note)) runs.push_back(finished(dir, profile, has_note));
  }
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
  // The median of n normal values scatters as sqrt(pi/2/n) of one of them; of two it is the mean.
  const double factor = times.size() == 2 ? std::sqrt(0.5) : std::sqrt(0.5 * std::numbers::pi / n);
  return factor * deviation / median;
}

}  // namespace apmt
