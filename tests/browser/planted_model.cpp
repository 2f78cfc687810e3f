// Writes a model in which every what-if has an effect, for tests that compare the sliders of the
// HTML report with `apmt predict`. The time of point-to-point messages is noisy, but the numbers of
// messages and bytes grow differently, so the fit can separate latency from bandwidth. The same
// holds for MPI_Alltoall, but the time of MPI_Allreduce can be divided into latency and bandwidth
// only with a machine profile; each of these two operations has a law of its own. Kernel `sweep`
// has stalled cycles and calls MPI_Allreduce; kernel `pack` has no stalled cycles and makes the
// other calls. Process 0 has more to do in `pack`, so the others wait for it. Instructions and
// memory accesses are counted for both kernels. Usage: planted_model MODEL.json
#include <cmath>

#include "fitter/model/model.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace {

using apmt::synthetic::PlantedRun;

double noise_of(int repetition) { return 1 + 0.02 * (repetition - 2); }
double allreduce_s(int procs) { return 1e-5 * 2e4 * std::log2(procs); }
double alltoall_s(int procs, int repetition) {
  return (5e-6 * 100 * (procs - 1) + 4.0 / procs) / noise_of(repetition);
}

PlantedRun planted_run(int procs, int repetition) {
  const double noise = noise_of(repetition);
  PlantedRun run;
  run.cpus = 64;
  run.procs = procs;
  run.repetition = repetition;
  run.params = {{"n", 512}};
  run.kernel_s = {{"sweep", 64.0 / procs * noise}, {"pack", (0.05 + 8.0 / procs) / noise}};
  const double messages = 4e5 * procs;
  const double bytes = 4e9 * std::sqrt(procs);
  const double calls = 2e4 * procs;
  run.ops = {{"MPI_Isend", "p2p", messages, bytes},
             {"MPI_Allreduce", "collective", calls, 8192 * calls},
             {"MPI_Alltoall", "collective", 100.0 * procs, 4e9}};
  run.p2p_s = (4e-6 * messages + 2e-9 * bytes) / procs * noise;
  run.coll_s = allreduce_s(procs) + alltoall_s(procs, repetition);
  run.others_s = 0.25 * noise;
  run.sample_s = 0.001;
  return run;
}

void count(apmt::KernelProfile* kernel, const std::map<std::string, double>& per_second) {
  for (const auto& [metric, rate] : per_second) {
    apmt::Counter& counter = kernel->counters[metric];
    counter.unit_per_sample = 1000;
    for (const std::uint64_t samples : kernel->counters["cpu_s"].samples)
      counter.samples.push_back(static_cast<std::uint64_t>(
          std::llround(static_cast<double>(samples) * 1e-3 * rate / 1000)));
  }
}

/// Larger simulated caches foresee that the kernel's data begin to fit beyond 64 processes; at 64,
/// they do not fit yet.
void foresee(apmt::KernelProfile* kernel, int procs) {
  for (const char* metric : {"instructions", "acc_mm"})
    kernel->counters[metric].provenance = apmt::Provenance::kSimulated;
  const double accesses = kernel->counters["acc_mm"].total();
  if (procs == 16) kernel->larger_caches = {{4, {{"acc_mm", accesses}}}};
  if (procs == 64)
    kernel->larger_caches = {{4, {{"acc_mm", 0.2 * accesses}}},
                             {16, {{"acc_mm", 0.01 * accesses}}}};
}

/// Sets, for a row of the MPI table, the kernel that makes the calls, and the calls' time per rank.
void call_from(apmt::RunProfile* run, std::size_t row, const char* caller, double rank_s) {
  run->mpi[row].caller = caller;
  run->mpi[row].time_s = rank_s * run->config.procs;
}

/// Process 0 works alone in kernel `pack` while the others wait for it in MPI_Allreduce.
void wait_for_first(double seconds, apmt::RunProfile* run) {
  apmt::RankTimes& t = run->times;
  const std::size_t ranks = t.main_s.per_rank.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    for (apmt::Column* column : {&t.main_s, &t.main_cpu_s, &t.wall_s})
      column->per_rank[r] += seconds;
    for (apmt::Column* column : {&t.mpi_s, &t.mpi_coll_s})
      if (r > 0) column->per_rank[r] += seconds;
  }
  t.sampled_cpu_s.per_rank[0] += seconds;
  for (apmt::KernelProfile& kernel : run->kernels)
    if (kernel.name == "pack")
      kernel.counters["cpu_s"].samples[0] +=
          static_cast<std::uint64_t>(std::llround(1e3 * seconds));
  const double others = static_cast<double>(ranks - 1);
  run->communication.coll_wait_s = seconds * others / static_cast<double>(ranks);
  run->communication.coll_wait_coverage = 1;
  run->mpi[1].time_s += seconds * others;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<apmt::RunProfile> runs;
  for (const int procs : {4, 16, 64})
    for (int repetition = 1; repetition <= 3; ++repetition) {
      runs.push_back(apmt::synthetic::profile(planted_run(procs, repetition)));
      runs.back().grade = apmt::Grade::kA;
      call_from(&runs.back(), 0, "pack", planted_run(procs, repetition).p2p_s);
      call_from(&runs.back(), 1, "sweep", allreduce_s(procs));
      call_from(&runs.back(), 2, "pack", alltoall_s(procs, repetition));
      wait_for_first(0.4 * noise_of(repetition), &runs.back());
      runs.back().config.frequency_hz = 2e9;
      for (apmt::KernelProfile& kernel : runs.back().kernels) {
        const bool is_sweep = kernel.name == "sweep";
        if (is_sweep) count(&kernel, {{"cycles", 2e9}, {"stall", 0.3 * 2e9}});
        count(&kernel, {{"instructions", 1.4e9}, {"acc_mm", is_sweep ? 4e7 : 3e6}});
        if (!is_sweep) foresee(&kernel, procs);
      }
    }
  apmt::FitOptions options = apmt::synthetic::fit_options();
  options.memory.source = "a planted machine";
  options.memory.bandwidth = {{1, 1e10}, {64, 1e11}};  // shared by the cores of a node
  options.network.in_node.pieces = {{0, 4e-6, 2e-9, 0}};
  apmt::write_model(apmt::fit(apmt::make_experiment(runs), options), argv[1]);
  return 0;
}
