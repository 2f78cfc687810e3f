// Tests of the properties that are read from a program's file, with programs that the test links.
#include "profiler/reader/object_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_folder.h"

namespace apmt {
namespace {

class ObjectFiles : public ::testing::Test {
 protected:
  ObjectFile linked(const std::string& options) const {
    const std::string program = (folder_.path() / "program").string();
    std::ofstream(program + ".c") << "int main(void) { return 0; }\n";
    const std::string command =
        std::string(APMT_C_COMPILER) + " " + options + " -o " + program + " " + program + ".c";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_object_file(program);
  }
  TemporaryFolder folder_;
};

TEST_F(ObjectFiles, LoaderAndBuildId) {
  const ObjectFile object =
      linked("-Wl,--build-id=0x0123456789abcdef -Wl,--dynamic-linker=/lib/some-loader.so");
  EXPECT_TRUE(object.is_program_code);
  EXPECT_EQ(object.loader, "/lib/some-loader.so");
  EXPECT_EQ(object.build_id, "0123456789abcdef");
}

TEST_F(ObjectFiles, AStaticProgramWithoutBuildIdNamesNeither) {
  const ObjectFile object = linked("-static -Wl,--build-id=none");
  EXPECT_TRUE(object.is_program_code);
  EXPECT_EQ(object.loader, "");
  EXPECT_EQ(object.build_id, "");
}

TEST_F(ObjectFiles, WhatIsNoProgramSaysNothing) {
  const std::filesystem::path script = folder_.path() / "script";
  std::ofstream(script) << "#!/bin/sh\n";
  EXPECT_FALSE(read_object_file(script).is_program_code);
  EXPECT_FALSE(read_object_file(folder_.path()).is_program_code);
  EXPECT_FALSE(read_object_file(folder_.path() / "nothing").is_program_code);
}

}  // namespace
}  // namespace apmt
