// Tests of the shares of a run's compute time in the kernels of an analysis.
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/kernels/kernel_join.h"

namespace apmt {
namespace {

/// A run of "app 100" on one rank, and an analysis of the same command.
class KernelShares : public ::testing::Test {
 protected:
  KernelShares() {
    run_.program = "app";
    run_.command = "./app 100";
    run_.config.procs = 1;
    analysis_.program = "./app-analyse 100";
    analysis_.processes = 1;
  }

  KernelProfile& recorded(const std::string& function, double cpu_s, const std::string& source) {
    KernelProfile k;
    k.id = {"app", function, source};
    k.counters["cpu_s"] = {Provenance::kClock, "clock", cpu_s, {1}};
    run_.kernels.push_back(k);
    return run_.kernels.back();
  }

  void analysed(const std::string& function, const std::string& file) {
    kernels::KernelAnalysis k;
    k.function = function;
    k.file = file;
    analysis_.kernels.push_back(k);
  }

  RunProfile run_;
  kernels::Analysis analysis_;
};

TEST_F(KernelShares, ClonesAndInlinedCodeBelongToTheKernel) {
  analysed("sweep", "/src/a.c");
  analysed("norm", "/src/a.c");
  recorded("sweep._omp_fn.0", 4, "a.c").inlined.push_back({{"helper"}, 1});
  recorded("main", 6, "a.c").inlined.push_back({{"norm"}, 2});
  const std::vector<double> shares = kernel_shares(run_, analysis_);
  EXPECT_DOUBLE_EQ(shares[0], 0.4);
  EXPECT_DOUBLE_EQ(shares[1], 0.2);  // inlined into main, whose other 4 s are no kernel's
}

TEST_F(KernelShares, FunctionsOfTheSameNameDifferByTheirFile) {
  analysed("step", "/src/a.c");
  analysed("step", "/src/b.c");
  recorded("step", 1, "a.c");
  recorded("step", 3, "b.c");
  const std::vector<double> shares = kernel_shares(run_, analysis_);
  EXPECT_DOUBLE_EQ(shares[0], 0.25);
  EXPECT_DOUBLE_EQ(shares[1], 0.75);
}

TEST_F(KernelShares, AnotherInputOrNoTimeIsRefused) {
  analysed("sweep", "/src/a.c");
  recorded("main", 1, "a.c");
  EXPECT_THROW(kernel_shares(run_, analysis_), InputError) << "no time in kernels";
  recorded("sweep", 1, "a.c");
  EXPECT_NO_THROW(kernel_shares(run_, analysis_));
  analysis_.program = "./app-analyse 200";
  EXPECT_THROW(kernel_shares(run_, analysis_), InputError) << "another input";
}

}  // namespace
}  // namespace apmt
