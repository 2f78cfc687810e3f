// Tests of joining an analysis with a run, with the names that gcc, clang, gfortran and flang give
// to functions.
#include "fitter/kernels/kernel_join.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

using kernels::Analysis;

/// A run of "app" on two ranks, and an analysis of the same command.
class Join : public ::testing::Test {
 protected:
  Join() {
    run_.program = "app";
    run_.command = "./app 100 fast";
    run_.config.procs = 2;
    analysis_.program = "mpirun -np 2 ./app-analyze 100 fast";
    analysis_.processes = 2;
  }

  /// A kernel with CPU time over both ranks.
  KernelProfile& kernel(const std::string& linkage_name, double cpu_s,
                        const std::string& source = "a.c", const std::string& object = "app") {
    KernelProfile k;
    k.id = {object, linkage_name, source};
    k.counters["cpu_s"] = {Provenance::kClock, "clock", 0.5 * cpu_s, {1, 1}};
    run_.kernels.push_back(k);
    return run_.kernels.back();
  }

  /// A scope with a number of flops, and ten times as many instructions.
  void scope(const std::string& function, std::uint64_t flops,
             std::vector<std::string> inlined_into = {}, const std::string& file = "/src/a.c") {
    kernels::ScopeCounts s{function, file, 1, std::move(inlined_into), {}};
    s.mix.flops = flops;
    s.mix.instructions = 10 * flops;
    s.mix.loaded_bytes = 8 * flops;
    analysis_.scopes.push_back(s);
  }

  KernelJoin join() const { return join_kernels(run_, analysis_); }

  static const JoinedFunction& row(const KernelJoin& join, const std::string& name) {
    static const JoinedFunction none;
    for (const JoinedFunction& f : join.functions)
      if (f.name == name) return f;
    ADD_FAILURE() << "no row " << name;
    return none;
  }

  RunProfile run_;
  Analysis analysis_;
};

TEST_F(Join, ClonesAndOutlinedPartsAreOneFunction) {
  kernel("solve", 1);
  kernel("solve._omp_fn.0", 6);
  kernel("scale.constprop.0", 2);
  kernel("scale.cold", 1);
  scope("solve", 5);
  scope("solve.omp_outlined", 10);
  scope("solve.omp_outlined_debug__", 100, {"solve.omp_outlined@/src/a.c:7"});
  scope("scale", 40);
  const KernelJoin joined = join();
  EXPECT_EQ(joined.share(), 1);
  EXPECT_TRUE(joined.is_enough());
  EXPECT_TRUE(joined.missing.empty());
  EXPECT_TRUE(joined.unplaced.empty());
  ASSERT_EQ(joined.functions.size(), 2u);
  EXPECT_EQ(joined.functions[0].name, "solve") << "the most time first";
  EXPECT_EQ(joined.functions[0].cpu_s, 7);
  EXPECT_EQ(joined.functions[0].ids.size(), 2u);
  EXPECT_DOUBLE_EQ(joined.functions[0].counts.flops, 115);
  EXPECT_EQ(joined.functions[1].cpu_s, 3);
  EXPECT_DOUBLE_EQ(joined.functions[1].counts.flops, 40);
  EXPECT_DOUBLE_EQ(joined.functions[1].counts.loaded_bytes, 320);
}

TEST_F(Join, FortranNamesOfBothCompilersMeet) {
  kernel("__mod_MOD_work", 1, "w.f90");
  kernel("__mod_MOD_work._omp_fn.0", 1, "");  // gfortran states no file
  kernel("inner.0.isra.0", 1, "w.f90");
  kernel("ext_", 1, "w.f90");
  kernel("MAIN__", 1, "w.f90");
  scope("_QMmodPwork", 1, {"_QQmain@/src/w.f90:33"}, "/src/w.f90");
  scope("_QMmodPwork..omp_par", 20, {}, "/src/w.f90");
  scope("_QMmodFworkPinner", 300, {}, "/src/w.f90");
  scope("ext_", 4000, {}, "/src/w.f90");
  scope("_QQmain", 50000, {}, "/src/w.f90");
  const KernelJoin joined = join();
  EXPECT_EQ(joined.share(), 1);
  EXPECT_EQ(joined.functions.size(), 4u);
  EXPECT_TRUE(joined.notes.empty());
  EXPECT_DOUBLE_EQ(row(joined, "mod::work").counts.flops, 21);
  EXPECT_DOUBLE_EQ(row(joined, "mod::work::inner").counts.flops, 300);
  EXPECT_DOUBLE_EQ(row(joined, "ext_").counts.flops, 4000);
  EXPECT_DOUBLE_EQ(row(joined, "main program").counts.flops, 50000);
}

