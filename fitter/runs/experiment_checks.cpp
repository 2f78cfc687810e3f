#include "fitter/runs/experiment_checks.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "fitter/runs/layout.h"
#include "fitter/runs/run_checks.h"

namespace apmt {
namespace {

/// How computation changes with the process count is judged only if the largest count is at least
/// this many times the smallest.
constexpr double kClearGrowth = 4;
constexpr double kHardlyLess = 0.9;  // a ratio of computation times above this counts as no fall

std::string label(const RunProfile& run) {
  return "P = " + std::to_string(run.config.procs) + ", repetition " +
         std::to_string(run.config.repetition);
}

/// Objects whose build-ids differ between runs.
std::set<std::string> rebuilt_objects(const std::vector<RunProfile>& runs) {
  std::map<std::string, std::set<std::string>> builds;
  for (const RunProfile& run : runs) {
    if (!run.build_id.empty()) builds[run.program].insert(run.build_id);
    for (const KernelProfile& k : run.kernels)
      if (!k.build_id.empty()) builds[k.id.object].insert(k.build_id);
  }
  std::set<std::string> rebuilt;
  for (const auto& [object, ids] : builds)
    if (ids.size() > 1) rebuilt.insert(object);
  return rebuilt;
}

class Warnings {
 public:
  explicit Warnings(const Experiment& e) : e_(e) {}

  void machines() {
    std::set<std::string> models;
    std::set<std::string> libraries;
    std::set<int> threads;
    bool any_virtual = false;
    bool any_real = false;
    for (const RunProfile& run : e_.runs) {
      for (const HostInfo& host : run.hosts) models.insert(host.cpu_model);
      if (!run.mpi_library.empty()) libraries.insert(run.mpi_library);
      threads.insert(run.config.threads_per_rank);
      (run.config.is_virtual ? any_virtual : any_real) = true;
    }
    if (models.size() > 1)
      add("the runs were made on different processors (" + listed(models) +
          "): their times are not comparable");
    if (libraries.size() > 1)
      add("the runs used different MPI libraries (" + listed(libraries) + ")");
    if (threads.size() > 1)
      add("the runs used different numbers of threads per rank, from " +
          std::to_string(*threads.begin()) + " to " + std::to_string(*threads.rbegin()));
    if (any_virtual && any_real)
      add("some runs are from a simulated cluster and some are real: their times are not "
          "comparable");
  }

  void layouts() {
    for (std::size_t first = 0, last = 0; first < e_.points.size(); first = last) {
      const ExperimentPoint& point = e_.points[first];
      std::string all;
      for (last = first; last < e_.points.size() && e_.points[last].procs == point.procs &&
                         e_.points[last].params == point.params;
           ++last)
        all += (last > first ? "; " : "") +
               words(layout_of(e_.runs[e_.points[last].runs.front()].config));
      if (last - first > 1)
        add("the runs at P = " + std::to_string(point.procs) + " have " +
            std::to_string(last - first) + " layouts (" + all +
            "): each is a point of its own, and the laws lie between them");
    }
  }

  void frequencies() {
    double low = 0;
    double high = 0;
    for (const RunProfile& run : e_.runs) {
      if (!run.config.frequency_hz || *run.config.frequency_hz <= 0) continue;
      const double f = *run.config.frequency_hz;
      low = low == 0 ? f : std::min(low, f);
      high = std::max(high, f);
    }
    if (high > 1.05 * low)
      add("the core frequency differed by " + percent(high / low - 1) + " between runs");
  }

  void oversubscription() {
    std::string counts;
    std::size_t over = 0;
    for (const ExperimentPoint& p : e_.points)
      if (p.oversubscribed) {
        ++over;
        counts += (counts.empty() ? "" : ", ") + std::to_string(p.procs);
      }
    if (over == 0) return;
    add("more ranks than CPUs at P = " + counts +
        ": compute times are CPU times and remain valid, as do calls and bytes; times in MPI, at "
        "the start and at the end mean nothing and are left out");
  }

