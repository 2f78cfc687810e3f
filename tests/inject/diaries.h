// Compares the recording of a killed program with the diary that the program (programs/diary.c)
// itself kept.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "profiler/reader/raw_recording.h"
#include "programs/diary.h"

namespace apmt::testing {

/// A command that runs in parallel with the test, in a process group of its own.
class Started {
 public:
  explicit Started(const std::string& command);
  ~Started();  // ends the group if it still runs
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  bool ended();     // does not wait
  int exit_code();  // waits; 128 + n if signal n ended it
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  int status_ = 0;
  bool reaped_ = false;
};

/// The diaries in a folder, by process.
std::map<pid_t, diary> diaries_in(const std::filesystem::path& folder);

/// Every recording below an experiment, by process. The test fails if one of them cannot be
/// read.
std::map<pid_t, RawRecording> recordings_below(const std::filesystem::path& experiment);

/// Compares a recording with the diary of the same process. The recording must contain every call
/// that returned and every sample that its threads counted, and no call that the program had not
/// begun.
void expect_nothing_lost(const RawRecording& raw, const diary& truth);

}  // namespace apmt::testing
