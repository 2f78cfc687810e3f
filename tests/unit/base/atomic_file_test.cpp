#include "base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  const TemporaryFolder folder_;
  const fs::path& dir_ = folder_.path();
};

TEST_F(AtomicFile, ReplacesTheOldContentAndLeavesNothingBeside) {
  write_file_atomically(dir_ / "a", "old");
  write_file_atomically(dir_ / "a", std::string("n\0w", 3));
  EXPECT_EQ(read_whole_file(dir_ / "a"), std::string("n\0w", 3));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, TheTargetOfALinkIsReplacedAndNotTheLink) {
  write_file_atomically(dir_ / "a", "old");
  fs::create_symlink("a", dir_ / "link");
  write_file_atomically(dir_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir_ / "link"));
  EXPECT_EQ(read_whole_file(dir_ / "a"), "new");
}

TEST_F(AtomicFile, APipeIsWrittenToAndStays) {
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  const int reader = open((dir_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_file_atomically(dir_ / "pipe", "text");
  char text[8] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 4);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(dir_ / "pipe"));
  EXPECT_EQ(files(), 1u);
  close(reader);
}

TEST_F(AtomicFile, AMissingDirectoryIsNamed) {
  try {
    write_file_atomically(dir_ / "absent" / "a", "x");
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("absent/a"), std::string::npos) << error.what();
    EXPECT_EQ(error.code(), ExitCode::kFailed);
  }
}

TEST_F(AtomicFile, AFailedWriteKeepsTheOldFile) {
  write_file_atomically(dir_ / "a", "old");
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{1000, old.rlim_max};
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file_atomically(dir_ / "a", std::string(5000, 'x')), InputError);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(read_whole_file(dir_ / "a"), "old");
  EXPECT_EQ(files(), 1u) << "the temporary file stayed";
}

TEST_F(AtomicFile, TooLargeOrADirectoryIsRefused) {
  write_file_atomically(dir_ / "a", "12345");
  EXPECT_THROW(read_whole_file(dir_ / "a", 4), InputError);
  EXPECT_THROW(read_whole_file(dir_), InputError);
  EXPECT_THROW(read_whole_file(dir_ / "absent"), InputError);
}

}  // namespace
}  // namespace apmt