  void builds(const ExperimentOptions& options) {
    if (options.same_program) return;
    const std::set<std::string> rebuilt = rebuilt_objects(e_.runs);
    if (!rebuilt.empty())
      add("not every run used the same build of " + listed(rebuilt) +
          " (build-ids differ); --same-program if this is intended");
  }

  void health() {
    for (const RunProfile& run : e_.runs) {
      const Health& h = run.health;
      if (h.ranks_present < h.ranks_expected)
        add(label(run) + ": " + counted(h.ranks_expected - h.ranks_present, "rank") +
            " left no recording; the others are taken to represent them");
      if (h.ranks_cut_off > 0 || h.ranks_aborted > 0)
        add(label(run) + ": " + counted(h.ranks_cut_off + h.ranks_aborted, "rank") +
            " ended abnormally; the last part is missing");
      if (h.table_drops > 0 || run.sampling.dropped > 0)
        add(label(run) + ": " + counted(h.table_drops + run.sampling.dropped, "event") +
            " did not fit into the recording");
      for (const EventTotal& total : run.sampling.totals)
        if (total.lacks_samples())
          add(label(run) + ": samples account for " + percent(total.sampled_share) + " of " +
              total.event + "; counts of functions are too low by the rest");
      if (const double wall_s = run.times.wall_s.max();
          h.before_init_s >= 0.1 && h.before_init_s > 0.05 * wall_s)
        add(label(run) + ": " + percent(h.before_init_s / wall_s) +
            " of the run passed before MPI_Init was called and was not sampled");
      if (h.overhead_fraction > 0.05)
        add(label(run) + ": profiling itself cost about " + percent(h.overhead_fraction) +
            " of the run");
    }
  }

  void repetitions() {
    for (const ExperimentPoint& p : e_.points)
      if (p.elapsed_s.rel_sigma > 0.25)
        add("repetitions at P = " + std::to_string(p.procs) + " vary widely (standard deviation " +
            percent(p.elapsed_s.rel_sigma) + " of the median)");
  }

  std::vector<std::string> take() { return std::move(list_); }

  /// Warns if the problem seems to grow with the processes although the runs state no size that
  /// grows. Some programs take the problem size of one process as an argument: then all runs have
  /// the same arguments, but not the same problem.
  void growing_problem() {
    if (e_.points.empty()) return;
    const ExperimentPoint* least = &e_.points.front();
    const ExperimentPoint* most = least;
    for (const ExperimentPoint& p : e_.points) {
      if (p.params != least->params || !p.parts.comp_s) return;
      if (p.procs < least->procs) least = &p;
      if (p.procs > most->procs) most = &p;
    }
    const double before_s = least->parts.comp_s->value;
    const double after_s = most->parts.comp_s->value;
    if (most->procs < kClearGrowth * least->procs || after_s < kHardlyLess * before_s) return;
    add("each process computes no less at P = " + std::to_string(most->procs) +
        " than at P = " + std::to_string(least->procs) +
        ", so the problem seems to grow with the processes, but the runs state no size that does; "
        "if it grows, speed-up and efficiency are wrong: make the runs with apmt run "
        "--scaling weak");
  }

 private:
  void add(std::string sentence) { list_.push_back(std::move(sentence)); }

  const Experiment& e_;
  std::vector<std::string> list_;
};

}  // namespace

void check_one_program(const std::vector<RunProfile>& runs) {
  for (const RunProfile& run : runs)
    if (run.program != runs.front().program)
      throw InputError(
          "",
          "the runs are of different programs ('" + runs.front().program + "' and '" + run.program +
              "')",
          "keep each program's runs in a folder of their own, or, when they are builds of one "
          "program, add --same-program");
}

std::vector<std::string> comparability_warnings(const Experiment& experiment,
                                                const ExperimentOptions& options) {
  Warnings warnings(experiment);
  warnings.machines();
  warnings.layouts();
  warnings.frequencies();
  warnings.oversubscription();
  warnings.builds(options);
  warnings.health();
  warnings.repetitions();
  warnings.growing_problem();
  std::vector<std::string> list = warnings.take();
  for (const auto& more : {short_runs(experiment), stalled_runs(experiment)})
    list.insert(list.end(), more.begin(), more.end());
  return list;
}

}  // namespace apmt
