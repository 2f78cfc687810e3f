// Sets the frequency of all cores for a while. The previous settings are always restored, even
// after SIGKILL. Usually this process restores them. If it is killed, a guardian process does so,
// which waits for the end of this process. If both are killed, the next process that sets
// frequencies restores them from a note on disk.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/frequency_settings.h"

namespace apmt {

/// How frequencies can be set on this machine.
struct FrequencyWays {
  /// How the frequency is set. kSetSpeed: the governor `userspace` takes a frequency. kLimits: the
  /// lower and the upper limit get the same value. kPercent: intel_pstate limits all cores to a
  /// share of the highest frequency.
  enum class Way { kNone, kSetSpeed, kLimits, kPercent } way = Way::kNone;
  std::string driver;           // "acpi-cpufreq", "intel_pstate"
  std::string why_not;          // the reason for kNone
  bool can_be_written = false;  // by this user
  double lowest_hz = 0;         // 0: unknown
  double highest_hz = 0;
  std::vector<double> steps_hz;  // the only frequencies that can be set; empty: not known
};

FrequencyWays find_frequency_ways(const std::filesystem::path& root = "/");

class FrequencyControl {
 public:
  /// First restores settings that a killed process left changed. Uses `cpupower`, if it is in
  /// `search_path`, for files that cannot be written. Throws InputError if frequencies cannot be
  /// set on this machine, or if another process is setting them.
  explicit FrequencyControl(const std::filesystem::path& root = "/",
                            const std::string& search_path = {});
  ~FrequencyControl();
  FrequencyControl(const FrequencyControl&) = delete;
  FrequencyControl& operator=(const FrequencyControl&) = delete;

  const FrequencyWays& ways() const { return ways_; }
  /// Sets the frequency of all cores. If one cannot be set, undoes all changes and throws
  /// InputError.
  void set_hz(double frequency_hz);
  /// Restores the settings from before the first set_hz(); the destructor does so, too. Returns one
  /// sentence for each setting that could not be restored; in that case the note stays on disk.
  std::vector<std::string> restore();
  /// One sentence about what was restored at the start; empty if there was nothing to restore.
  const std::string& recovered() const { return recovered_; }
  static std::filesystem::path note_file(const std::filesystem::path& root);

 private:
  std::vector<FrequencySetting> settings_for(double frequency_hz) const;
  void recover();
  void remember();
  void write_note();
  void start_guardian();
  void dismiss_guardian();
  std::string put(const FrequencySetting& setting) const;
  std::vector<std::string> put_back() const;

  std::filesystem::path root_;
  FrequencyWays ways_;
  std::vector<std::filesystem::path> policies_;
  std::filesystem::path cpupower_;  // empty: not found
  std::vector<FrequencySetting> before_;
  std::string recovered_;
  int note_ = -1;  // locked as long as settings are changed
  pid_t guardian_ = -1;
  int guardian_pipe_ = -1;
};

/// Words that make a launcher set the frequency itself (srun); empty for launchers that cannot.
std::vector<std::string> launcher_frequency_words(const std::string& launcher, double frequency_hz);

}  // namespace apmt
