#include "campaign/stage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "campaign/join_programs.h"
#include "campaign/run_directory.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = ".campaign-";
constexpr const char* kLockFile = "lock";
const std::string kRunning = "running-";
constexpr const char* kFormat = "apmt-launch";

struct Lock {
  int fd = -1;          // -1: another process has it
  bool is_real = true;  // false: the file system has no locks
};

Lock lock_directory(const fs::path& dir) {
  for (;;) {
    fs::create_directories(dir);
    const fs::path file = dir / kLockFile;
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) continue;  // its owner has just removed the folder
    if (fd < 0)
      throw InputError(file.string(), std::string("cannot create: ") + std::strerror(errno), {},
                       ExitCode::kFailed);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return {fd, false};
      ::close(fd);
      return {};
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino)
      return {fd, true};
    ::close(fd);
  }
}

/// A process that only looks for abandoned stages holds a lock for a moment.
int patiently_locked(const fs::path& dir) {
  constexpr int kTries = 50;
  Lock lock = lock_directory(dir);
  for (int i = 1; i < kTries && lock.fd < 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    lock = lock_directory(dir);
  }
  return lock.fd;
}

/// A file system may keep its locks to each host: of a lock that another host took last, nothing is
/// known here.
void sign(int lock) {
  const std::string host = this_host();
  if (::ftruncate(lock, 0) == 0) (void)!::pwrite(lock, host.data(), host.size(), 0);
}
bool is_signed_elsewhere(const fs::path& dir) {
  std::ifstream in(dir / kLockFile);
  std::string host;
  return std::getline(in, host) && !host.empty() && host != this_host();
}

/// Ranks whose launcher was killed take a moment to notice.
void wait_until_gone(const fs::path& run) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && still_written(run); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
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
    : experiment_(std::move(experiment)), dir_(experiment_ / (kPrefix + name)) {
  lock_ = patiently_locked(dir_);
  if (lock_ < 0)
    throw InputError(dir_.string(), "another apmt run is working on the same process counts",
                     "wait until it has ended, or give this one another --dir", ExitCode::kFailed);
  sign(lock_);
}

Stage::~Stage() {
  std::error_code ignored;
  if (running().empty()) fs::remove_all(dir_, ignored);
  ::close(lock_);
}

std::vector<fs::path> Stage::running(const std::string& run_id) const {
  std::vector<fs::path> runs;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir_, ignored))
    if (entry.is_directory() && entry.path().filename().string().starts_with(kRunning + run_id))
      runs.push_back(entry.path());
  std::sort(runs.begin(), runs.end());
  return runs;
}

void Stage::salvage() {
  for (const fs::path& run : running()) {
    if (fs::exists(run / LaunchNote::kFile)) {
      collect_run(run, experiment_);
      continue;
    }
    wait_until_gone(run);
    if (!still_written(run)) fs::remove_all(run);
  }
}

std::vector<fs::path> Stage::keep(const std::string& run_id, const LaunchNote& note,
                                  const std::vector<fs::path>& replaced) {
  const std::vector<fs::path> runs = join_programs(running(run_id));
  for (const fs::path& run : runs) {
    std::error_code ignored;
    fs::copy_file(output(), run / LaunchNote::kOutputFile, fs::copy_options::overwrite_existing,
                  ignored);
    write_launch_note(note, run);
  }
  std::vector<fs::path> places;
  for (const fs::path& run : runs) places.push_back(collect_run(run, experiment_, {}, replaced));
  return places;
}

void Stage::discard(const std::string& run_id) {
  for (const fs::path& run : running(run_id)) {
    wait_until_gone(run);
    fs::remove_all(run);
  }
}

fs::path Stage::set_aside(const std::string& run_id) {
  fs::path kept_output = experiment_ / "failed-output.txt";
  for (const fs::path& run : running(run_id)) {
    wait_until_gone(run);
    const fs::path target =
        experiment_ / ("failed-" + run.filename().string().substr(kRunning.size()));
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
    const Lock lock = lock_directory(dir);
    if (lock.fd >= 0 && lock.is_real)
      Stage(experiment, dir, lock.fd).salvage();
    else if (lock.fd >= 0)
      ::close(lock.fd);
  }
}

}  // namespace apmt
