// Tests with names that gcc, clang, gfortran and flang give to functions in object files: the
// function in the source must be found from each name.
#include "base/source_function.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

std::string name(const std::string& linkage_name) { return source_function(linkage_name).name; }

TEST(SourceFunction, ClonesAreTheFunctionTheyAreMadeOf) {
  for (const char* clone :
       {"solve", "solve.constprop.0", "solve.part.0", "solve.isra.12", "solve.cold",
        "solve.part.0.isra.0", "solve.constprop.0.cold", "solve.lto_priv.3", "solve.llvm.91827364",
        "solve.localalias", "solve.specialized.1", "solve.avx2.0", "solve@@APP_1.2", "solve.0"})
    EXPECT_EQ(name(clone), "solve") << clone;
}

TEST(SourceFunction, OutlinedPartsAreTheirParent) {
  for (const char* part :
       {"solve._omp_fn.0", "solve._omp_fn.3.constprop.0", "solve._omp_cpyfn.1", "solve._loopfn.2",
        "solve.omp_outlined", "solve.omp_outlined.4", "solve.omp_outlined_debug__",
        "solve..omp_par", "solve..omp_par.1", "solve.omp_task_entry."})
    EXPECT_EQ(name(part), "solve") << part;
  EXPECT_EQ(name("_Z5solvePdi._omp_fn.0"), "solve(double*, int)");
  EXPECT_EQ(name("_Z5solvePdi.omp_outlined"), "solve(double*, int)");
  EXPECT_EQ(name("__mod_MOD_work._omp_fn.0"), "mod::work");
  EXPECT_EQ(name("_QMmodPwork..omp_par"), "mod::work");
}

TEST(SourceFunction, ConstructorsAreOneFunction) {
  EXPECT_EQ(name("_ZN4gridC1Ei"), "grid::grid(int)");
  EXPECT_EQ(name("_ZN4gridC2Ei"), "grid::grid(int)");
}

TEST(SourceFunction, BothFortranCompilersNameTheSameProcedure) {
  EXPECT_EQ(name("__mod_MOD_work"), "mod::work");
  EXPECT_EQ(name("_QMmodPwork"), "mod::work");
  EXPECT_EQ(name("__my_mod.my_sub_MOD_do_work2"), "my_mod.my_sub::do_work2");
  EXPECT_EQ(name("_QMmy_modSmy_subPdo_work2"), "my_mod.my_sub::do_work2");
  EXPECT_EQ(name("work_"), "work_");
  EXPECT_EQ(name("_QPwork"), "work_");
  EXPECT_EQ(name("MAIN__"), name("_QQmain"));
}

TEST(SourceFunction, AContainedProcedureHasASimpleNameInCommon) {
  const SourceFunction flang = source_function("_QMmodFworkPinner");
  EXPECT_EQ(flang.name, "mod::work::inner");
  EXPECT_EQ(flang.simple, "inner");
  EXPECT_EQ(name("inner.0"), "inner");
  EXPECT_EQ(name("inner.1.isra.0"), "inner");
  EXPECT_EQ(source_function("_QFPinner").name, "_QFPinner") << "not a name of flang";
}

TEST(SourceFunction, TheSimpleNameOfCppIsThatOfInlinedStaticFunctions) {
  const auto simple = [](const char* name) { return source_function(name).simple; };
  EXPECT_EQ(simple("_ZL24CalcElemFBHourglassForcePdS_S_PA4_ddS_S_S_"), "CalcElemFBHourglassForce");
  EXPECT_EQ(simple("_ZN4halo12_GLOBAL__N_14workEi"), "work");
  EXPECT_EQ(simple("_Z5scaleIdEvT_i"), "scale") << "void scale<double>(double, int)";
  EXPECT_EQ(simple("_ZN4gridC1Ei"), "grid");
  EXPECT_EQ(simple("_ZSt3maxIdERKT_S2_S2_"), "max");
  EXPECT_EQ(simple("_ZN1fclEi"), "f::operator()(int)") << "operators keep the whole name";
  EXPECT_EQ(simple("_Z1fB5cxx11i"), "f") << "f[abi:cxx11](int)";
  EXPECT_EQ(simple("_ZZ5outeriEN5Local4workEv"), "outer(int)::Local::work()");
  EXPECT_EQ(simple("_ZN10cooperator1fEv"), "f");
  EXPECT_EQ(simple("solve"), "solve");
}

TEST(SourceFunction, OtherNamesStay) {
  for (const char* other : {"f", "main", "MAIN", "__libc_start_main", "_Q", "_Quad", "__x_MOD",
                            ".omp_outlined", "v2.0x", "_MOD_"})
    EXPECT_EQ(name(other), other);
  EXPECT_EQ(name("_Zwrong"), "_Zwrong");
}

}  // namespace
}  // namespace apmt
