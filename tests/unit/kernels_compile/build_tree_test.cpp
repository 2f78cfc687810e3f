#include "kernels/compile/build_tree.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace apmt {
namespace {

TEST(BuildTree, KnowsWhereABuildCommandWorks) {
  EXPECT_EQ(build_folder({"make", "-j4"}, "/src"), "/src");
  EXPECT_EQ(build_folder({"make", "-C", "sub"}, "/src"), "/src/sub");
  EXPECT_EQ(build_folder({"ninja", "-Cout"}, "/src"), "/src/out");
  EXPECT_EQ(build_folder({"cmake", "--build", "/out"}, "/src"), "/out");
  EXPECT_EQ(build_folder({"/usr/bin/cmake", "-S", ".", "-B", "out"}, "/src"), "/src/out");
  EXPECT_EQ(build_folder({"cmake", "-Bout"}, "/src"), "/src/out");
  EXPECT_EQ(build_folder({"cmake", "-C", "cache.cmake", "-B", "out"}, "/src"), "/src/out");
}

TEST(BuildTree, ATreeOfAnotherCompilerIsNoticed) {
  const TemporaryFolder folder;
  EXPECT_FALSE(other_compiler({"make"}, folder.path(), "/share/compilers"));
  std::ofstream(folder.path() / "CMakeCache.txt")
      << "CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\nCMAKE_CXX_COMPILER_AR:FILEPATH=/usr/bin/ar\n";
  EXPECT_EQ(other_compiler({"make"}, folder.path(), "/share/compilers"), "/usr/bin/c++");
  EXPECT_EQ(other_compiler({"cmake", "--build", "."}, folder.path(), "/share/compilers"),
            "/usr/bin/c++");
  const std::string tree = folder.path().string();
  EXPECT_EQ(other_compiler({"cmake", "-B", tree}, "/elsewhere", "/share/compilers"),
            "/usr/bin/c++");
  EXPECT_FALSE(other_compiler({"cmake", "--fresh", "-B", tree}, "/elsewhere", "/share/compilers"));
  std::ofstream(folder.path() / "CMakeCache.txt")
      << "CMAKE_CXX_COMPILER:FILEPATH=/share/compilers/c++\n"
         "CMAKE_C_COMPILER:FILEPATH=/usr/bin/mpicc\n";
  EXPECT_FALSE(other_compiler({"make"}, folder.path(), "/share/compilers"));
}

}  // namespace
}  // namespace apmt
