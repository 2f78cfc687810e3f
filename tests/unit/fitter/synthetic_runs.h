// Profiles of programs that never ran (PlantedRun): the test sets every time and count.
#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fitter/fit/fit.h"
#include "fitter/model/model.h"
#include "tests/paths.h"

namespace apmt::synthetic {

struct Op {
  std::string op;
  std::string op_class;
  double calls = 0;  // all ranks
  double bytes = 0;  // sent, all ranks
};

struct PlantedRun {
  int procs = 2;
  std::map<std::string, double> params;
  int repetition = 1;
  std::map<std::string, double> kernel_s;  // by function, seconds per rank
  double p2p_s = 0;                        // per rank
  double coll_s = 0;
  double other_s = 0;
  double off_cpu_s = 0;
  double others_s = 0.1;
  std::vector<Op> ops;
  bool oversubscribed = false;
  int cpus = 0;            // of the only node; 0: not known
  double sample_s = 1e-9;  // seconds per sample: small means noise-free
};

inline RunProfile profile(const PlantedRun& run) {
  RunProfile p;
  p.program = "planted";
  p.config.procs = run.procs;
  p.config.params = run.params;
  p.config.repetition = run.repetition;
  p.config.max_ranks_per_node = run.procs;
  p.config.oversubscribed = run.oversubscribed;
  p.hosts = {{"node", "planted CPU", run.cpus, run.procs}};
  const std::size_t n = static_cast<std::size_t>(run.procs);
  p.host_of_rank.assign(n, 0);
  double comp_s = 0;
  for (const auto& [name, seconds] : run.kernel_s) {
    KernelProfile k;
    k.id = {"planted", name, "planted.cpp"};
    k.name = name;
    Counter& c = k.counters["cpu_s"];
    c.unit_per_sample = run.sample_s;
    c.samples.assign(n, static_cast<std::uint64_t>(std::llround(seconds / run.sample_s)));
    comp_s += c.total() / run.procs;
    p.kernels.push_back(k);
  }
  const double mpi_s = run.p2p_s + run.coll_s + run.other_s;
  const double main_s = comp_s + mpi_s + run.off_cpu_s;
  RankTimes& t = p.times;
  t.main_s.per_rank.assign(n, main_s);
  t.mpi_s.per_rank.assign(n, mpi_s);
  t.mpi_p2p_s.per_rank.assign(n, run.p2p_s);
  t.mpi_coll_s.per_rank.assign(n, run.coll_s);
  t.mpi_other_s.per_rank.assign(n, run.other_s);
  t.init_s.per_rank.assign(n, run.others_s / 2);
  t.finalize_s.per_rank.assign(n, run.others_s / 2);
  t.wall_s.per_rank.assign(n, main_s + run.others_s);
  t.main_cpu_s.per_rank.assign(n, main_s - run.off_cpu_s);
  t.sampled_cpu_s.per_rank.assign(n, comp_s);
  p.sampling = {"task-clock", "planted", run.sample_s, 0, 0};
  for (const Op& op : run.ops)
    p.mpi.push_back({op.op, op.op_class, run.procs, 0, "none", "",
                     static_cast<std::uint64_t>(std::llround(op.calls)),
                     static_cast<std::uint64_t>(std::llround(op.bytes)), 0, 0, 0, 0, 0});
  p.health.ranks_expected = p.health.ranks_present = run.procs;
  return p;
}

inline std::vector<RunProfile> profiles(const std::vector<PlantedRun>& runs) {
  std::vector<RunProfile> list;
  for (const PlantedRun& run : runs) list.push_back(profile(run));
  return list;
}

inline FitOptions fit_options() {
  FitOptions options;
  options.configs = std::filesystem::path(source_dir()) / "configs";
  return options;
}

inline Model fit_runs(const std::vector<PlantedRun>& runs,
                      const FitOptions& options = fit_options()) {
  return fit(make_experiment(profiles(runs)), options);
}

/// A program with halo exchange on a grid of n x n, which is cut into a strip for each process.
/// Strong scaling, without noise; messages take 2 us of latency and 1 ns per byte.
inline PlantedRun halo_run(int procs, int repetition = 1, double n = 1024) {
  PlantedRun run;
  run.procs = procs;
  run.repetition = repetition;
  run.params = {{"n", n}};
  run.kernel_s = {{"sweep", 40 * n * n / (1024 * 1024) / procs}, {"serial", 0.2}};
  const double iterations = 100;
  run.ops = {
      {"MPI_Isend", "p2p", iterations * 2 * (procs - 1), iterations * 2 * (procs - 1) * 8 * n},
      {"MPI_Allreduce", "collective", iterations * procs, iterations * procs * 8}};
  run.p2p_s = 2e-6 * run.ops[0].calls / procs + 1e-9 * run.ops[0].bytes / procs;
  run.coll_s = 5e-5 * iterations * std::log2(procs);
  run.others_s = 0.25;
  return run;
}

}  // namespace apmt::synthetic
