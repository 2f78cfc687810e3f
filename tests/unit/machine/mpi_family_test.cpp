#include "machine/mpi_family.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

TEST(MpiFamily, ByWhatALauncherOrAWrapperPrints) {
  EXPECT_EQ(family_in_words("mpirun (Open MPI) 4.1.4\n"), MpiFamily::kOpenMpi);
  EXPECT_EQ(family_in_words("mpirun.real (OpenRTE) 4.1.4"), MpiFamily::kOpenMpi);
  EXPECT_EQ(family_in_words("HYDRA build details:\n    Version: 4.0.2"), MpiFamily::kMpich);
  EXPECT_EQ(family_in_words("Intel(R) MPI Library for Linux* OS"), MpiFamily::kMpich);
  EXPECT_EQ(family_in_words("gfortran -lmpifort -lmpich"), MpiFamily::kMpich);
  EXPECT_EQ(family_in_words("slurm 22.05.8"), MpiFamily::kNone);
}

TEST(MpiFamily, ByTheLibrariesOfAProgram) {
  EXPECT_EQ(family_in_libraries("libmpi.so.40 => /usr/lib/libmpi.so.40"), MpiFamily::kOpenMpi);
  EXPECT_EQ(family_in_libraries("libmpi.so.12 => /opt/intel/libmpi.so.12"), MpiFamily::kMpich);
  EXPECT_EQ(family_in_libraries("libmpich.so.12"), MpiFamily::kMpich);
  EXPECT_EQ(family_in_libraries("libsimgrid.so.3.32\nlibmpi.so.40"), MpiFamily::kSmpi);
  EXPECT_EQ(family_in_libraries("libc.so.6"), MpiFamily::kNone);
}

TEST(MpiFamily, NamesTheLibraryThatRecordsIt) {
  EXPECT_EQ(to_string(MpiFamily::kOpenMpi), "openmpi");
  EXPECT_EQ(to_string(MpiFamily::kMpich), "mpich");
  EXPECT_EQ(to_string(MpiFamily::kSmpi), "smpi");
  EXPECT_EQ(to_string(MpiFamily::kNone), "serial");
}

}  // namespace
}  // namespace apmt
