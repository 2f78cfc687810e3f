#include "tests/pmu/recordings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiler/reader/fold.h"

namespace apmt::pmu {
namespace {

namespace fs = std::filesystem;

fs::path results(const std::string& boot) {
  return fs::path(results_folder()) / (boot + ".out") / "results";
}

}  // namespace

std::string results_folder() {
  const char* folder = std::getenv("APMT_PMU_RESULTS");
  return folder == nullptr ? "" : folder;
}

std::vector<RawRecording> recordings(const std::string& boot, const std::string& name) {
  std::vector<RawRecording> found;
  const fs::path folder = results(boot) / name;
  if (!fs::exists(folder)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".apmt") found.push_back(read_recording(entry.path()));
  std::sort(found.begin(), found.end(), [](const RawRecording& a, const RawRecording& b) {
    return a.header.world_rank < b.header.world_rank;
  });
  return found;
}

RunProfile profile(const std::string& boot, const std::string& name) {
  return fold(recordings(boot, name));
}

std::string output(const std::string& boot, const std::string& name) {
  std::ifstream file(results(boot) / (name + ".txt"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Json doctor(const std::string& boot, const std::string& name) {
  return read_json_file(results(boot) / (name + ".json"), "apmt-doctor", 1);
}

KernelProfile kernel(const RunProfile& profile, const std::string& name) {
  for (const KernelProfile& k : profile.kernels)
    if (k.name == name) return k;
  return {};
}

double total(const KernelProfile& kernel, const std::string& metric) {
  const auto it = kernel.counters.find(metric);
  return it == kernel.counters.end() ? -1 : it->second.total();
}

std::uint64_t samples(const KernelProfile& kernel, const std::string& metric) {
  const auto it = kernel.counters.find(metric);
  return it == kernel.counters.end() ? 0 : it->second.total_samples();
}

bool has_note(const RunProfile& profile, const std::vector<std::string>& parts) {
  return std::any_of(profile.health.notes.begin(), profile.health.notes.end(),
                     [&](const std::string& note) {
                       return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
                         return note.find(part) != std::string::npos;
                       });
                     });
}

}  // namespace apmt::pmu
