// Tests of analysis.json and of the report for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "kernels/analysers/analyser_names.h"
#include "kernels/function_names.h"
#include "kernels/runtime/settings.h"
#include "profiler/launcher_environment.h"
#include "reports/kernels.h"
#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(AnalysisJson, SurvivesItsFile) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "analysis.json";
  for (const SmallKernel& kernel : {lu(12), copy(50), pointer_chase(64)}) {
    const Analysis analysis = Analysed(kernel).analysis;
    write_analysis(analysis, path);
    EXPECT_EQ(analysis_to_json(read_analysis(path)), analysis_to_json(analysis)) << kernel.name;
  }
}

TEST(AnalysisJson, WhatBreaksARuleIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "analysis.json";
  std::string text = analysis_to_json(Analysed(copy(50)).analysis);
  const std::size_t at = text.find("\"linear\": ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 10, "9");
  std::ofstream(path) << text;
  try {
    read_analysis(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("linear"));
  }
}

std::vector<std::string> sentences_of(const Analysis& analysis) {
  return make_analysis_report(analysis).sections.at(0).sentences;
}

std::vector<std::string> sentences_of(const SmallKernel& kernel) {
  return sentences_of(Analysed(kernel).analysis);
}

TEST(AnalysisReport, SaysWhatHoldsAKernelBack) {
  EXPECT_THAT(
      sentences_of(prefix_sum(1000)),
      Contains(HasSubstr("On a wide device these would hold it back: too few operations at once")));
  EXPECT_THAT(sentences_of(prefix_sum(1000)),
              Contains(HasSubstr("Sequential loops: prefix_sum.c:")));
  EXPECT_THAT(sentences_of(figure6(40)), Contains(HasSubstr("make 39 synchronisations.")));
  EXPECT_THAT(sentences_of(lu(16)), Contains("Outermost parallel loops: lu.c:10."));
  EXPECT_THAT(sentences_of(lu(16)),
              Contains("With one work-item for each iteration of lu.c:10 it has 120, of 32 to 284 "
                       "instructions (median 212)."));
  EXPECT_THAT(sentences_of(copy(2000)), Contains("It needs no global synchronisation."));
  EXPECT_THAT(
      sentences_of(lu(16)),
      Contains("The longest chain of floating-point operations that wait for each other has 45; on "
               "average 57.8 can run at once."));
}

TEST(AnalysisReport, SaysWhatTheVectoriserCanDoOnlyIfItIsKnown) {
  Analysis analysis = Analysed(lu(16)).analysis;
  EXPECT_THAT(sentences_of(analysis), Not(Contains(HasSubstr("vectoriser"))));
  InstructionMix& mix = *analysis.kernels.at(0).mix;
  mix.flops_vector = mix.flops / 2;
  EXPECT_THAT(sentences_of(analysis), Contains("The vectoriser can use vectors for 50 % of them."));
  mix.flops_vector = 0;
  EXPECT_THAT(sentences_of(analysis), Contains("The vectoriser can use vectors for none of them."));
}

TEST(AnalysisReport, SaysWhereMemoryWasNotEnough) {
  Analysis analysis = Analysed(copy(2000)).analysis;
  const auto inexact = [&] {
    int found = 0;
    for (const std::string& sentence : sentences_of(analysis))
      found += sentence.find("from there on this is not exact") != std::string::npos;
    return found;
  };
  EXPECT_EQ(inexact(), 0);
  KernelAnalysis& kernel = analysis.kernels.at(0);
  kernel.synchronisation->is_complete = false;
  EXPECT_THAT(sentences_of(analysis),
              Contains(HasSubstr(
                  "It needs no global synchronisation. The analysis reached its memory limit")));
  kernel.aiwc->is_complete = false;
  EXPECT_EQ(inexact(), 2);
}

TEST(AnalysisReport, TellsBlocksThatWereCountedFromKernelsThatDidNotRun) {
  Analysis analysis = Analysed(copy(50)).analysis;
  const KernelAnalysis kernel = analysis.kernels.at(0);
  analysis.kernels.clear();
  const Report counted = make_analysis_report(analysis);
  EXPECT_EQ(counted.headline, "Blocks were counted; no kernel was followed.");
  const ReportRow& row = counted.sections.at(0).tables.at(0).rows.at(0);
  EXPECT_EQ(row.cells[0].text, "copy");
  EXPECT_EQ(row.cells[1].value, static_cast<double>(kernel.mix->instructions));
  EXPECT_EQ(row.cells[3].value, 400);
  analysis.analysers = {"mix"};
  EXPECT_EQ(make_analysis_report(analysis).headline, "No kernel ran.");
}

TEST(Analysers, ThoseThatRunWhenNoneIsNamed) {
  EXPECT_THAT(usual_analysers(), Contains("all-operations"));
  EXPECT_THAT(usual_analysers(), Not(Contains("stack-distances")));
  EXPECT_THAT(usual_analysers(), Not(Contains("aiwc-compat")));
  EXPECT_EQ(usual_analysers().size() + 2, analyser_names().size());
}

TEST(FunctionNames, AreThoseThatUsersWrite) {
  const char* const linkage = "_ZN3sim5solveEPdi";
  for (const char* name : {linkage, "solve", "sim::solve", "sim::solve(double*, int)"})
    EXPECT_TRUE(is_named(linkage, "solve", name)) << name;
  for (const char* name : {"sim", "sim::solve(double*)", "solv", ""})
    EXPECT_FALSE(is_named(linkage, "solve", name)) << name;
  EXPECT_TRUE(is_named("main", "main", "main"));
}

TEST(RuntimeSettings, RanksAreThoseOfTheRecordersLaunchers) {
  for (const char* const* variable = kRankVariables; *variable; ++variable) ::unsetenv(*variable);
  ::setenv(kFolderVariable, "/tmp", 1);
  EXPECT_EQ(settings_from_environment().rank, -1);
  for (const char* const* variable = kRankVariables; *variable; ++variable) {
    ::setenv(*variable, "3", 1);
    EXPECT_EQ(settings_from_environment().rank, 3) << *variable;
    ::unsetenv(*variable);
  }
  ::unsetenv(kFolderVariable);
}

TEST(AnalysisReport, SaysNothingOfLinesThatASampleMissed) {
  Analysis analysis = Analysed(copy(2000)).analysis;
  Locality& locality = *analysis.kernels.at(0).locality;
  const auto touches = [&] {
    std::string all;
    for (const std::string& sentence : sentences_of(analysis))
      if (sentence.starts_with("It touches")) all += sentence;
    return all;
  };
  EXPECT_THAT(touches(), HasSubstr("Of its accesses, an ideal cache misses"));
  locality.one_line_of = 128;
  locality.cold = 0;
  EXPECT_EQ(touches(),
            "It touches too few cache lines for one in 128 to represent them; --with "
            "stack-distances follows every line.");
  locality.cold = 128 * 100;
  EXPECT_THAT(touches(), HasSubstr("One line of 128 was followed."));
}

}  // namespace
}  // namespace apmt::kernels::testing