TEST_F(Join, AnAmbiguousSimpleNameJoinsNothing) {
  kernel("inner.0", 1, "w.f90");
  scope("_QMmodFworkPinner", 300, {}, "/src/w.f90");
  scope("_QMmodFplayPinner", 300, {}, "/src/w.f90");
  EXPECT_EQ(join().share(), 0);
}

TEST_F(Join, WhatTheRecordedBuildInlinedIsFoundInItsInlineTree) {
  // gcc inlined relax into main and into prepare; clang did not inline it.
  kernel("main", 5).inlined = {{{"relax"}, 4}};
  kernel("prepare", 2).inlined = {{{"relax"}, 1}};
  scope("main", 1);
  scope("prepare", 2);
  scope("relax", 1000);
  const KernelJoin joined = join();
  EXPECT_EQ(joined.share(), 1);
  EXPECT_DOUBLE_EQ(row(joined, "main").counts.flops, 1 + 800) << "by time in relax";
  EXPECT_DOUBLE_EQ(row(joined, "prepare").counts.flops, 2 + 200);
  EXPECT_EQ(row(joined, "main").cpu_s, 5);
}

TEST_F(Join, TheInlineChainTellsCopiesApart) {
  kernel("main", 5).inlined = {{{"relax"}, 2}, {{"relax", "flux"}, 2}};
  kernel("prepare", 5).inlined = {{{"flux"}, 4}};
  scope("flux", 70, {"relax@/src/a.c:5"});  // clang did not inline relax
  scope("flux", 9, {"prepare@/src/a.c:9"});
  scope("relax", 200);
  scope("main", 1);
  scope("prepare", 1);
  const KernelJoin joined = join();
  EXPECT_DOUBLE_EQ(row(joined, "main").counts.flops, 271);
  EXPECT_DOUBLE_EQ(row(joined, "prepare").counts.flops, 10);
}

TEST_F(Join, WhatOnlyTheAnalysedBuildInlinedGoesToItsOwnKernel) {
  kernel("main", 1);
  kernel("relax", 9);
  scope("relax", 500, {"main@/src/a.c:5"});
  scope("main", 1);
  EXPECT_DOUBLE_EQ(row(join(), "relax").counts.flops, 500);
}

TEST_F(Join, CountsWithoutAPlaceOfTheirOwnGoToTheFunctionAround) {
  kernel("main", 9);
  scope("tiny", 500, {"main@/src/a.c:5"});
  scope("main", 1);
  EXPECT_DOUBLE_EQ(row(join(), "main").counts.flops, 501);
}

TEST_F(Join, APlaceWithoutTimeOfItsOwnIsStillAPlace) {
  kernel("main", 9).inlined = {{{"outer", "inner"}, 9}};
  scope("outer", 50);
  scope("inner", 7, {"outer@/src/a.c:5"});
  const KernelJoin joined = join();
  EXPECT_DOUBLE_EQ(row(joined, "main").counts.flops, 57);
  EXPECT_EQ(joined.joined_s, 9);
}

