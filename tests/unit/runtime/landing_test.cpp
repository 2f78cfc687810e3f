// Tests of staging (a recording is written to another folder if a mapping of it in its own folder
// may fail) and of the identifiers that say which launch a recording belongs to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/runtime/identity.h"
#include "profiler/runtime/staging.h"
#include "tests/unit/runtime/small_recording.h"

namespace apmt::rt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void put(char* to, std::size_t capacity, const std::string& text) {
  ASSERT_LT(text.size(), capacity);
  text.copy(to, text.size());
  to[text.size()] = '\0';
}

class Staging : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(home_);
    fs::create_directories(stage_);
    put(state().run_dir, sizeof state().run_dir, home_.string());
    put(state().file_name, sizeof state().file_name, "rank-00003-node-7-abc");
    ::setenv("APMT_STAGE", stage_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("APMT_STAGE");
    if (state().recording.header != nullptr)
      ::munmap(state().recording.header, state().recording.header->file_bytes);
    state() = {};
  }
  TemporaryFolder folder_;
  fs::path home_ = folder_.path() / "home";
  fs::path stage_ = folder_.path() / "stage";
  fs::path link_ = home_ / "rank-00003-node-7-abc.staged";
  fs::path recording_ = home_ / "rank-00003-node-7-abc.apmt";
};

TEST_F(Staging, IsForFileSystemsOnWhichAMappingMayFail) {
  for (const std::uint64_t type : {0x6969u, 0x0BD00BD0u, 0xFF534D42u, 0x9123683Eu, 0x2FC12FC1u})
    EXPECT_TRUE(may_fail_when_mapped(type)) << std::hex << type;
  for (const std::uint64_t type : {0xEF53u, 0x58465342u, 0x01021994u})  // ext4, XFS, tmpfs
    EXPECT_FALSE(may_fail_when_mapped(type)) << std::hex << type;
}

TEST_F(Staging, WhatWasWrittenThereComesHomeWhole) {
  ASSERT_TRUE(create_staged(kSmall));
  EXPECT_THAT(fs::read_symlink(link_).string(), HasSubstr(":" + std::string(state().staged)));
  EXPECT_FALSE(fs::exists(recording_));
  state().recording.header->world_size = 8;
  state().recording.header->world_rank = 3;
  append_text(state().recording, "host", "node");
  const std::string written = read_whole_file(state().staged);
  EXPECT_EQ(copy_home(), nullptr);
  EXPECT_EQ(read_whole_file(recording_), written) << "holes read as zeros";
  EXPECT_EQ(read_recording_head(recording_).first("host"), "node");
  EXPECT_TRUE(fs::is_empty(stage_));
  EXPECT_FALSE(fs::exists(fs::symlink_status(link_)));
}

TEST_F(Staging, WhatCannotComeHomeStaysAndSaysWhy) {
  ASSERT_TRUE(create_staged(kSmall));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const char* const why = copy_home();  // must not raise SIGXFSZ, which would end this process
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_NE(why, nullptr);
  EXPECT_THAT(why, HasSubstr("file size limit"));
  EXPECT_TRUE(fs::exists(state().staged));
  EXPECT_FALSE(fs::exists(recording_));
  EXPECT_EQ(copy_home(), nullptr) << "later";
}

TEST_F(Staging, CanBeTurnedOffAndNeedsAFolder) {
  ::setenv("APMT_STAGE", "off", 1);
  EXPECT_FALSE(create_staged(kSmall));
  ::setenv("APMT_STAGE", "/no/such/folder", 1);
  EXPECT_FALSE(create_staged(kSmall));
  ::setenv("APMT_STAGE", "auto", 1);  // the result depends on the temporary folder's file system
  EXPECT_EQ(create_staged(kSmall), state().staged[0] != '\0');
  fs::remove(link_);
  ::setenv("APMT_STAGE", stage_.c_str(), 1);
  fs::create_directories(stage_ / "apmt-rank-00003-node-7-abc.apmt");  // the file's name is taken
  EXPECT_FALSE(create_staged(kSmall));
  EXPECT_FALSE(fs::exists(fs::symlink_status(link_))) << "no link to a missing file";
}

TEST(Identity, AProxyTellsWhereItsLauncherListens) {
  constexpr char kArguments[] =
      "hydra_pmi_proxy\0--control-port\0login:41777\0--pgid\0"
      "1\0--retries";
  EXPECT_STREQ(argument_after(kArguments, sizeof kArguments, "--control-port"), "login:41777");
  EXPECT_STREQ(argument_after(kArguments, sizeof kArguments, "--pgid"), "1");
  EXPECT_EQ(argument_after(kArguments, sizeof kArguments, "--retries"), nullptr);
  EXPECT_EQ(argument_after(kArguments, sizeof kArguments, "login"), nullptr);
}

}  // namespace
}  // namespace apmt::rt
