#include "fitter/runs/run_checks.h"

#include <algorithm>
#include <cstdio>

#include "base/words.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

std::string seconds(double s) {
  char text[32];
  if (s < 1)
    std::snprintf(text, sizeof text, "%.0f ms", 1e3 * s);
  else
    std::snprintf(text, sizeof text, "%.1f s", s);
  return text;
}

std::uint64_t samples_of(const RunProfile& run) {
  std::uint64_t samples = 0;
  for (const KernelProfile& kernel : run.kernels)
    if (const auto cpu = kernel.counters.find(kCpuMetric); cpu != kernel.counters.end())
      samples += cpu->second.total_samples();
  return samples;
}

bool is_too_short(const RunProfile& run, double elapsed_s) {
  constexpr double kShortest_s = 0.1;     // starting a process takes a good part of this time
  constexpr std::uint64_t kFewest = 100;  // a hundred samples have a relative error of a tenth
  if (run.sampling.source == kImported) return false;
  if (!run.config.is_virtual && elapsed_s < kShortest_s) return true;
  // A simulation without computation has no samples and needs none.
  const bool is_sampled = run.grade != Grade::kD && !(run.config.is_virtual && run.kernels.empty());
  return is_sampled && samples_of(run) < kFewest;
}

/// Seconds that each rank was off the CPU outside MPI; empty if not known.
std::vector<double> off_cpu_s(const RunProfile& run) {
  const RankTimes& t = run.times;
  const std::size_t ranks = t.main_s.per_rank.size();
  const bool is_known = run.grade != Grade::kD && !run.config.is_virtual &&
                        !run.config.oversubscribed && run.config.threads_per_rank <= 1;
  for (const Column* column : {&t.mpi_s, &t.main_cpu_s, &t.sampled_cpu_s})
    if (!is_known || column->per_rank.size() != ranks) return {};
  std::vector<double> off;
  for (std::size_t r = 0; r < ranks; ++r) {
    const double anywhere_s = t.main_s.per_rank[r] - t.main_cpu_s.per_rank[r];
    const double outside_mpi_s =
        t.main_s.per_rank[r] - t.mpi_s.per_rank[r] - t.sampled_cpu_s.per_rank[r];
    off.push_back(std::max(std::min(anywhere_s, outside_mpi_s), 0.0));
  }
  return off;
}

/// Whether the rank was off the CPU at least half as long in at least half of the other
/// repetitions. If so, nothing is unusual: the rank probably reads or writes files.
bool is_usual(const std::vector<std::vector<double>>& runs, std::size_t run, std::size_t rank) {
  std::size_t others = 0;
  std::size_t alike = 0;
  for (std::size_t other = 0; other < runs.size(); ++other) {
    if (other == run || rank >= runs[other].size()) continue;
    ++others;
    alike += runs[other][rank] >= 0.5 * runs[run][rank];
  }
  return others > 0 && 2 * alike >= others;
}

}  // namespace

std::vector<std::string> short_runs(const Experiment& experiment) {
  std::string counts;
  double longest_s = 0;
  std::uint64_t fewest = UINT64_MAX;
  for (const ExperimentPoint& point : experiment.points) {
    const bool is_short = std::all_of(point.runs.begin(), point.runs.end(), [&](std::size_t r) {
      return is_too_short(experiment.runs[r], point.elapsed_s.value);
    });
    if (!is_short) continue;
    counts += (counts.empty() ? "" : ", ") + std::to_string(point.procs);
    longest_s = std::max(longest_s, point.elapsed_s.value);
    for (const std::size_t r : point.runs)
      fewest = std::min(fewest, samples_of(experiment.runs[r]));
  }
  if (counts.empty()) return {};
  return {"the runs at P = " + counts + " are too short to say much (" + seconds(longest_s) +
          " at most, " + counted(fewest, "sample") +
          " at least): use a larger problem or more steps, so that each takes some seconds"};
}

std::vector<std::string> stalled_runs(const Experiment& experiment) {
  constexpr double kLeast_s = 0.1;
  constexpr double kLeastShare = 0.1;  // share of the run; a shorter time off the CPU is ignored
  std::vector<std::string> warnings;
  for (const ExperimentPoint& point : experiment.points) {
    std::vector<std::vector<double>> off;
    std::vector<double> all;
    for (const std::size_t r : point.runs) {
      off.push_back(off_cpu_s(experiment.runs[r]));
      all.insert(all.end(), off.back().begin(), off.back().end());
    }
    const double usual_s = median(all);
    for (std::size_t run = 0; run < off.size(); ++run) {
      const RunProfile& profile = experiment.runs[point.runs[run]];
      const auto longest = std::max_element(off[run].begin(), off[run].end());
      if (longest == off[run].end()) continue;
      const double beyond_s = *longest - usual_s;
      const auto rank = static_cast<std::size_t>(longest - off[run].begin());
      if (beyond_s < kLeast_s || beyond_s < kLeastShare * profile.times.wall_s.max() ||
          is_usual(off, run, rank))
        continue;
      warnings.push_back("P = " + std::to_string(profile.config.procs) + ", repetition " +
                         std::to_string(profile.config.repetition) + ": rank " +
                         std::to_string(rank) + " was off the CPU for " + seconds(*longest) +
                         " of " + seconds(profile.times.wall_s.max()) +
                         " outside MPI (usual: " + seconds(usual_s) +
                         "): unless it waits for files there, something stalled it; remove this "
                         "run's folder and make it again");
    }
  }
  return warnings;
}

}  // namespace apmt