TEST_F(Join, StaticFunctionsOfOneNameAreTheirFiles) {
  kernel("step", 1, "a.c");
  kernel("step", 3, "b.c");
  scope("step", 10, {}, "/src/a.c");
  scope("step", 700, {}, "/src/b.c");
  const KernelJoin joined = join();
  ASSERT_EQ(joined.functions.size(), 2u);
  EXPECT_DOUBLE_EQ(joined.functions[0].counts.flops, 700);
  EXPECT_DOUBLE_EQ(joined.functions[1].counts.flops, 10);
}

TEST_F(Join, WhatIsMissingIsNamedWithItsReason) {
  kernel("solve", 90);
  kernel("exp", 4, "", "libm.so.6");
  kernel("dgemm_", 3, "", "libblas.so.3");
  kernel("app+0x1234", 2, "");
  kernel("other", 1);
  scope("solve", 10);
  scope("other", 0);
  kernels::KernelAnalysis k;
  k.blind_spots = {{"exp", 1000}};
  analysis_.kernels = {k};
  const KernelJoin joined = join();
  EXPECT_DOUBLE_EQ(joined.share(), 0.9);
  EXPECT_FALSE(joined.is_enough());
  ASSERT_EQ(joined.missing.size(), 4u);
  EXPECT_EQ(joined.missing[0].name, "exp");
  EXPECT_EQ(joined.missing[0].cpu_s, 4);
  EXPECT_NE(joined.missing[0].reason.find("not instrumented"), std::string::npos);
  EXPECT_NE(joined.missing[1].reason.find("in libblas.so.3"), std::string::npos);
  EXPECT_NE(joined.missing[2].reason.find("names no function"), std::string::npos);
  EXPECT_NE(joined.missing[3].reason.find("did not run there"), std::string::npos)
      << "a function without instructions has no counts";
}

TEST_F(Join, NinetyFivePercentIsEnough) {
  kernel("solve", 95);
  kernel("exp", 5, "", "libm.so.6");
  scope("solve", 10);
  EXPECT_TRUE(join().is_enough());
  run_.kernels[1].counters["cpu_s"].unit_per_sample = 3;
  EXPECT_FALSE(join().is_enough());
}

TEST_F(Join, InlinedCodeThatTheAnalysisDoesNotNameIsSaid) {
  kernel("solve", 10).inlined = {{{"_ZZ5solvevENKUlvE_clEv"}, 4}};
  scope("solve", 10);
  const KernelJoin joined = join();
  EXPECT_EQ(joined.share(), 1);
  EXPECT_EQ(joined.by_caller_s, 4);
  ASSERT_EQ(joined.notes.size(), 1u);
  EXPECT_NE(joined.notes[0].find("40 %"), std::string::npos) << joined.notes[0];
}

TEST_F(Join, CountsThatNoTimeHitAreListed) {
  kernel("solve", 10);
  scope("solve", 60);
  scope("_Z5startv", 40);
  const KernelJoin joined = join();
  ASSERT_EQ(joined.unplaced.size(), 1u);
  EXPECT_EQ(joined.unplaced[0].name, "start()");
  EXPECT_DOUBLE_EQ(joined.placed_ir_instructions / joined.ir_instructions, 0.6);
  ASSERT_EQ(joined.notes.size(), 1u);
}

TEST_F(Join, OtherInputsAndMissingDebugInformationAreSaid) {
  kernel("solve", 10, "");
  scope("solve", 10);
  EXPECT_TRUE(join().is_same_input);
  EXPECT_EQ(join().notes.size(), 1u) << "no source file: recorded without -g";
  kernel("solve._omp_fn.0", 90, "");
  run_.kernels.front().id.source = "a.c";
  EXPECT_TRUE(join().notes.empty()) << "gcc states no file for a region";
  run_.kernels.pop_back();
  run_.kernels.front().id.source = "";
  analysis_.program = "mpirun -np 2 ./app-analyze 50 fast";
  EXPECT_FALSE(join().is_same_input);
  EXPECT_EQ(join().notes.size(), 2u);
  analysis_.program = "mpirun -np 2 ./app-analyze 100 fast";
  analysis_.processes = 1;
  EXPECT_FALSE(join().is_same_input);
}

}  // namespace
}  // namespace apmt
