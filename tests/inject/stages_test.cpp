// Tests that time before MPI_Init is not sampled and a note says so, that threads that begin during
// MPI_Init are sampled, and that the recorder's own work is not attributed to the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "command.h"
#include "stolen.h"

namespace apmt::testing {
namespace {

using ::testing::ContainsRegex;

class Stages : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  /// The command that starts one of the test programs on `ranks` ranks.
  std::string launch(int ranks, const std::string& program) const {
    return GetParam()->run + " " + std::to_string(ranks) + " " + program_path(program);
  }
  std::string program_path(const std::string& name) const {
    return APMT_PROGRAMS "/" + GetParam()->name + "/" + name;
  }
  double seconds_of(const std::string& kernel, const Json& profile) const {
    double seconds = 0;
    for (const Json& k : profile.at("kernels"))
      if (k.at("name") == kernel) seconds += k.at("counters").at("cpu_s").at("total").get<double>();
    return seconds;
  }
  /// The profile of a program with one rank; a library of the tests is preloaded after the
  /// recorder.
  Json recorded_with(const std::string& library, const std::string& program,
                     const std::string& arguments = "") {
    const double stolen_before_s = stolen_s();
    const Output output = folder_.run("APMT_DIR=$PWD/e " + GetParam()->run +
                                      " 1 env LD_PRELOAD=" APMT_LIBRARIES "/libapmt-" +
                                      GetParam()->name + ".so:" + program_path(library) + " " +
                                      program_path(program) + " " + arguments + " && apmt info e");
    EXPECT_EQ(output.exit_code, 0) << output.err;
    stolen_meanwhile_s_ = stolen_s() - stolen_before_s;
    return folder_.json("apmt info --json e/apmt-" + program + ".p1.r1");
  }
  /// The programs measure their work by the CPU clock, so other load does not change it. Only time
  /// that a hypervisor takes may appear as extra samples.
  void expect_sampled(const std::string& kernel, const Json& profile, double planted_s,
                      double tolerance_s) const {
    const double found_s = seconds_of(kernel, profile);
    EXPECT_GE(found_s, planted_s - tolerance_s) << kernel;
    EXPECT_LE(found_s, planted_s + tolerance_s + stolen_meanwhile_s_) << kernel;
  }
  Folder folder_;
  double stolen_meanwhile_s_ = 0;  // during recorded_with()
};

/// The text with line breaks replaced by blanks.
std::string in_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST_P(Stages, ALongTimeBeforeMpiInitIsSaidByInfoAndFit) {
  for (const int ranks : {1, 2}) {
    const Output output = folder_.run("apmt record -d e " + launch(ranks, "late_init 600"));
    ASSERT_EQ(output.exit_code, 0) << output.err;
  }
  EXPECT_THAT(in_one_line(folder_.run("apmt info e/apmt-late_init.p2.r1").out),
              ContainsRegex("[0-9.]+ of [0-9.]+ s \\([0-9]+ %\\) passed before MPI_Init was "
                            "called: what the program did then was not sampled"));
  const Output fit = folder_.run("apmt fit e");
  EXPECT_EQ(fit.exit_code, 0) << fit.err;
  for (const char* run : {"P = 1", "P = 2"})
    EXPECT_THAT(in_one_line(fit.out + fit.err),
                ContainsRegex(run + std::string(", repetition 1: [0-9]+ % of the run passed before "
                                                "MPI_Init was called and was not sampled")));
}

TEST_P(Stages, ThreadsThatBeginDuringMpiInitAreSampled) {
  const Json profile = recorded_with("in_init", "late_init");
  EXPECT_GT(seconds_of("main_work", profile), 0.05);
  expect_sampled("worker_work", profile, 0.2, 0.05);
}

TEST_P(Stages, WhatOurHooksOfThreadsAndUnloadingDoIsNoneOfTheProgramsFunctions) {
  const Json profile =
      recorded_with("slow_hooks", "own_hooks", APMT_PROGRAMS "/libplugin_first.so");
  expect_sampled("main_work", profile, 0.06, 0.02);
  expect_sampled("thread_work", profile, 0.06, 0.02);
  EXPECT_EQ(seconds_of("slow_question", profile), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Stages, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& of) { return of.param->name; });

}  // namespace
}  // namespace apmt::testing
