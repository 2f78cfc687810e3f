#include "fitter/runs/run_checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/listed.h"
#include "base/words.h"
#include "fitter/runs/point_words.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"
#include "profile/run_ending.h"

namespace apmt {
namespace {

/// How computation changes with the process count is judged only if the largest count is at least
/// this many times the smallest.
constexpr double kClearGrowth = 4;
/// Of the time; less computation, such as that of a virtual cluster which does not simulate any,
/// says nothing about the problem.
constexpr double kLeastComputation = 0.01;
constexpr double kHardlyLess = 0.9;  // a ratio of computation times above this counts as no fall

std::string at_count(int procs) { return "P = " + std::to_string(procs); }

/// "P = 2, 4, 8"
std::string at_counts(const auto& counts) {
  std::string text;
  for (const int count : counts) text += (text.empty() ? "" : ", ") + std::to_string(count);
  return "P = " + text;
}

std::string label(const Experiment& e, const RunProfile& run) {
  return at_point(e.points, run.config.procs, run.config.params) + ", repetition " +
         std::to_string(run.config.repetition);
}

/// How the recorded ranks ended. Ranks without a recording are ignored.
RunEnding ending_of_the_recorded(const RunProfile& run) {
  RunProfile recorded;
  recorded.health = run.health;
  recorded.config.procs = run.health.ranks_present;
  return ending_of(recorded);
}

std::string seconds(double s) {
  return s < 1 ? formatted("%.0f ms", 1e3 * s) : formatted("%.1f s", s);
}

std::uint64_t samples_of(const RunProfile& run) {
  std::uint64_t samples = 0;
  for (const KernelProfile& kernel : run.kernels)
    if (const Counter* cpu = cpu_counter(kernel)) samples += cpu->total_samples();
  return samples;
}

constexpr double kShortest_s = 0.1;     // starting a process takes a good part of this time
constexpr std::uint64_t kFewest = 100;  // a hundred samples have a relative error of a tenth

/// A simulated time does not show how long a run took.
bool is_over_at_once(const RunProfile& run, double elapsed_s) {
  return run.sampling.source != kImported && !run.config.is_virtual && elapsed_s < kShortest_s;
}

bool has_few_samples(const RunProfile& run) {
  if (run.sampling.source == kImported) return false;
  // A simulation without computation was not sampled and needs no samples.
  if (run.config.is_virtual && run.times.main_s.total() <= run.times.mpi_s.total()) return false;
  return run.sampling.source != "none" && samples_of(run) < kFewest;
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

void compare_machines(const Experiment& e, std::vector<std::string>* warnings) {
  std::set<std::string> models, libraries;
  std::set<int> threads;
  std::set<bool> is_virtual;
  for (const RunProfile& run : e.runs) {
    for (const HostInfo& host : run.hosts) models.insert(host.cpu_model);
    if (!run.mpi_library.empty()) libraries.insert(run.mpi_library);
    threads.insert(run.config.threads_per_rank);
    is_virtual.insert(run.config.is_virtual);
  }
  if (models.size() > 1)
    warnings->push_back("the runs were made on different processors (" + listed(models) +
                        "): their times are not comparable");
  if (libraries.size() > 1)
    warnings->push_back("the runs used different MPI libraries (" + listed(libraries) + ")");
  if (threads.size() > 1)
    warnings->push_back("the runs used different numbers of threads per rank, from " +
                        std::to_string(*threads.begin()) + " to " +
                        std::to_string(*threads.rbegin()));
  if (is_virtual.size() > 1)
    warnings->push_back(
        "some runs are from a simulated cluster and some are real: their times are not comparable");
}

/// "2 nodes, 8 processes on the fullest, 4 threads each, 2.4 GHz"
std::string layout_words(const RunConfig& c) {
  std::string text = counted(c.nodes, "node");
  if (c.nodes > 1)
    text += ", " + counted(most_on_a_node(c), "process", "processes") + " on the fullest";
  if (c.threads_per_rank > 1) text += ", " + counted(c.threads_per_rank, "thread") + " each";
  if (c.frequency_hz.value_or(0) > 0) text += formatted(", %.3g GHz", *c.frequency_hz / 1e9);
  return text;
}

void compare_layouts(const Experiment& e, std::vector<std::string>* warnings) {
  std::map<std::pair<int, std::map<std::string, double>>, std::vector<std::string>> layouts;
  for (const ExperimentPoint& p : e.points)
    layouts[{p.procs, p.params}].push_back(layout_words(e.runs[p.runs.front()].config));
  for (const auto& [at, its] : layouts)
    if (its.size() > 1)
      warnings->push_back("the runs at " + at_point(e.points, at.first, at.second) + " have " +
                          std::to_string(its.size()) + " layouts (" + listed(its, "; ") +
                          "): each is a point of its own, and the laws lie between them");
}

/// Warns of runs whose ranks or threads had to share CPUs, and of different frequencies. Threads of
/// OpenMP that wait for each other often keep the CPU busy, so even CPU times may then be too long.
void check_cpus(const Experiment& e, std::vector<std::string>* warnings) {
  std::set<double> frequencies_hz;
  std::set<int> with_many_ranks, with_many_threads;  // process counts
  for (const RunProfile& run : e.runs) {
    const RunConfig& c = run.config;
    if (c.frequency_hz.value_or(0) > 0) frequencies_hz.insert(*c.frequency_hz);
    if (c.oversubscribed) with_many_ranks.insert(c.procs);
    for (const HostInfo& host : run.hosts)
      if (!c.is_virtual && c.threads_per_rank > 1 && host.usable_cpus > 0 &&
          host.ranks * c.threads_per_rank > host.usable_cpus)
        with_many_threads.insert(c.procs);
  }
  if (!frequencies_hz.empty() && *frequencies_hz.rbegin() > 1.05 * *frequencies_hz.begin())
    warnings->push_back("the core frequency differed by " +
                        percent(*frequencies_hz.rbegin() / *frequencies_hz.begin() - 1) +
                        " between runs");
  if (!with_many_ranks.empty())
    warnings->push_back(
        "more ranks than CPUs at " + at_counts(with_many_ranks) +
        ": compute times are CPU times and remain valid (unless the program itself polls while it "
        "waits for others), as do calls and bytes; times in MPI, at the start and at the end mean "
        "nothing and are left out");
  if (!with_many_threads.empty())
    warnings->push_back(
        "more threads than CPUs at " + at_counts(with_many_threads) +
        ": threads may spin while they wait for each other, so compute times may be "
        "too long; give each thread a CPU (OMP_NUM_THREADS, the launcher's binding, or "
        "fewer processes)");
}

/// Warns of runs at one point whose programs had different arguments. (If sizes or the process
/// count are arguments, they differ only between points.)
void compare_arguments(const Experiment& e, std::vector<std::string>* warnings) {
  for (const ExperimentPoint& point : e.points) {
    std::set<std::string> commands;
    for (const std::size_t run : point.runs)
      if (!e.runs[run].command.empty()) commands.insert(e.runs[run].command);
    if (commands.size() < 2) continue;
    warnings->push_back("the runs at " + at_point(e.points, point.procs, point.params) +
                        " had different arguments, such as '" + *commands.begin() + "' and '" +
                        *commands.rbegin() + "'; they are taken as repetitions of one run");
    return;
  }
}

/// Warns of objects whose build-ids differ between runs.
void compare_builds(const Experiment& e, std::vector<std::string>* warnings) {
  std::map<std::string, std::set<std::string>> builds;
  for (const RunProfile& run : e.runs) {
    if (!run.build_id.empty()) builds[run.program].insert(run.build_id);
    for (const KernelProfile& k : run.kernels)
      if (!k.build_id.empty()) builds[k.id.object].insert(k.build_id);
  }
  std::erase_if(builds, [](const auto& ids) { return ids.second.size() < 2; });
  if (!builds.empty())
    warnings->push_back("not every run used the same build of " + listed(builds) +
                        " (build-ids differ); --same-program if this is intended");
}

void check_health(const Experiment& e, const RunProfile& run, std::vector<std::string>* warnings) {
  const auto add = [&](const std::string& what) {
    warnings->push_back(label(e, run) + ": " + what);
  };
  const Health& h = run.health;
  if (h.ranks_present < h.ranks_expected)
    add(counted(h.ranks_expected - h.ranks_present, "rank") +
        " left no recording; the others are taken to represent them");
  if (h.ranks_running > 0)
    add(counted(h.ranks_running, "rank was", "ranks were") +
        " still running when this was read; what came later is missing");
  if (const int ended = h.ranks_cut_off - h.ranks_running + h.ranks_aborted; ended > 0)
    add(counted(ended, "rank") + " ended abnormally; the last part is missing");
  if (h.table_drops > 0 || run.sampling.dropped > 0)
    add(counted(h.table_drops + run.sampling.dropped, "event") + " did not fit into the recording");
  for (const EventTotal& total : run.sampling.totals)
    if (total.lacks_samples())
      add("samples account for " + percent(total.sampled_share) + " of " + total.event +
          "; counts of functions are too low by the rest");
  if (const double wall_s = run.times.wall_s.max();
      h.before_init_s >= 0.1 && h.before_init_s > 0.05 * wall_s)
    add(percent(h.before_init_s / wall_s) +
        " of the run passed before MPI_Init was called and was not sampled");
  if (h.overhead_fraction > 0.05)
    add("profiling itself cost about " + percent(h.overhead_fraction) + " of the run");
}

void compare_repetitions(const Experiment& e, std::vector<std::string>* warnings) {
  for (const ExperimentPoint& p : e.points)
    if (p.elapsed_s.rel_sigma > 0.25)
      warnings->push_back("repetitions at " + at_point(e.points, p.procs, p.params) +
                          " vary widely (standard deviation " + percent(p.elapsed_s.rel_sigma) +
                          " of the median)");
}

/// Warns if the problem seems to grow with the processes although the runs state no size that does:
/// some programs take the problem size of one process as an argument.
void check_growth(const Experiment& e, std::vector<std::string>* warnings) {
  const ExperimentPoint& least = e.points.front();
  for (const ExperimentPoint& p : e.points)
    if (p.params != least.params || !p.parts.comp_s) return;
  const ExperimentPoint& most = *std::ranges::max_element(e.points, {}, &ExperimentPoint::procs);
  if (most.procs < kClearGrowth * least.procs ||
      most.parts.comp_s->value < kLeastComputation * most.elapsed_s.value ||
      most.parts.comp_s->value < kHardlyLess * least.parts.comp_s->value)
    return;
  warnings->push_back(
      "each process computes no less at " + at_count(most.procs) + " than at " +
      at_count(least.procs) +
      ", so the problem seems to grow with the processes, but the runs state no size that does; if "
      "it grows, speed-up and efficiency are wrong: make the runs with apmt run --scaling weak");
}

}  // namespace

std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs) {
  EndingHabit habit;
  for (const RunProfile& run : *runs) habit.see(ending_of_the_recorded(run));
  const auto cut_off = std::stable_partition(
      runs->begin(), runs->end(),
      [&](const RunProfile& run) { return habit.is_whole(ending_of_the_recorded(run)); });
  if (cut_off == runs->begin()) return {};
  std::vector<std::string> sentences;
  for (auto run = cut_off; run != runs->end(); ++run)
    sentences.push_back("the run with " + counted(run->config.procs, "process", "processes") +
                        ", repetition " + std::to_string(run->config.repetition) +
                        ", is left out: " + how_it_ended(*run));
  runs->erase(cut_off, runs->end());
  return sentences;
}

std::vector<std::string> short_runs(const Experiment& experiment) {
  const auto is_short = [&](const ExperimentPoint& point) {
    return std::ranges::all_of(point.runs, [&](std::size_t r) {
      const RunProfile& run = experiment.runs[r];
      return is_over_at_once(run, point.elapsed_s.value) || has_few_samples(run);
    });
  };
  double longest_s = 0;
  std::uint64_t fewest = UINT64_MAX;
  bool have_little_time = false, have_few_samples = false, are_real = false;
  for (const ExperimentPoint& point : experiment.points) {
    if (!is_short(point)) continue;
    longest_s = std::max(longest_s, point.elapsed_s.value);
    for (const std::size_t r : point.runs) {
      const RunProfile& run = experiment.runs[r];
      fewest = std::min(fewest, samples_of(run));
      have_little_time = have_little_time || is_over_at_once(run, point.elapsed_s.value);
      have_few_samples = have_few_samples || has_few_samples(run);
      are_real = are_real || !run.config.is_virtual;
    }
  }
  const std::string where = at_points(experiment.points, is_short);
  if (where.empty()) return {};
  const std::string few = "under " + counted(kFewest, "sample");
  std::string limits = have_little_time ? "under " + seconds(kShortest_s) : few;
  if (have_little_time && have_few_samples) limits += " or " + few;
  return {"the runs at " + where + " are too short to say much (" + limits + ": " +
          (are_real ? seconds(longest_s) + " at most, " : "") + counted(fewest, "sample") +
          " at least): use a larger problem or more steps, so that " +
          (are_real ? "each takes some seconds" : "each has some hundreds of samples")};
}

std::vector<std::string> runs_with_created_threads(const Experiment& experiment) {
  const auto has_threads = [&](const ExperimentPoint& point) {
    return std::ranges::any_of(
        point.runs, [&](std::size_t r) { return experiment.runs[r].health.created_threads_s > 0; });
  };
  const std::string where = at_points(experiment.points, has_threads);
  if (where.empty()) return {};
  return {"in the runs at " + where +
          ", the ranks created threads (OpenMP?), which virtual clusters do not simulate, so times "
          "of computation are wrong: make these runs again with one thread per rank "
          "(OMP_NUM_THREADS=1 apmt run --force ...)"};
}

std::vector<std::string> runs_off_cpu(const Experiment& experiment) {
  constexpr double kLeast_s = 0.1;
  constexpr double kLeastShare = 0.25;  // of the time
  std::set<int> counts;
  double most = 0;
  for (const ExperimentPoint& point : experiment.points) {
    const double off_s = point.parts.off_cpu_s ? point.parts.off_cpu_s->value : 0;
    if (off_s < std::max(kLeast_s, kLeastShare * point.elapsed_s.value)) continue;
    counts.insert(point.procs);
    most = std::max(most, off_s / point.elapsed_s.value);
  }
  if (counts.empty()) return {};
  return {"in the runs at " + at_counts(counts) +
          ", the processes were off the CPU outside MPI for up to " +
          formatted("%.0f", 100 * most) +
          " % of the time: other programs used their CPUs, or they waited for files or slept. If "
          "other programs ran, repeat these runs on an idle machine"};
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
      warnings.push_back(label(experiment, profile) + ": rank " + std::to_string(rank) +
                         " was off the CPU for " + seconds(*longest) + " of " +
                         seconds(profile.times.wall_s.max()) +
                         " outside MPI (usual: " + seconds(usual_s) +
                         "): unless it waits for files there, something stalled it; remove this "
                         "run's folder and make it again");
    }
  }
  return warnings;
}

std::vector<std::string> comparability_warnings(const Experiment& e,
                                                const ExperimentOptions& options) {
  std::vector<std::string> warnings;
  compare_machines(e, &warnings);
  compare_layouts(e, &warnings);
  check_cpus(e, &warnings);
  if (!options.same_program) {
    compare_builds(e, &warnings);
    compare_arguments(e, &warnings);
  }
  for (const RunProfile& run : e.runs) check_health(e, run, &warnings);
  compare_repetitions(e, &warnings);
  check_growth(e, &warnings);
  for (const auto& more :
       {runs_with_created_threads(e), short_runs(e), runs_off_cpu(e), stalled_runs(e)})
    warnings.insert(warnings.end(), more.begin(), more.end());
  return warnings;
}

}  // namespace apmt
