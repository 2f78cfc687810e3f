#include "machine/frequency.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "base/input_error.h"
#include "base/search_path.h"
#include "machine/small_file.h"
#include "machine/subprocess.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using Way = FrequencyWays::Way;

/// Writes the text in one call to write(), as sysfs requires. Returns 0 or an errno.
int write_setting(const fs::path& file, const std::string& text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = written == static_cast<ssize_t>(text.size()) ? 0 : errno != 0 ? errno : EIO;
  ::close(fd);
  return error;
}

/// The option of cpupower that has the same effect as writing to this file of a policy; empty if
/// there is none.
std::string cpupower_option(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "scaling_min_freq"   ? "--min"
         : name == "scaling_max_freq" ? "--max"
         : name == "scaling_setspeed" ? "--freq"
                                      : "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string text_of(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while ((n = ::read(fd, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  return text;
}

std::string khz(double frequency_hz) { return std::to_string(std::llround(frequency_hz / 1000)); }

double hz_of(const std::optional<long long>& file_khz) {
  return file_khz ? static_cast<double>(*file_khz) * 1000 : 0;
}

}  // namespace

FrequencyWays find_frequency_ways(const fs::path& root) {
  FrequencyWays ways;
  const std::vector<fs::path> policies = frequency_policies(root);
  if (policies.empty()) {
    ways.why_not = "the kernel offers no cpufreq (usual in virtual machines)";
    return ways;
  }
  const fs::path& first = policies.front();
  ways.driver = read_small_file(first / "scaling_driver").value_or("");
  ways.lowest_hz = hz_of(read_small_number(first / "cpuinfo_min_freq"));
  ways.highest_hz = hz_of(read_small_number(first / "cpuinfo_max_freq"));
  std::istringstream steps(read_small_file(first / "scaling_available_frequencies").value_or(""));
  for (double step = 0; steps >> step;) ways.steps_hz.push_back(step * 1000);
  const std::string governor = read_small_file(first / "scaling_governor").value_or("");
  fs::path written;
  if (governor == "userspace" && fs::exists(first / "scaling_setspeed")) {
    ways.way = Way::kSetSpeed;
    written = first / "scaling_setspeed";
  } else if (fs::exists(first / "scaling_max_freq") && fs::exists(first / "scaling_min_freq")) {
    ways.way = Way::kLimits;
    written = first / "scaling_max_freq";
  } else if (fs::exists(root / kIntelPercentFile)) {
    ways.way = Way::kPercent;
    written = root / kIntelPercentFile;
  } else {
    ways.why_not = "cpufreq has neither limits nor a speed that can be set";
  }
  ways.can_be_written = !written.empty() && ::access(written.c_str(), W_OK) == 0;
  return ways;
}

fs::path FrequencyControl::note_file(const fs::path& root) {
  return root / "var/tmp/apmt-frequency.note";
}

FrequencyControl::FrequencyControl(const fs::path& root, const std::string& search_path)
    : root_(fs::absolute(root)),  // valid after a change of the working directory, too
      ways_(find_frequency_ways(root_)),
      policies_(frequency_policies(root_)),
      cpupower_(find_in_path("cpupower", search_path)) {
  recover();
  if (ways_.way == Way::kNone)
    throw InputError("core frequency", "cannot be set: " + ways_.why_not,
                     "let the batch system set it (srun --cpu-freq)", ExitCode::kFailed);
}

FrequencyControl::~FrequencyControl() { restore(); }

