#include "campaign/stage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "campaign/run_directory.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = ".campaign-";
constexpr const char* kLockFile = "lock";
constexpr const char* kFormat = "apmt-launch";

/// The lock's descriptor; -1 when somebody else has it.
int lock_directory(const fs::path& dir) {
  for (;;) {
    fs::create_directories(dir);
    const fs::path file = dir / kLockFile;
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) continue;  // its owner has just removed it all
    if (fd < 0)
      throw InputError(file.string(), std::string("cannot create: ") + std::strerror(errno), {},
                       ExitCode::kFailed);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const bool taken = errno == EWOULDBLOCK;
      if (taken) ::close(fd);
      return taken ? -1 : fd;  // a file system without locks: do without
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino)
      return fd;
    ::close(fd);
  }
}

/// Ranks whose launcher was killed take a moment to notice.
void wait_until_gone(const fs::path& run) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && still_written(run); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void write_launch_note(const LaunchNote& note, const fs::path& run) {
  const Json json = {{"format", kFormat},
                     {"format_version", "1.0"},
                     {"command", note.command},
                     {"elapsed_s", note.elapsed_s}};
  write_file_atomically(run / LaunchNote::kFile, format_json(json));
}

LaunchNote read_launch_note(const fs::path& run) {
  const std::string file = (run / LaunchNote::kFile).string();
  const Json json = read_json_file(file, kFormat, 1);
  const JsonAt root(json, file);
  LaunchNote note;
  root.at("command").for_each([&](const JsonAt& word) { note.command.push_back(word.string()); });
  note.elapsed_s = root.at("elapsed_s").non_negative();
  return note;
}

Stage::Stage(fs::path experiment, const std::string& name)
    : experiment_(std::move(experiment)), dir_(experiment_ / (kPrefix + name)) {
  lock_ = lock_directory(dir_);
  if (lock_ < 0)
    throw InputError(dir_.string(), "another apmt run is at work on the same process counts",
                     "wait until it has ended, or give this one another --dir", ExitCode::kFailed);
}

Stage::~Stage() {
  std::error_code ignored;
  fs::remove_all(dir_, ignored);
  ::close(lock_);
}

std::vector<fs::path> Stage::running() const {
  std::vector<fs::path> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir_))
    if (entry.is_directory()) runs.push_back(entry.path());
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::vector<fs::path> Stage::salvage() {
  std::vector<fs::path> kept;
  for (const fs::path& run : running()) {
    if (fs::exists(run / LaunchNote::kFile)) {
      kept.push_back(collect_run(run, experiment_));
      continue;
    }
    wait_until_gone(run);
    fs::remove_all(run);
  }
  return kept;
}

std::vector<fs::path> Stage::keep(const LaunchNote& note) {
  for (const fs::path& run : running()) {
    std::error_code ignored;
    fs::copy_file(output(), run / LaunchNote::kOutputFile, fs::copy_options::overwrite_existing,
                  ignored);
    write_launch_note(note, run);
  }
  return salvage();
}

fs::path Stage::set_aside() {
  fs::path kept_output = experiment_ / "failed-output.txt";
  for (const fs::path& run : running()) {
    wait_until_gone(run);
    const fs::path target =
        experiment_ / ("failed-" + run.filename().string().substr(std::strlen("running-")));
    fs::rename(run, target);
    kept_output = target / LaunchNote::kOutputFile;
  }
  std::error_code ignored;
  fs::copy_file(output(), kept_output, fs::copy_options::overwrite_existing, ignored);
  return kept_output;
}

std::vector<std::string> Stage::abandoned(const fs::path& experiment) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with(kPrefix)) continue;
    const int fd = lock_directory(entry.path());
    if (fd < 0) continue;
    ::close(fd);
    names.push_back(name.substr(std::strlen(kPrefix)));
  }
  return names;
}

}  // namespace apmt
