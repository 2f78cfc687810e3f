// The work of a killed program, according to the diary that it wrote, compared with its recording.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "profiler/reader/raw_recording.h"
#include "programs/diary.h"

namespace apmt::testing {

/// A command that runs at the same time as the test, in its own process group.
class Started {
 public:
  explicit Started(const std::string& command);
  ~Started();  // ends the group when it still runs
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  bool ended();     // looks, without waiting
  int exit_code();  // waits; 128 + n when signal n ended it
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  int status_ = 0;
  bool reaped_ = false;
};

/// The diaries in a folder, by process.
std::map<pid_t, diary> diaries_in(const std::filesystem::path& folder);

/// Everything recorded below an experiment, by process. Fails the test when a recording cannot be
/// read.
std::map<pid_t, RawRecording> recordings_below(const std::filesystem::path& experiment);

/// Compares a recording with the diary of the same process: it has every call that returned, none
/// that was not entered, and samples of all the CPU time except the last few clock ticks.
void expect_nothing_lost(const RawRecording& raw, const diary& truth);

}  // namespace apmt::testing
