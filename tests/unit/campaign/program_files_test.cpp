// Tests which files count as the same program, with real files.
#include "campaign/launching/program_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ProgramFiles : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) const {
    write_file_atomically(folder_.path() / name, content);
    return folder_.path() / name;
  }
  std::string script(const std::string& name, const std::string& content) const {
    const fs::path path = write(name, content);
    fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
    return path.string();
  }
  static std::vector<std::string> names(const std::vector<ProgramFile>& files) {
    std::vector<std::string> list;
    for (const ProgramFile& file : files) list.push_back(file.path.filename().string());
    return list;
  }
  using Names = std::vector<std::string>;
  TemporaryFolder folder_;
};

TEST_F(ProgramFiles, AreThoseThatAreRunAndNotThoseThatAreRead) {
  const std::string app = script("app", "#!/bin/sh\n");
  const std::string input = write("input.nml", "&grid n=100 /\n").string();
  const std::string python = write("solver.py", "print()\n").string();
  EXPECT_EQ(names(files_run_by({"nice", "-n", "1", app, input})), (Names{"app"}));
  EXPECT_EQ(names(files_run_by({"sh", python, input})), (Names{"solver.py"}))
      << "the script that an interpreter gets is run";
  const std::string launcher = script("srun", "#!/bin/sh\n");
  EXPECT_EQ(names(files_run_by({"env", "A=1", launcher, "-n", "2", app, input})), (Names{"app"}))
      << "wherever the launcher is installed";
}

TEST_F(ProgramFiles, AreTheSameBuildByContentWhereTheyHaveNoBuildId) {
  const std::string app = script("app", "one");
  const std::vector<ProgramFile> then = files_run_by({app});
  fs::last_write_time(app, fs::last_write_time(app) + std::chrono::hours(1));
  EXPECT_EQ(what_was_rebuilt(then, files_run_by({app})), "") << "a copy is the same build";
  script("app", "two");
  EXPECT_THAT(what_was_rebuilt(then, files_run_by({app})), HasSubstr(app + " (3 bytes"));
  fs::remove(app);
  EXPECT_EQ(what_was_rebuilt(then, {}), "") << "nothing there would run";
}

TEST_F(ProgramFiles, AScriptIsNotTheProgramOfItsName) {
  const std::string app = script("app", "#!/bin/sh\nexec .libs/app\n");
  const ProgramFile started{folder_.path() / ".libs/app", "0123456789"};
  EXPECT_EQ(what_was_rebuilt({started}, files_run_by({app})), "");
}

TEST_F(ProgramFiles, AreTheSameBuildByBuildIdWhereTheyHaveOne) {
  const std::optional<ProgramFile> self = look_at("/proc/self/exe");
  ASSERT_TRUE(self);
  if (self->build_id.empty()) GTEST_SKIP() << "this toolchain gives no build ids";
  EXPECT_EQ(self->build_id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(self->content_id, "");
  ProgramFile moved = *self;
  moved.path = "/elsewhere/app";
  moved.bytes = 0;
  EXPECT_TRUE(moved.is_same_build(*self)) << "stripped or copied, it is the same build";
  moved.build_id = "00";
  EXPECT_FALSE(moved.is_same_build(*self));
  EXPECT_FALSE(look_at(folder_.path() / "nothing"));
  EXPECT_FALSE(look_at(folder_.path()));
}

TEST_F(ProgramFiles, OfWhatWasLoadedAreThoseThatLieWhereTheyDid) {
  const std::optional<ProgramFile> self = look_at("/proc/self/exe");
  ASSERT_TRUE(self);
  if (self->build_id.empty()) GTEST_SKIP() << "this toolchain gives no build ids";
  const fs::path here = folder_.path() / "here.so";
  const fs::path other = folder_.path() / "other.so";
  fs::copy_file("/proc/self/exe", here);
  fs::copy_file("/proc/self/exe", other);
  std::vector<fs::path> others;
  const std::vector<ProgramFile> files = still_there(
      {{here, self->build_id}, {other, "0123"}, {folder_.path() / "in_the_container.so", "0456"}},
      &others);
  EXPECT_EQ(names(files), (Names{"here.so"}));
  EXPECT_EQ(others, (std::vector<fs::path>{other})) << "files that do not exist are ignored";
}

TEST_F(ProgramFiles, AnotherFileOfTheNameThatThePathNowFindsIsSeen) {
  const std::string old = script("v1_app", "one");
  std::vector<ProgramFile> then = files_run_by({old});
  then.front().path = folder_.path() / "v1" / "app";
  const std::string now = script("app", "two");
  EXPECT_THAT(what_was_rebuilt(then, files_run_by({now})), HasSubstr("app"));
}

TEST_F(ProgramFiles, SurviveTheirJson) {
  const std::vector<ProgramFile> files = {{"/a/app", "0123", 7, ""}, {"/a/run.sh", "", 5, "beef"}};
  const Json json = to_json(files);
  const std::vector<ProgramFile> again = program_files_from(JsonAt(json, "launch.json"));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_TRUE(again[0].is_same_build(files[0]));
  EXPECT_TRUE(again[1].is_same_build(files[1]));
  EXPECT_EQ(again[1].path, files[1].path);
}

TEST(ProgramFilesOfANote, HaveASizeThatIsAWholeNumber) {
  const auto read = [](const std::string& bytes) {
    const Json list = parse_json(R"([{"path": "/app", "bytes": )" + bytes + "}]", "note");
    return program_files_from(JsonAt(list, "note")).front().bytes;
  };
  EXPECT_EQ(read("20480"), 20480u);
  for (const char* bytes : {"1e300", "-1", "0.5", "\"1\""})
    EXPECT_THROW(read(bytes), InputError) << bytes;
}

}  // namespace
}  // namespace apmt
