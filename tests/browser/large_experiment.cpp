// Writes an experiment with a thousand kernels and up to 1,024 ranks, each of which sends to up to
// 26 neighbours. Tests check that its HTML report is small and fast. Usage: large_experiment FOLDER
#include <cmath>
#include <filesystem>
#include <string>

#include "tests/unit/fitter/synthetic_runs.h"

namespace {

constexpr int kKernels = 1000;

apmt::synthetic::PlantedRun run_with(int procs, int repetition) {
  apmt::synthetic::PlantedRun run;
  run.cpus = 64;
  run.procs = procs;
  run.repetition = repetition;
  run.sample_s = 1e-6;
  for (int i = 0; i < kKernels; ++i) {
    const std::string name = "application::solver::Kernel<double, 3>::apply_" + std::to_string(i) +
                             "(application::Field<double> const&)";
    const double noise = 1 + 0.01 * ((i + 2 * repetition) % 5 - 2);
    run.kernel_s[name] = noise * (1 + i % 7) / procs;
  }
  const double messages = 5200.0 * procs;
  run.ops = {{"MPI_Isend", "p2p", messages, 65536 * messages},
             {"MPI_Allreduce", "collective", 200.0 * procs, 1600.0 * procs}};
  run.p2p_s = 0.4;
  run.coll_s = 0.02 * std::log2(procs);
  return run;
}

void add_neighbours(apmt::RunProfile* profile) {
  const int procs = profile->config.procs;
  for (int from = 0; from < procs; ++from)
    for (const int x : {-1, 0, 1})
      for (const int y : {-8, 0, 8})
        for (const int z : {-64, 0, 64}) {
          const int to = from + x + y + z;
          if (to == from || to < 0 || to >= procs) continue;
          profile->peers.push_back({from, to, 200, 200ull * (x != 0 ? 1024 : 65536)});
        }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const int procs : {64, 256, 1024})
    for (const int repetition : {1, 2}) {
      apmt::RunProfile profile = apmt::synthetic::profile(run_with(procs, repetition));
      add_neighbours(&profile);
      const std::filesystem::path folder =
          std::filesystem::path(argv[1]) /
          ("apmt-planted.p" + std::to_string(procs) + ".r" + std::to_string(repetition));
      std::filesystem::create_directories(folder);
      apmt::write_run_profile(profile, folder / "profile.json");
    }
  return 0;
}
