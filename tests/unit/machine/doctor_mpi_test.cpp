// Tests of the doctor's self test, with the MPIs that are installed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "machine/mpi_installation.h"
#include "tests/paths.h"

namespace apmt {
namespace {

TEST(SelfTest, EachInstalledMpiIsSeenInEachLanguage) {
  const char* path = std::getenv("PATH");
  const auto installed = find_mpi(path == nullptr ? "" : path);
  int tested = 0;
  for (const MpiInstallation& mpi : installed)
    for (const Seen& seen :
         self_test(mpi, build_dir() + "/bin/apmt", source_dir() + "/machine/probes")) {
      if (seen.state == Seen::State::kNotTested) continue;
      ++tested;
      EXPECT_EQ(seen.state, Seen::State::kYes)
          << mpi.version << ", " << seen.language << ": " << seen.why;
    }
  if (tested == 0) GTEST_SKIP() << "no MPI with compilers in PATH";
}

/// If the command (here /bin/true in place of apmt) records nothing, the self test must fail.
TEST(SelfTest, ACommandThatRecordsNothingIsANo) {
  const char* path = std::getenv("PATH");
  const auto installed = find_mpi(path == nullptr ? "" : path);
  if (installed.empty() || installed.front().c_compiler.empty())
    GTEST_SKIP() << "no MPI with compilers in PATH";
  const auto seen = self_test(installed.front(), "/bin/true", source_dir() + "/machine/probes");
  EXPECT_EQ(seen.front().state, Seen::State::kNo);
}

TEST(SelfTest, RanksOfOpenMpiShareTheCoresWithOtherPrograms) {
  MpiInstallation mpi;
  mpi.family = "openmpi";
  mpi.launcher = "/bin/mpirun";
  const auto words = launch_words(mpi, 2);
  const std::vector<std::string> expected = {
      "/bin/mpirun",         "-np", "2", "--oversubscribe", "--bind-to", "none", "--mca",
      "mpi_yield_when_idle", "1"};
  ASSERT_GE(words.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words.begin()));
  mpi.family = "mpich";
  EXPECT_EQ(launch_words(mpi, 2), (std::vector<std::string>{"/bin/mpirun", "-np", "2"}));
}

}  // namespace
}  // namespace apmt
