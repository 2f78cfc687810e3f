// Writes runs of a planted program as apmt record would: planted_runs FOLDER PROCS,... [NAME
// [VERSION [REPETITION [SWEEP [DAY]]]]]. The kernel sweep takes SWEEP times as long as planted; the
// runs started on this DAY (01 to 31) of a month.
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/unit/fitter/synthetic_runs.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string name = argc > 3 ? argv[3] : "planted";
  const std::string version = argc > 4 ? argv[4] : "v1";
  const int repetition = argc > 5 ? std::stoi(argv[5]) : 1;
  const double sweep = argc > 6 ? std::stod(argv[6]) : 1;
  const std::string day = argc > 7 ? argv[7] : "02";
  std::istringstream counts(argv[2]);
  for (std::string count; std::getline(counts, count, ',');) {
    apmt::synthetic::PlantedRun planted = apmt::synthetic::halo_run(std::stoi(count), repetition);
    // Repetitions differ by a percent, or they would be the same run.
    for (auto& [function, seconds] : planted.kernel_s) seconds *= 1 + 0.01 * (repetition - 1);
    planted.kernel_s.at("sweep") *= sweep;
    apmt::RunProfile run = apmt::synthetic::profile(planted);
    apmt::give_name(name, &run);
    run.environment["APMT_VERSION"] = version;
    run.started_at = "2026-01-" + day + "T03:04:05Z";
    const std::filesystem::path folder =
        std::filesystem::path(argv[1]) /
        ("apmt-planted.p" + count + ".r" + std::to_string(repetition));
    std::filesystem::create_directories(folder);
    apmt::write_run_profile(run, folder / "profile.json");
  }
  return 0;
}
