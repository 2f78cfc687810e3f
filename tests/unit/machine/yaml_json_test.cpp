#include "machine/yaml_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

class Yaml : public ::testing::Test {
 protected:
  Json read(const std::string& text) const {
    const std::filesystem::path file = folder_.path() / "file.yaml";
    write_file_atomically(file, "format: test\nformat_version: \"1.0\"\n" + text);
    return read_yaml_file(file, "test", 1);
  }
  TemporaryFolder folder_;
};

TEST_F(Yaml, AliasesStandForWhatTheyName) {
  EXPECT_EQ(read("a: &one [1, 2]\nb: *one\n").at("b"), Json({1.0, 2.0}));
}

TEST_F(Yaml, AliasesThatExpandToTheEndOfMemoryAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = "a" + std::to_string(i);
    text += name + ": &" + name + " [";
    for (int j = 0; j < 10; ++j) text += (j > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    text += "]\n";
  }
  try {
    read(text);
    FAIL() << "ten thousand million values were read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("aliases (*name) expand to more than 32 MiB"));
    EXPECT_EQ(error.code(), ExitCode::kUsage);
  }
}

TEST_F(Yaml, ALongFileWithoutAliasesIsRead) {
  std::string text = "list: [1";
  for (int i = 0; i < 300000; ++i) text += ",1";
  EXPECT_EQ(read(text + "]\n").at("list").size(), 300001u);
}

}  // namespace
}  // namespace apmt
