#include "kernels/compile/fortran_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace apmt {
namespace {

using testing::ElementsAre;

TEST(FortranModules, ReadsUseStatements) {
  EXPECT_THAT(modules_used("program a\n  USE MPI\n use, intrinsic :: iso_c_binding, only: c_int\n"
                           "use grid,only:n\n! use nothing\n used = 1\nuse mpi\n"),
              ElementsAre("mpi", "iso_c_binding", "grid"));
}

TEST(FortranModules, LooksWhereTheCompilerLooks) {
  EXPECT_THAT(module_folders({"-I/a", "-J", "/b", "-module-dir", "/c", "-O2"}),
              ElementsAre(".", "/a", "/b", "/c"));
}

TEST(FortranModules, TellsGfortransFromFlangs) {
  const TemporaryFolder folder;
  const auto source = folder.path() / "a.F90";
  std::ofstream(source) << "use mpi\nend\n";
  std::ofstream(folder.path() / "mpi.mod") << "\x1f\x8b\x08";
  const std::vector<std::string> arguments = {"-c", "-I" + folder.path().string(), source.string()};
  const auto foreign = foreign_module(arguments);
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->name, "mpi");
  EXPECT_EQ(foreign->source, source);

  std::ofstream(folder.path() / "mpi.mod") << "!mod$ v1\n";
  EXPECT_FALSE(foreign_module(arguments));
}

}  // namespace
}  // namespace apmt
