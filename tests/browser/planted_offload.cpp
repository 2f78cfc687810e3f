// Writes the runs of a planted program, two of which have analyses of its kernels, for the page of
// `apmt offload`. Usage: planted_offload FOLDER
#include <filesystem>

#include "tests/unit/offload/planted.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const apmt::Experiment experiment = apmt::devices::testing::planted_experiment();
  const auto folder_of = [&](int procs) {
    return std::filesystem::path(argv[1]) / ("apmt-planted.p" + std::to_string(procs) + ".r1");
  };
  for (const apmt::RunProfile& run : experiment.runs) {
    std::filesystem::create_directories(folder_of(run.config.procs));
    apmt::write_run_profile(run, folder_of(run.config.procs) / "profile.json");
  }
  for (const apmt::AnalysedSize& a : experiment.analyses)
    apmt::kernels::write_analysis(a.analysis, folder_of(a.procs) / "analysis.json");
  return 0;
}
