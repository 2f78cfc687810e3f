#include "diaries.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/atomic_file.h"
#include "base/input_error.h"

namespace apmt::testing {

namespace fs = std::filesystem;

Started::Started(const std::string& command) : pid_(::fork()) {
  if (pid_ != 0) return;
  ::setpgid(0, 0);
  ::signal(SIGINT, SIG_DFL);  // a shell makes its background processes ignore SIGINT
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

Started::~Started() {
  if (!ended()) ::kill(-pid_, SIGKILL);
  exit_code();
}

bool Started::ended() {
  if (!reaped_) reaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return reaped_;
}

int Started::exit_code() {
  while (!reaped_) reaped_ = ::waitpid(pid_, &status_, 0) == pid_;
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::map<pid_t, diary> diaries_in(const fs::path& folder) {
  std::map<pid_t, diary> diaries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string bytes = read_whole_file(entry.path());
    if (bytes.size() != sizeof(diary)) continue;  // the program is still creating it
    std::memcpy(&diaries[std::stoi(entry.path().filename())], bytes.data(), bytes.size());
  }
  return diaries;
}

std::map<pid_t, RawRecording> recordings_below(const fs::path& experiment) {
  std::map<pid_t, RawRecording> recordings;
  if (!fs::exists(experiment)) return recordings;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(experiment)) {
    if (entry.path().extension() != ".apmt" || !was_begun(entry.path())) continue;
    try {
      RawRecording raw = read_recording(entry.path());
      const auto pid = static_cast<pid_t>(raw.header.pid);
      recordings.emplace(pid, std::move(raw));
    } catch (const InputError& error) {
      ADD_FAILURE() << "not readable: " << error.what();
    }
  }
  return recordings;
}

void expect_nothing_lost(const RawRecording& raw, const diary& truth) {
  ASSERT_EQ(raw.header.world_rank >= 0, true) << raw.file << ": MPI_Init had returned";
  std::uint64_t calls = 0;
  for (const format::MpiCall& call : raw.calls)
    if (raw.op_name(format::what_op(call.what)) == "MPI_Sendrecv") calls += call.calls;
  EXPECT_GE(calls, truth.returned) << raw.file;
  EXPECT_LE(calls, truth.entered) << raw.file;

  // The samples in the table are compared with those that the threads counted. The signal handler
  // counts a sample first in the table and then in its thread, so the table may have one sample
  // more. The samples are not compared with the CPU time, because a sample is taken only when a
  // tick of the kernel finds the thread running. With more ranks than cores, it may take a tenth of
  // a second until this happens, because waiting ranks yield.
  std::uint64_t taken = 0;
  for (const format::Thread& thread : raw.threads) taken += thread.samples;
  std::uint64_t in_table = 0;
  for (const format::Sample& sample : raw.samples)
    for (const std::uint64_t count : sample.counts) in_table += count;
  EXPECT_GE(in_table + raw.dropped, taken) << raw.file;
}

}  // namespace apmt::testing
