#include "machine/frequency.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <sstream>

#include "base/input_error.h"
#include "machine/small_file.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using Way = FrequencyWays::Way;

const char* const kPercentFile = "sys/devices/system/cpu/intel_pstate/max_perf_pct";

std::vector<fs::path> find_policies(const fs::path& root) {
  std::vector<fs::path> policies;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", none))
    if (entry.path().filename().string().rfind("policy", 0) == 0) policies.push_back(entry.path());
  std::sort(policies.begin(), policies.end());
  return policies;
}

/// One write, as sysfs wants it; 0 or an errno.
int put(const fs::path& file, const std::string& text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = written == static_cast<ssize_t>(text.size()) ? 0 : errno != 0 ? errno : EIO;
  ::close(fd);
  return error;
}

/// Limits cross each other while they are changed (the lower one may not exceed the upper one), so
/// what is refused once is tried again after the others.
template <typename Settings>
void put_all(const Settings& settings) {
  for (int pass = 0; pass < 2; ++pass)
    for (const auto& [file, text] : settings) put(file, text);
}

std::string khz(double frequency_hz) { return std::to_string(std::llround(frequency_hz / 1000)); }

double hz_of(const std::optional<long long>& file_khz) {
  return file_khz ? static_cast<double>(*file_khz) * 1000 : 0;
}

}  // namespace

FrequencyWays find_frequency_ways(const fs::path& root) {
  FrequencyWays ways;
  const std::vector<fs::path> policies = find_policies(root);
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
  } else if (fs::exists(root / kPercentFile)) {
    ways.way = Way::kPercent;
    written = root / kPercentFile;
  } else {
    ways.why_not = "cpufreq has neither limits nor a speed that could be set";
  }
  ways.can_be_written = !written.empty() && ::access(written.c_str(), W_OK) == 0;
  return ways;
}

FrequencyControl::FrequencyControl(fs::path root)
    : root_(std::move(root)), ways_(find_frequency_ways(root_)), policies_(find_policies(root_)) {
  if (ways_.way == Way::kNone)
    throw InputError("core frequency", "cannot be set: " + ways_.why_not,
                     "let the batch system set it (srun --cpu-freq)", ExitCode::kFailed);
}

FrequencyControl::~FrequencyControl() { restore(); }

std::vector<FrequencyControl::Setting> FrequencyControl::settings_for(double frequency_hz) const {
  std::vector<Setting> settings;
  if (ways_.way == Way::kPercent) {
    const double percent = std::ceil(100 * frequency_hz / ways_.highest_hz);
    settings.push_back({root_ / kPercentFile, std::to_string(std::lround(percent))});
    return settings;
  }
  for (const fs::path& policy : policies_) {
    if (ways_.way == Way::kSetSpeed) {
      settings.push_back({policy / "scaling_setspeed", khz(frequency_hz)});
      continue;
    }
    // Downwards the lower limit goes first, upwards the upper one.
    const double upper = hz_of(read_small_number(policy / "scaling_max_freq"));
    const Setting low{policy / "scaling_min_freq", khz(frequency_hz)};
    const Setting high{policy / "scaling_max_freq", khz(frequency_hz)};
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

/// A process of its own that waits for our end: the pipe closes, however we die.
void FrequencyControl::start_guardian() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw InputError("core frequency", "no pipe for the process that restores it", "",
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
    if (n == 0) put_all(before_);  // not dismissed: the other end died
    ::_exit(0);
  }
  ::close(ends[0]);
  guardian_pipe_ = ends[1];
  if (guardian_ < 0) {
    ::close(guardian_pipe_);
    guardian_pipe_ = -1;
    throw InputError("core frequency", "no process to restore it", "", ExitCode::kFailed);
  }
}

void FrequencyControl::set_hz(double frequency_hz) {
  if (!(frequency_hz > 0) || (ways_.highest_hz > 0 && frequency_hz > 1.001 * ways_.highest_hz) ||
      frequency_hz < 0.999 * ways_.lowest_hz)
    throw InputError("core frequency", khz(frequency_hz) + " kHz is outside of what can be set: " +
                                           khz(ways_.lowest_hz) + " to " + khz(ways_.highest_hz) +
                                           " kHz");
  if (before_.empty()) {
    remember();
    start_guardian();
  }
  for (const auto& [file, text] : settings_for(frequency_hz)) {
    const int error = put(file, text);
    if (error == 0) continue;
    restore();
    throw InputError(file.string(), std::string("cannot be set (") + std::strerror(error) + ")",
                     "setting frequencies needs root, or the batch system (srun --cpu-freq)",
                     ExitCode::kFailed);
  }
}

void FrequencyControl::restore() {
  if (before_.empty()) return;
  put_all(before_);
  before_.clear();
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
