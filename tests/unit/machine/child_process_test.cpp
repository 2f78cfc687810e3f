#include "machine/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

/// A process that has ended.
struct Ended {
  int exit_code = 0;
  std::string output;
};

Ended run_child(const std::function<void()>& run, bool own_group = true) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "output";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t child = start_child({.own_group = own_group, .output = file, .errors = file}, run);
  ::close(file);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return {exit_code_of(status), read_whole_file(path)};
}

TEST(ChildProcess, IsReplacedByACommandWithMoreVariables) {
  const Ended ended = run_child([] {
    replace_by({"sh", "-c", "echo $APMT_GREETING; exit 3"}, {{"APMT_GREETING", "good morning"}});
  });
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.output, "good morning\n");
}

TEST(ChildProcess, WhatCannotBeStartedSaysSo) {
  const Ended ended = run_child([] { replace_by({"no-such-program-of-ours"}, {}); });
  EXPECT_EQ(ended.exit_code, 127);
  EXPECT_EQ(ended.output, "apmt: no-such-program-of-ours: No such file or directory\n");
}

TEST(ChildProcess, ASignalThatEndsItIsInTheExitCode) {
  EXPECT_EQ(run_child([] { replace_by({"sh", "-c", "kill -TERM $$"}, {}); }).exit_code, 128 + 15);
}

TEST(ChildProcess, LeadsAGroupWhereWanted) {
  const auto tell_group = [] { ::dprintf(STDOUT_FILENO, "%d", ::getpgrp() == ::getpid()); };
  EXPECT_EQ(run_child(tell_group).output, "1");
  EXPECT_EQ(run_child(tell_group, false).output, "0");
}

}  // namespace
}  // namespace apmt
