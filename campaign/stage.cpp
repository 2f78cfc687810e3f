#include "campaign/stage.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "campaign/collect.h"
#include "campaign/run_directory.h"
#include "campaign/unmerged.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = ".campaign-";
const std::string kRunning = "running-";
constexpr const char* kFormat = "apmt-launch";

FolderLock lock_or_refuse(const fs::path& dir) {
  constexpr int kPatience_s = 5;
  if (auto lock = FolderLock::take_patiently(dir, kPatience_s)) return std::move(*lock);
  throw InputError(dir.string(), "another apmt run is at work on the same process counts",
                   "wait until it has ended, or give this one another --dir", ExitCode::kFailed);
}

/// A file system may keep its locks to each host: of a lock that another host took last, nothing is
/// known here.
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

void write_launch_note(const LaunchNote& note, const fs::path& run) {
  Json json = {{"format", kFormat},
               {"format_version", "1.2"},
               {"command", note.command},
               {"elapsed_s", note.elapsed_s}};
  if (note.repetition > 0) json["repetition"] = note.repetition;
  if (note.exit_code != 0) json["exit_code"] = note.exit_code;
  if (!note.files.empty()) json["files"] = to_json(note.files);
  write_file_atomically(run / LaunchNote::kFile, format_json(json));
}

LaunchNote read_launch_note(const fs::path& run) {
  const std::string file = (run / LaunchNote::kFile).string();
  const Json json = read_json_file(file, kFormat, 1);
  const JsonAt root(json, file);
  LaunchNote note;
  root.at("command").for_each([&](const JsonAt& word) { note.command.push_back(word.string()); });
  note.elapsed_s = root.at("elapsed_s").non_negative();
  if (const std::optional<JsonAt> repetition = root.find("repetition"))
    note.repetition = static_cast<int>(repetition->integer_in(1, 1 << 30));
  if (const std::optional<JsonAt> code = root.find("exit_code"))
    note.exit_code = static_cast<int>(code->integer_in(0, 255));
  if (const std::optional<JsonAt> files = root.find("files"))
    note.files = program_files_from(*files);
  return note;
}

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
      collect_folder(run, experiment_, options);
      continue;
    }
    wait_until_gone(run);
    if (!still_written(run)) fs::remove_all(run);
  }
}

std::vector<fs::path> Stage::keep(const std::string& run_id, const LaunchNote& note,
                                  const std::vector<fs::path>& replaced) {
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
  return std::move(collected.runs);
}

void Stage::discard(const std::string& run_id) {
  wait_until_gone(running(run_id));
  fs::remove_all(running(run_id));
}

fs::path Stage::set_aside(const std::string& run_id) {
  fs::path kept_output = experiment_ / "failed-output.txt";
  if (const fs::path run = running(run_id); fs::exists(run)) {
    wait_until_gone(run);
    const fs::path target = experiment_ / ("failed-" + run_id);
    fs::rename(run, target);
    kept_output = target / LaunchNote::kOutputFile;
  }
  std::error_code ignored;
  fs::copy_file(output(), kept_output, fs::copy_options::overwrite_existing, ignored);
  return kept_output;
}

void Stage::salvage_abandoned(const fs::path& experiment) {
  std::vector<fs::path> stages;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, ignored))
    if (entry.is_directory() && entry.path().filename().string().starts_with(kPrefix))
      stages.push_back(entry.path());
  for (const fs::path& dir : stages) {
    if (is_signed_elsewhere(dir)) continue;
    std::optional<FolderLock> lock = FolderLock::try_to_take(dir);
    if (lock && lock->is_real()) Stage(experiment, dir, std::move(*lock)).salvage();
  }
}

}  // namespace apmt