std::vector<FrequencySetting> FrequencyControl::settings_for(double frequency_hz) const {
  std::vector<FrequencySetting> settings;
  if (ways_.way == Way::kPercent) {
    const double percent = std::ceil(100 * frequency_hz / ways_.highest_hz);
    settings.push_back({root_ / kIntelPercentFile, std::to_string(std::lround(percent))});
    return settings;
  }
  for (const fs::path& policy : policies_) {
    if (ways_.way == Way::kSetSpeed) {
      settings.push_back({policy / "scaling_setspeed", khz(frequency_hz)});
      continue;
    }
    // To lower the frequency, the lower limit is set first, because it may never exceed the upper
    // one.
    const double upper = hz_of(read_small_number(policy / "scaling_max_freq"));
    const FrequencySetting low{policy / "scaling_min_freq", khz(frequency_hz)};
    const FrequencySetting high{policy / "scaling_max_freq", khz(frequency_hz)};
    settings.insert(settings.end(),
                    {frequency_hz <= upper ? low : high, frequency_hz <= upper ? high : low});
  }
  return settings;
}

void FrequencyControl::remember() {
  for (const auto& [file, text] : settings_for(ways_.highest_hz)) {
    const std::optional<std::string> now = read_small_file(file);
    if (!now) throw InputError(file.string(), "cannot be read", "", ExitCode::kFailed);
    before_.push_back({file, *now});
  }
}

/// Makes a setting. Returns an empty text, or why it failed.
std::string FrequencyControl::put(const FrequencySetting& setting) const {
  const auto& [file, text] = setting;
  const int error = write_setting(file, text);
  if (error == 0) return {};
  const std::string why = std::strerror(error);
  const std::string option = cpupower_option(file);
  if (cpupower_.empty() || option.empty()) return why;
  const std::string cpu = file.parent_path().filename().string().substr(std::strlen("policy"));
  const Finished finished =
      run_command({.words = {cpupower_.string(), "-c", cpu, "frequency-set", option, text},
                   .folder = {},
                   .environment = {}});
  if (finished.ok()) return {};
  return why + "; " + cpupower_.string() + " ended with " + std::to_string(finished.exit_code) +
         (finished.output.empty() ? "" : ": " + first_line(finished.output));
}

/// Restores all settings, in two passes: the lower limit may not exceed the upper one at any
/// moment, so a setting that is refused at first may be accepted after the others were restored.
std::vector<std::string> FrequencyControl::put_back() const {
  for (int pass = 0; pass < 2; ++pass)
    for (const FrequencySetting& setting : before_) put(setting);
  return changed_settings(before_);
}

/// Restores the settings in a note that was left by a process killed together with its guardian.
/// Only notes of this user are trusted, and only files of the processors are written.
void FrequencyControl::recover() {
  const fs::path file = note_file(root_);
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  struct stat info {};
  const bool is_ours = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_uid == ::geteuid() && (info.st_mode & 022) == 0;
  const bool is_free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  std::istringstream lines(is_ours && is_free ? text_of(fd) : "");
  if (!is_ours || !is_free) ::close(fd);
  if (!is_ours)
    throw InputError(file.string(), "belongs to another user: frequencies may still be changed",
                     "ask its owner to call apmt refine --restore, or to remove it",
                     ExitCode::kFailed);
  if (!is_free)
    throw InputError(file.string(), "another process is setting frequencies on this machine",
                     "wait until it ends", ExitCode::kFailed);
  const std::string cpus = (root_ / "sys/devices/system/cpu/").string();
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || !line.starts_with(cpus) || line.find("..") < tab) continue;
    before_.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  const std::vector<std::string> left = put_back();
  if (left.empty()) ::unlink(file.c_str());
  ::close(fd);
  if (!left.empty())
    throw InputError(left.front(), "a killed apmt left it changed, and it cannot be restored",
                     "as root: apmt refine --restore", ExitCode::kFailed);
  if (!before_.empty())
    recovered_ = "a killed apmt had left core frequencies changed; they are restored now (" +
                 std::to_string(before_.size()) + " settings)";
  before_.clear();
}

