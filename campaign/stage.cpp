#include "campaign/stage.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/input_error.h"
#include "campaign/store/collect.h"
#include "campaign/store/run_directory.h"
#include "campaign/store/unmerged.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = ".campaign-";
const std::string kRunning = "running-";

FolderLock lock_or_refuse(const fs::path& dir) {
  constexpr int kPatience_s = 5;
  if (auto lock = FolderLock::take_patiently(dir, kPatience_s)) return std::move(*lock);
  throw InputError(dir.string(), "another apmt run is at work on the same process counts",
                   "wait until it has ended, or give this one another --dir", ExitCode::kFailed);
}

/// Writes this host's name into the lock file. On some file systems a host sees only its own locks,
/// so a lock of another host would go unnoticed. If another host's name is in the file,
/// salvage_abandoned() therefore leaves the folder alone.
void sign(int lock) {
  const std::string host = this_host();
  if (::ftruncate(lock, 0) == 0) (void)!::pwrite(lock, host.data(), host.size(), 0);
}
bool is_signed_elsewhere(const fs::path& dir) {
  std::ifstream in(dir / FolderLock::kFile);
  std::string host;
  return std::getline(in, host) && !host.empty() && host != this_host();
}

}  // namespace

Stage::Stage(fs::path experiment, const std::string& name)
    : experiment_(std::move(experiment)),
      dir_(experiment_ / (kPrefix + name)),
      lock_(lock_or_refuse(dir_)) {
  sign(lock_.fd());
}

Stage::~Stage() {
  std::error_code ignored;
  if (running_directories(dir_).empty()) fs::remove_all(dir_, ignored);
}

fs::path Stage::running(const std::string& run_id) const { return dir_ / (kRunning + run_id); }

void Stage::salvage() {
  for (const fs::path& run : running_directories(dir_)) {
    if (fs::exists(run / LaunchNote::kFile)) {
      CollectOptions options;
      options.as_is = true;
      say_what_is_wrong(collect_folder(run, experiment_, options));
      continue;
    }
    wait_until_gone(run);
    if (!still_written(run)) apmt::discard(run);
  }
}

void Stage::say_what_is_wrong(const Collected& collected) {
  problems_.insert(problems_.end(), collected.left.begin(), collected.left.end());
}

std::vector<fs::path> Stage::keep(const std::string& run_id, const LaunchNote& note,
                                  std::vector<fs::path>* replaced) {
  const fs::path run = running(run_id);
  if (!fs::exists(run)) return {};
  std::error_code ignored;
  fs::copy_file(output(), run / LaunchNote::kOutputFile, fs::copy_options::overwrite_existing,
                ignored);
  write_launch_note(note, run);
  CollectOptions options;
  options.replaced = replaced;
  options.as_is = true;
  Collected collected = collect_folder(run, experiment_, options);
  reasons_ = std::move(collected.reasons);
  if (collected.runs.empty() && !collected.left.empty())
    throw InputError("", collected.left.front());
  say_what_is_wrong(collected);
  return std::move(collected.runs);
}

void Stage::discard(const std::string& run_id) {
  wait_until_gone(running(run_id));
  apmt::discard(running(run_id));
}

fs::path Stage::set_aside(const std::string& run_id) {
  fs::path kept_output = experiment_ / ("failed-" + run_id + ".txt");
  if (const fs::path run = running(run_id); fs::exists(run)) {
    wait_until_gone(run);
    bring_home(run, true);
    const fs::path target = experiment_ / ("failed-" + run_id);
    fs::rename(run, target);
    kept_output = target / LaunchNote::kOutputFile;
  }
  std::error_code ignored;
  fs::copy_file(output(), kept_output, fs::copy_options::overwrite_existing, ignored);
  return kept_output;
}

std::vector<std::string> Stage::salvage_abandoned(const fs::path& experiment) {
  std::vector<std::string> problems;
  std::vector<fs::path> stages;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, ignored))
    if (entry.is_directory() && entry.path().filename().string().starts_with(kPrefix))
      stages.push_back(entry.path());
  for (const fs::path& dir : stages) {
    if (is_signed_elsewhere(dir)) continue;
    std::optional<FolderLock> lock = FolderLock::try_to_take(dir);
    if (!lock || !lock->is_real()) continue;
    Stage stage(experiment, dir, std::move(*lock));
    stage.salvage();
    problems.insert(problems.end(), stage.problems_.begin(), stage.problems_.end());
  }
  return problems;
}

}  // namespace apmt
