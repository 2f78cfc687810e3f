#include "kernels/compile/compiler_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/compile/compiler_names.h"

namespace apmt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::Pair;

const Instrumentation kWith{"/opt/lib/pass.so", "/opt/lib"};

std::vector<std::string> instrumented(Language language, const std::vector<std::string>& words) {
  CompilerCommand command = translated(language, words);
  instrument(&command, language, kWith);
  return command.arguments;
}

TEST(CompilerCommand, AddsThePassAndTheRuntime) {
  EXPECT_THAT(
      instrumented(Language::kC, {"-O2", "a.c", "-o", "a"}),
      IsSupersetOf({"-O2", "a.c", "-o", "a", "-fpass-plugin=/opt/lib/pass.so", "-gline-tables-only",
                    "-L/opt/lib", "-lapmt-kernels", "-Wl,-rpath,/opt/lib"}));
}

TEST(CompilerCommand, LinksTheRuntimeOnlyWhereSomethingIsLinked) {
  for (const char* stop : {"-c", "-S", "-E", "-M", "-fsyntax-only"})
    EXPECT_THAT(instrumented(Language::kC, {"-O2", stop, "a.c"}), Not(Contains("-lapmt-kernels")))
        << stop;
  EXPECT_TRUE(links({"-shared", "a.o", "-o", "liba.so"}));
  EXPECT_FALSE(links({"-v"}));
}

TEST(CompilerCommand, LeavesQuestionsAlone) {
  EXPECT_THAT(instrumented(Language::kC, {"-O2", "-print-search-dirs"}),
              Not(Contains("-fpass-plugin=/opt/lib/pass.so")));
  EXPECT_FALSE(has_input({"--version"}));
  EXPECT_FALSE(has_input({"-o", "name", "-I", "folder"}));
  EXPECT_TRUE(has_input({"-E", "-"}));
}

TEST(CompilerCommand, KeepsTheUsersDebugInformation) {
  for (const char* level : {"-g", "-g3", "-ggdb", "-gdwarf-4"})
    EXPECT_THAT(instrumented(Language::kC, {level, "-c", "a.c"}),
                Not(Contains("-gline-tables-only")))
        << level;
  EXPECT_THAT(instrumented(Language::kC, {"-g", "-g0", "-c", "a.c"}),
              Contains("-gline-tables-only"));
}

TEST(CompilerCommand, TheLastLevelOfOptimisationCounts) {
  EXPECT_TRUE(translated(Language::kC, {"-c", "a.c"}).keeps_library_calls);
  EXPECT_TRUE(translated(Language::kC, {"-O2", "-O0", "-c", "a.c"}).keeps_library_calls);
  EXPECT_FALSE(translated(Language::kC, {"-O0", "-O3", "-c", "a.c"}).keeps_library_calls);
  EXPECT_THAT(translated(Language::kCxx, {"-O0", "-c", "a.cc"}).arguments,
              ElementsAre("-O0", "-c", "a.cc", "-O1"));
  EXPECT_THAT(translated(Language::kFortran, {"-O0", "-c", "a.f90"}).arguments,
              ElementsAre("-O0", "-c", "a.f90"));
}

TEST(CompilerCommand, DropsAndNamesWhatKeepsThePassFromWorking) {
  const CompilerCommand command = translated(
      Language::kC, {"-O2", "-flto=auto", "-static", "--param", "max-unroll-times=3", "a.c"});
  EXPECT_THAT(command.arguments, ElementsAre("-O2", "a.c"));
  ASSERT_EQ(command.dropped.size(), 3u);
  EXPECT_EQ(command.dropped[0].argument, "-flto=auto");
  EXPECT_EQ(command.dropped[1].argument, "-static");
  EXPECT_EQ(command.dropped[2].argument, "--param max-unroll-times=3");
}

TEST(CompilerCommand, AValueIsNoOption) {
  EXPECT_THAT(translated(Language::kC, {"-O1", "-o", "-static", "a.c"}).dropped, IsEmpty());
  EXPECT_THAT(translated(Language::kC, {"-O1", "-D", "-flto", "a.c"}).dropped, IsEmpty());
}

TEST(CompilerCommand, SpellsGfortransOptionsInFlangsWay) {
  const CompilerCommand command =
      translated(Language::kFortran, {"-O2", "-ffixed-line-length-132", "-ffixed-line-length-none",
                                      "-ffree-line-length-none", "-std=legacy", "a.f"});
  EXPECT_THAT(command.arguments,
              ElementsAre("-O2", "-ffixed-line-length=132", "-ffixed-line-length=0", "a.f"));
  EXPECT_EQ(command.dropped.size(), 2u);
  EXPECT_THAT(translated(Language::kC, {"-O2", "a.o", "-lgfortran"}).arguments,
              ElementsAre("-O2", "a.o", "-lFortranRuntime", "-lFortranDecimal", "-lm"));
}

TEST(CompilerCommand, ReadsWhatTheCompilerDoesNotKnow) {
  const std::string said =
      "clang-19: error: unknown argument: '-fipa-pta'\n"
      "clang-19: warning: optimization flag '-fprefetch-loop-arrays' is not supported\n"
      "flang-new: error: unknown argument '-funroll-loops'; did you mean '-Xclang "
      "-funroll-loops'?\n"
      "clang: error: unsupported option '-mfoo' for target 'x86_64-pc-linux-gnu'\n"
      "clang: error: unsupported argument 'weird' to option '-mtune='\n"
      "clang: error: no such file or directory: 'a.c'\n";
  EXPECT_THAT(unknown_arguments(said),
              ElementsAre("-fipa-pta", "-funroll-loops", "-mfoo", "-mtune=weird"));
  CompilerCommand command = translated(Language::kC, {"-O2", "-fipa-pta", "-mtune=weird", "a.c"});
  drop_unknown(&command, unknown_arguments(said));
  EXPECT_THAT(command.arguments, ElementsAre("-O2", "a.c"));
  EXPECT_THAT(command.dropped,
              ElementsAre(DroppedArgument{"-fipa-pta", "only gcc supports it"},
                          DroppedArgument{"-mtune=weird", "only gcc supports it"}));
}

TEST(CompilerNames, TellsMpisWrappersWhatToCall) {
  const auto environment = build_environment("/share/compilers", "/usr/bin:/bin");
  EXPECT_THAT(environment, IsSupersetOf({Pair("PATH", "/share/compilers:/usr/bin:/bin"),
                                         Pair("OMPI_CC", "/share/compilers/cc"),
                                         Pair("OMPI_CXX", "/share/compilers/c++"),
                                         Pair("MPICH_FC", "/share/compilers/gfortran"),
                                         Pair("CC", "/share/compilers/cc")}));
}

}  // namespace
}  // namespace apmt
