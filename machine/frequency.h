// Setting the frequency of all cores for a while. Whatever happens, also a SIGKILL of this process,
// what was set before is restored.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// What the kernel offers here.
struct FrequencyWays {
  enum class Way { kNone, kSetSpeed, kLimits, kPercent } way = Way::kNone;
  std::string driver;           // "acpi-cpufreq", "intel_pstate"
  std::string why_not;          // when kNone
  bool can_be_written = false;  // by this user
  double lowest_hz = 0;         // 0: not known
  double highest_hz = 0;
  std::vector<double> steps_hz;  // where only some can be set
};

/// kSetSpeed: governor userspace takes a speed. kLimits: lower and upper limit are set to the same
/// value. kPercent: intel_pstate limits all cores to a share of the highest frequency.
FrequencyWays find_frequency_ways(const std::filesystem::path& root = "/");

class FrequencyControl {
 public:
  /// Throws InputError when nothing can be set here.
  explicit FrequencyControl(std::filesystem::path root = "/");
  ~FrequencyControl();
  FrequencyControl(const FrequencyControl&) = delete;
  FrequencyControl& operator=(const FrequencyControl&) = delete;

  const FrequencyWays& ways() const { return ways_; }
  /// All cores. Throws InputError, with everything as before, when a core cannot be set.
  void set_hz(double frequency_hz);
  /// As before the first set_hz; the destructor does it, too.
  void restore();

 private:
  using Setting = std::pair<std::filesystem::path, std::string>;
  std::vector<Setting> settings_for(double frequency_hz) const;
  void remember();
  void start_guardian();

  std::filesystem::path root_;
  FrequencyWays ways_;
  std::vector<std::filesystem::path> policies_;
  std::vector<Setting> before_;
  pid_t guardian_ = -1;
  int guardian_pipe_ = -1;
};

/// Words that make a launcher set the frequency itself, where it can (srun); empty where not.
std::vector<std::string> launcher_frequency_words(const std::string& launcher, double frequency_hz);

}  // namespace apmt
