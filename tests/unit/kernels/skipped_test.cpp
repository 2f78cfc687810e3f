// Tests which invocations of a kernel are skipped, and that the followed invocations stand for the
// skipped ones.
#include <gtest/gtest.h>

#include <span>

#include "kernels/analysers/analyser_names.h"
#include "kernels/runtime/followed_invocations.h"
#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

int followed_of(int invocations) {
  FollowedInvocations followed;
  int count = 0;
  for (int i = 0; i < invocations; ++i) count += followed.next(3);
  return count;
}

TEST(FollowedInvocations, TheFirstAlwaysAndLaterOnesRarely) {
  EXPECT_EQ(followed_of(8), 8);
  EXPECT_EQ(followed_of(100), 26);  // these numbers are in docs/kernels.md
  EXPECT_EQ(followed_of(10'000), 67);
  EXPECT_EQ(followed_of(1'000'000), 108);
}

TEST(FollowedInvocations, KernelsAreCountedApart) {
  FollowedInvocations followed;
  for (int i = 0; i < 1000; ++i) followed.next(0);
  EXPECT_TRUE(followed.next(1));
}

/// Marks the events of an invocation as skipped. If `is_counted`, counts replace its blocks;
/// otherwise the events stay as they are.
std::vector<Word> skipped(const Program& program, std::span<const Word> words, bool is_counted) {
  std::vector<Word> result{mark(Mark::kKernelSkipped, number_of(words.front()))};
  words = words.subspan(1);
  if (is_counted)
    for_each_event(
        program, words,
        [&](std::uint32_t block, const Word*) { result.push_back(counted(block, 1)); },
        [&](Mark m, std::uint64_t number) { result.push_back(mark(m, number)); });
  else
    result.insert(result.end(), words.begin(), words.end());
  return result;
}

/// The events of a kernel that runs many times; some invocations may be skipped.
std::vector<Word> repeated(const SmallKernel& kernel, int invocations, bool skips = false,
                           bool is_counted = false) {
  FollowedInvocations followed;
  Interpreter run(kernel.code);
  run.keeps_steps = false;
  kernel.fill(run);
  for (int i = 0; i < invocations; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(run.words.size());
    run.run(0);
    if (followed.next(0) || !skips) continue;
    const std::vector<Word> words(run.words.begin() + begin, run.words.end());
    run.words.resize(static_cast<std::size_t>(begin));
    const std::vector<Word> instead = skipped(kernel.code.program, words, is_counted);
    run.words.insert(run.words.end(), instead.begin(), instead.end());
  }
  return run.words;
}

/// The analysis as JSON, without the values that must differ.
std::string described(Analysis analysis) {
  for (KernelAnalysis& kernel : analysis.kernels) {
    kernel.followed_invocations.reset();
    kernel.skipped_difference.reset();
  }
  return analysis_to_json(analysis);
}

TEST(SkippedInvocations, OfEqualWorkChangeNothing) {
  AnalyserChoice choice;
  choice.sampled_stack_distance = false;
  for (const SmallKernel& kernel :
       {prefix_sum(20), jacobi(16, 3), copy(10), lu(5), spmv(12), figure6(9)}) {
    const Analysis all = analyse(kernel.code.program, repeated(kernel, 100), choice);
    ASSERT_EQ(all.kernels.size(), 1u);
    EXPECT_EQ(all.kernels[0].invocations, 100u);
    EXPECT_FALSE(all.kernels[0].followed_invocations);
    for (const bool is_counted : {true, false}) {
      const Analysis some =
          analyse(kernel.code.program, repeated(kernel, 100, true, is_counted), choice);
      ASSERT_EQ(some.kernels.at(0).followed_invocations, 26u);
      EXPECT_EQ(described(some), described(all));
    }
  }
}

/// Except for its counted instructions, a skipped invocation counts as a copy of the followed one
/// that executed about as many instructions, not of the last one before it.
TEST(SkippedInvocations, AreTakenForTheMostSimilar) {
  const SmallKernel kernel = prefix_sum(20);
  // The programs of all sizes have the same blocks.
  const auto sized = [](int n) { return events_of(prefix_sum(n).code); };
  std::vector<Word> words;
  const auto append = [&](const std::vector<Word>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  append(sized(101));
  append(sized(11));
  for (int i = 0; i < 7; ++i) append(skipped(kernel.code.program, sized(101), i % 2 == 0));
  append(skipped(kernel.code.program, sized(12), true));
  // The followed invocation of size 52 comes after the two skipped ones that are most like it.
  append(skipped(kernel.code.program, sized(55), true));
  append(skipped(kernel.code.program, sized(50), true));
  append(sized(52));
  AnalyserChoice choice;
  choice.sampled_stack_distance = false;
  const KernelAnalysis found = analyse(kernel.code.program, words, choice).kernels.at(0);
  EXPECT_EQ(found.invocations, 13u);
  EXPECT_EQ(found.followed_invocations, 3u);
  EXPECT_EQ(found.floating_point->depth, 8u * 100 + 2 * 10 + 3 * 51);
  EXPECT_EQ(found.loops.at(0).trips, 8u * 100 + 2 * 10 + 3 * 51);
  EXPECT_EQ(found.loops.at(0).least_trips, 10u);
  EXPECT_EQ(found.mix->flops_add, 8u * 100 + 10 + 11 + 54 + 49 + 51);
}

/// Of followed invocations with equally many instructions, the latest stands for the skipped ones.
TEST(SkippedInvocations, AreTakenForTheLatestOfEqualOnes) {
  const SmallKernel kernel = gather(64);
  const Program& program = kernel.code.program;
  // In one invocation, all loads and stores access the same address, so each load depends on the
  // store before it.
  std::vector<Word> chained;
  Interpreter run(kernel.code);
  kernel.fill(run);
  run.run(0);
  for_each_event(
      program, run.words,
      [&](std::uint32_t block, const Word*) {
        chained.push_back(block);
        chained.insert(chained.end(), program.blocks[block].words, Word{1 << 20});
      },
      [&](Mark m, std::uint64_t number) { chained.push_back(mark(m, number)); });
  std::vector<Word> words = chained;
  const auto append = [&](const std::vector<Word>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  append(run.words);
  for (int i = 0; i < 10; ++i) append(skipped(program, run.words, true));
  append(run.words);
  const AnalyserChoice choice;
  const auto depth = [&](const std::vector<Word>& of) {
    return analyse(program, of, choice).kernels.at(0).all_operations->depth;
  };
  ASSERT_NE(depth(chained), depth(run.words));
  EXPECT_EQ(depth(words), depth(chained) + 12 * depth(run.words));
}

TEST(SkippedInvocations, OfTwoKernelsInTurn) {
  Program both;
  append(copy(10).code.program, &both);
  const std::uint32_t base = append(prefix_sum(20).code.program, &both);
  std::vector<Word> first = events_of(copy(10).code), second = events_of(prefix_sum(20).code);
  for (std::size_t at = 0; at < second.size();) {
    if (mark_of(second[at]) != Mark::kBlock) {
      second[at] += second[at] == mark(Mark::kKernelBegin);
      ++at;
    } else {
      second[at] += base;
      at += 1 + both.blocks[second[at]].words;
    }
  }
  std::vector<Word> words;
  for (int i = 0; i < 50; ++i)
    for (const std::vector<Word>* one : {&first, &second}) {
      const std::vector<Word> more = i < 8 ? *one : skipped(both, *one, i % 2 == 0);
      words.insert(words.end(), more.begin(), more.end());
    }
  for (const bool event_by_event : {false, true}) {
    const Analysis found = analyse(both, words, {}, event_by_event);
    ASSERT_EQ(found.kernels.size(), 2u);
    EXPECT_EQ(found.kernels[0].mix->stores, 50u * 10);
    EXPECT_EQ(found.kernels[0].loops.at(0).trips, 50u * 10);
    EXPECT_EQ(found.kernels[1].floating_point->depth, 50u * 19);
    EXPECT_EQ(found.kernels[1].followed_invocations, 8u);
    EXPECT_EQ(found.kernels[1].skipped_difference, 0);
  }
}

TEST(SkippedInvocations, ThatDifferAreReported) {
  const SmallKernel kernel = prefix_sum(11);
  std::vector<Word> words = events_of(kernel.code);
  const std::vector<Word> large =
      skipped(kernel.code.program, events_of(prefix_sum(1001).code), true);
  words.insert(words.end(), large.begin(), large.end());
  EXPECT_NEAR(analyse(kernel.code.program, words, {}).kernels.at(0).skipped_difference.value(),
              0.98, 0.01);
}

TEST(Choices, SayWhetherInvocationsMayBeSkipped) {
  const auto choice = [](std::vector<std::string> names) { return analysers_named(names); };
  EXPECT_FALSE(may_skip(choice({"mix"})));
  EXPECT_FALSE(may_skip(choice({"mix", "stack-distances"})));
  EXPECT_TRUE(may_skip(choice({"parallelism"})));
  EXPECT_TRUE(need_only_counts(choice({"mix"}), false));
  EXPECT_FALSE(need_only_counts(choice({"parallelism"}), false));
  EXPECT_TRUE(need_only_counts(choice({"parallelism"}), true));
  EXPECT_FALSE(need_only_counts(choice({"parallelism", "stack-distances"}), true));
}

}  // namespace
}  // namespace apmt::kernels::testing
