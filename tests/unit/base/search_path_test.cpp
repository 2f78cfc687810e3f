#include "base/search_path.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

TEST(SearchPath, TheFirstFileThatMayBeRun) {
  const TemporaryFolder folder;
  const auto add = [&](const char* in, fs::perms permissions) {
    const fs::path path = folder.path() / in / "tool";
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    fs::permissions(path, permissions);
    return path;
  };
  add("a", fs::perms::owner_read);
  fs::create_directories(folder.path() / "b" / "tool");
  const fs::path third = add("c", fs::perms::owner_all);
  add("d", fs::perms::owner_all);
  std::string path = "/nowhere";
  for (const char* name : {"a", "b", "c", "d"}) path += ":" + (folder.path() / name).string();
  EXPECT_EQ(find_in_path("tool", path), third);
  EXPECT_EQ(find_in_path("tool", "/nowhere"), "");
  EXPECT_EQ(find_in_path("other", path), "");
}

}  // namespace
}  // namespace apmt
