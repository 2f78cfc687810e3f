#include "campaign/store/run_directory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/input_error.h"
#include "campaign/store/launch_note.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunningPrefix = "running-";

/// A number in the form used in a directory's name: 1000, 0.5, 1e-07; but never 1e+06.
std::string number_text(double value) {
  char text[400];  // enough for the largest number
  std::snprintf(text, sizeof text, "%.12g", value);
  if (std::strstr(text, "e+") != nullptr) std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

}  // namespace

bool is_recording_name(const fs::path& path) {
  return path.extension() == ".apmt" && path.filename().string().starts_with("rank-");
}

std::string run_name(const RunProfile& profile) {
  std::string name = "apmt-" + profile.program + ".p" + std::to_string(profile.config.procs);
  for (const auto& [param, value] : profile.config.params) name += "." + param + number_text(value);
  return name + ".r" + std::to_string(profile.config.repetition);
}

std::vector<fs::path> run_directories(const fs::path& experiment) {
  std::vector<fs::path> runs;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, ignored))
    if (entry.path().filename().string().starts_with("apmt-") &&
        fs::exists(entry.path() / "profile.json"))
      runs.push_back(entry.path());
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::vector<fs::path> running_directories(const fs::path& experiment) {
  std::vector<fs::path> running;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, ignored))
    if (entry.is_directory(ignored) && entry.path().filename().string().starts_with(kRunningPrefix))
      running.push_back(entry.path());
  std::sort(running.begin(), running.end());
  return running;
}

PathKind kind_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return PathKind::kNothing;
  if (!fs::is_directory(path, ignored)) {
    if (path.extension() == ".apmt") return PathKind::kRecording;
    return path.extension() == ".json"
               ? (path.filename() == "profile.json" ? PathKind::kRun : PathKind::kModel)
               : PathKind::kOther;
  }
  if (fs::exists(path / "profile.json", ignored)) return PathKind::kRun;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (is_recording_name(entry.path())) return PathKind::kRunning;
    if (entry.is_directory(ignored) &&
        (entry.path().filename().string().starts_with(kRunningPrefix) ||
         (!entry.path().filename().string().starts_with('.') &&
          fs::exists(entry.path() / "profile.json", ignored))))
      return PathKind::kExperiment;
  }
  return PathKind::kOther;
}

namespace {

/// Whether all runs of an experiment are of failed commands. Such an experiment is chosen as the
/// newest only if there is no other.
bool is_all_failed(const fs::path& experiment) {
  const std::vector<fs::path> runs = run_directories(experiment);
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), [](const fs::path& run) {
    return fs::exists(run / LaunchNote::kFile) && read_launch_note(run).exit_code != 0;
  });
}

}  // namespace

std::vector<fs::path> experiments_in(const fs::path& directory) {
  std::vector<fs::path> experiments;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.is_directory() && kind_of(entry.path()) == PathKind::kExperiment)
      experiments.push_back(entry.path());
  std::ranges::sort(experiments);
  return experiments;
}

fs::path newest_experiment(const fs::path& directory, const std::vector<fs::path>& others) {
  if (kind_of(directory) == PathKind::kExperiment) return directory;
  const auto is_other = [&](const fs::path& path) {
    return std::any_of(others.begin(), others.end(), [&](const fs::path& other) {
      std::error_code not_there;
      return fs::equivalent(path, other, not_there);
    });
  };
  fs::path newest;
  fs::file_time_type newest_time;
  bool newest_failed = false;
  for (const fs::path& experiment : experiments_in(directory)) {
    if (is_other(experiment)) continue;
    const fs::file_time_type time = fs::last_write_time(experiment);
    const bool failed = is_all_failed(experiment);
    if (newest.empty() || failed < newest_failed ||
        (failed == newest_failed && time > newest_time)) {
      newest = experiment;
      newest_time = time;
      newest_failed = failed;
    }
  }
  if (newest.empty())
    throw InputError(directory.string(), "no experiment in this directory",
                     "record runs first: apmt record mpirun -np 4 ./app", ExitCode::kNotEnoughData);
  return newest;
}

}  // namespace apmt