/// Writes the note to disk before the first change and locks it. The guardian shares the lock. So a
/// note without a lock was left by processes that no longer exist.
void FrequencyControl::write_note() {
  const fs::path file = note_file(root_);
  std::error_code none;
  fs::create_directories(file.parent_path(), none);
  note_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  std::string text;
  for (const auto& [setting, value] : before_) text += setting.string() + "\t" + value + "\n";
  const bool ok = note_ >= 0 && ::flock(note_, LOCK_EX | LOCK_NB) == 0 &&
                  ::write(note_, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                  ::fsync(note_) == 0;
  if (ok) return;
  const std::string why = std::strerror(errno);
  if (note_ >= 0) {
    ::unlink(file.c_str());
    ::close(note_);
    note_ = -1;
  }
  before_.clear();
  throw InputError(file.string(), "the settings to restore cannot be saved (" + why + ")", "",
                   ExitCode::kFailed);
}

/// Starts the guardian, a process that restores the frequency if this process ends without doing
/// so. However this process ends, the operating system then closes its end of the pipe, which the
/// guardian notices.
void FrequencyControl::start_guardian() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw InputError("core frequency", "cannot create a pipe to the process that restores it", "",
                     ExitCode::kFailed);
  guardian_ = ::fork();
  if (guardian_ == 0) {
    ::setsid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
    ::close(ends[1]);
    char word = 0;
    ssize_t n = 0;
    while ((n = ::read(ends[0], &word, 1)) < 0 && errno == EINTR) {
    }
    // Nothing was written before the pipe was closed, so the process did not dismiss the guardian.
    if (n == 0) {
      const std::vector<std::string> left = put_back();
      if (left.empty()) ::unlink(note_file(root_).c_str());
      for (const std::string& sentence : left)
        std::fprintf(stderr, "apmt: error: NOT RESTORED: %s\n", sentence.c_str());
    }
    ::_exit(0);
  }
  ::close(ends[0]);
  guardian_pipe_ = ends[1];
  if (guardian_ < 0) {
    ::close(guardian_pipe_);
    guardian_pipe_ = -1;
    throw InputError("core frequency", "cannot start the process that restores it", "",
                     ExitCode::kFailed);
  }
}

void FrequencyControl::set_hz(double frequency_hz) {
  if (!(frequency_hz > 0) || (ways_.highest_hz > 0 && frequency_hz > 1.001 * ways_.highest_hz) ||
      frequency_hz < 0.999 * ways_.lowest_hz)
    throw InputError("core frequency",
                     khz(frequency_hz) + " kHz is outside the range that can be set: " +
                         khz(ways_.lowest_hz) + " to " + khz(ways_.highest_hz) + " kHz");
  if (before_.empty()) {
    remember();
    write_note();
    start_guardian();
  }
  for (const FrequencySetting& setting : settings_for(frequency_hz)) {
    const std::string why = put(setting);
    if (why.empty()) continue;
    std::string left;
    for (const std::string& sentence : restore()) left += "; NOT RESTORED: " + sentence;
    throw InputError(setting.first.string(), "cannot be set (" + why + ")" + left,
                     "setting frequencies needs root, or the batch system (srun --cpu-freq)",
                     ExitCode::kFailed);
  }
}

std::vector<std::string> FrequencyControl::restore() {
  if (before_.empty()) return {};
  std::vector<std::string> left = put_back();
  before_.clear();
  if (note_ >= 0) {
    if (left.empty()) ::unlink(note_file(root_).c_str());
    ::close(note_);
    note_ = -1;
  }
  dismiss_guardian();
  return left;
}

void FrequencyControl::dismiss_guardian() {
  if (guardian_pipe_ < 0) return;
  const char dismissed = 'd';
  const ssize_t told = ::write(guardian_pipe_, &dismissed, 1);
  ::close(guardian_pipe_);
  guardian_pipe_ = -1;
  if (told == 1 || errno == EPIPE) ::waitpid(guardian_, nullptr, 0);
}

std::vector<std::string> launcher_frequency_words(const std::string& launcher,
                                                  double frequency_hz) {
  if (fs::path(launcher).filename() == "srun") return {"--cpu-freq=" + khz(frequency_hz)};
  return {};
}

}  // namespace apmt
