#include "campaign/run_directory.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/input_error.h"
#include "campaign/join_programs.h"
#include "campaign/stage.h"
#include "profiler/reader/fold.h"
#include "profiler/reader/run_ending.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunningPrefix = "running-";

bool is_recording_name(const fs::path& path) {
  return path.extension() == ".apmt" && path.filename().string().starts_with("rank-");
}

std::vector<RawRecording> read_ranks(const fs::path& dir, const OnProgress& on_progress) {
  const std::vector<fs::path> files = recordings_in(dir);
  if (files.empty())
    throw InputError(dir.string(), "no recording (rank-*.apmt) in it", {},
                     ExitCode::kNotEnoughData);
  std::vector<RawRecording> ranks;
  for (const fs::path& file : files) {
    ranks.push_back(read_recording(file));
    if (on_progress) on_progress(ranks.size(), files.size());
  }
  return ranks;
}

/// A number as it stands in a directory's name: 1000, 0.5, 1e+06 never.
std::string number_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.12g", value);
  if (std::strchr(text, 'e') != nullptr) std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

/// Whether the process of a recording may still be writing it.
bool may_be_alive(const RawRecording& raw) {
  if (raw.header.ending != format::Ending::kOpen) return false;
  if (raw.first("host") != this_host()) return true;
  // A number alone proves nothing: it may be another process by now, or one whose end nobody has
  // asked for.
  std::error_code error;
  const fs::path exe = fs::read_symlink("/proc/" + std::to_string(raw.header.pid) + "/exe", error);
  if (error) return error == std::errc::permission_denied;
  return exe == raw.first("exe") || exe == raw.first("exe") + " (deleted)";
}

/// Runs that another takes the place of: hidden at once, removed when it is there.
class Replaced {
 public:
  Replaced(const std::vector<fs::path>& runs, const RunProfile& by) {
    for (const fs::path& run : runs) {
      if (!fs::exists(run / "profile.json")) continue;  // replaced already
      const RunConfig old = read_run_profile(run / "profile.json").config;
      if (old.procs != by.config.procs || old.params != by.config.params) continue;
      const fs::path place = run.parent_path() / (".replaced-" + run.filename().string());
      fs::remove_all(place);
      fs::rename(run, place);
      hidden_.push_back(place);
    }
  }
  ~Replaced() {
    std::error_code ignored;
    for (const fs::path& place : hidden_) fs::remove_all(place, ignored);
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  std::vector<fs::path> hidden_;
};

bool is_complete(const RunProfile& profile) {
  return profile.health.ranks_present == profile.health.ranks_expected &&
         ending_of(profile) != RunEnding::kCutOff;
}

/// Gives the recordings of a merged directory their final names.
void name_ranks(const std::vector<std::pair<fs::path, int>>& rank_of_file) {
  for (const auto& [file, rank] : rank_of_file) {
    char name[32];
    std::snprintf(name, sizeof name, "rank-%05d.apmt", rank);
    fs::rename(file, file.parent_path() / name);
  }
}

}  // namespace

std::vector<fs::path> recordings_in(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (is_recording_name(entry.path()) && was_begun(entry.path())) files.push_back(entry.path());
  if (error) throw InputError(dir.string(), "cannot list: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

std::string this_host() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "";
}

std::string run_name(const RunProfile& profile) {
  std::string name = "apmt-" + profile.program + ".p" + std::to_string(profile.config.procs);
  for (const auto& [param, value] : profile.config.params) name += "." + param + number_text(value);
  return name + ".r" + std::to_string(profile.config.repetition);
}

RunProfile fold_directory(const fs::path& dir, const OnProgress& on_progress) {
  return fold(read_ranks(dir, on_progress));
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

fs::path collect_run(const fs::path& running, const fs::path& experiment,
                     const OnProgress& on_progress, const std::vector<fs::path>& replaced) {
  std::vector<RawRecording> ranks = read_ranks(running, on_progress);
  std::vector<std::pair<fs::path, int>> rank_of_file;
  for (const RawRecording& raw : ranks)
    if (!is_left_out(raw, ranks)) rank_of_file.emplace_back(raw.file, raw.header.world_rank);
  RunProfile profile = fold(std::move(ranks));
  const Replaced making_room(is_complete(profile) ? replaced : std::vector<fs::path>{}, profile);
  constexpr int kMaxRepetitions = 100000;
  while (profile.config.repetition < kMaxRepetitions && fs::exists(experiment / run_name(profile)))
    profile.config.repetition += 1;
  write_run_profile(profile, running / "profile.json");
  name_ranks(rank_of_file);
  // Two collectors may race: rename onto an existing directory with content fails, try the next.
  for (;; profile.config.repetition += 1) {
    const fs::path target = experiment / run_name(profile);
    std::error_code error;
    fs::rename(running, target, error);
    if (!error) return target;
    if (!fs::exists(target) || profile.config.repetition >= kMaxRepetitions)
      throw InputError(running.string(),
                       "cannot rename to " + target.string() + ": " + error.message(), {},
                       ExitCode::kFailed);
    RunProfile next = profile;
    next.config.repetition += 1;
    write_run_profile(next, running / "profile.json");
  }
}

bool still_written(const fs::path& running) {
  try {
    const std::vector<RawRecording> ranks = read_ranks(running, {});
    return std::any_of(ranks.begin(), ranks.end(), may_be_alive);
  } catch (const InputError&) {
    return false;  // nothing readable was recorded there
  }
}

Collected collect_finished(const fs::path& experiment, const OnProgress& on_progress) {
  Collected collected;
  std::vector<fs::path> running;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment))
    if (entry.is_directory() && entry.path().filename().string().starts_with(kRunningPrefix))
      running.push_back(entry.path());
  std::sort(running.begin(), running.end());
  std::vector<fs::path> finished;
  for (const fs::path& dir : running) {
    if (still_written(dir))
      collected.left.push_back(dir.string() + ": not merged, it may still be running");
    else
      finished.push_back(dir);
  }
  for (const fs::path& dir : join_programs(finished)) {
    try {
      collected.runs.push_back(collect_run(dir, experiment, on_progress));
    } catch (const InputError& error) {
      collected.left.push_back(std::string("not merged: ") + error.what() +
                               (error.hint().empty() ? "" : "; " + error.hint()));
    }
  }
  return collected;
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
         fs::exists(entry.path() / "profile.json", ignored)))
      return PathKind::kExperiment;
  }
  return PathKind::kOther;
}

namespace {

/// Whether all that is there is of commands that failed, which nobody means by "the newest".
bool is_all_failed(const fs::path& experiment) {
  const std::vector<fs::path> runs = run_directories(experiment);
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), [](const fs::path& run) {
    return fs::exists(run / LaunchNote::kFile) && read_launch_note(run).exit_code != 0;
  });
}

}  // namespace

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
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (!entry.is_directory() || kind_of(entry.path()) != PathKind::kExperiment ||
        is_other(entry.path()))
      continue;
    const fs::file_time_type time = fs::last_write_time(entry.path());
    const bool failed = is_all_failed(entry.path());
    if (newest.empty() || failed < newest_failed ||
        (failed == newest_failed && time > newest_time)) {
      newest = entry.path();
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
