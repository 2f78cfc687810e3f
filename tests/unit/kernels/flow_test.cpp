// Tests of analysers with event streams (kernels/events.h) that contain more than loops: calls,
// unwinding, several invocations and threads, and marks such as those of work-items.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/analysers/asap.h"
#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

constexpr std::int64_t kBase = Interpreter::kBase;

SmallKernel kernel_of(const std::function<void(Builder&)>& body) {
  Builder b;
  body(b);
  SmallKernel made;
  made.code = b.take();
  return made;
}

/// The level (step of the schedule) of an argument is passed to the callee, and the level of the
/// result is passed back to the caller.
TEST(Flow, LevelsPassThroughCalls) {
  const Analysed analysed(kernel_of([](Builder& b) {
    b.function("main");
    const Value first = b.fadd(b.load(kBase, 0), 1.0);
    // This program does not define `twice`; the second program below does.
    const Value second = b.call("twice", {first});
    b.store(b.fadd(second, 1.0), kBase, 1);
    b.finish();
  }));
  // A call to a function that is not defined is a blind spot.
  ASSERT_EQ(analysed.found().blind_spots.size(), 1u);
  EXPECT_EQ(analysed.found().blind_spots[0].callee, "twice");
  EXPECT_EQ(analysed.found().blind_spots[0].calls, 1u);

  Builder b;
  b.function("twice", 1);
  b.give_back({b.fmul(b.argument(0), 2.0)});
  const std::uint32_t main = b.function("main");
  const Value first = b.fadd(b.load(kBase, 0), 1.0);
  b.store(b.fadd(b.call("twice", {first}), 1.0), kBase, 1);
  b.finish();
  const Code code = b.take();
  ASSERT_EQ(fault_of(code.program), "");
  const Analysis found = analyse(code.program, events_of(code, main), {});
  EXPECT_EQ(found.kernels[0].floating_point->depth, 3u);
  EXPECT_TRUE(found.kernels[0].blind_spots.empty());
  EXPECT_EQ(found.kernels[0].mix->calls, 1u);
}

/// A loop in a callee is inside the loop that contains the call.
TEST(Flow, ParallelLoopInACalleeOfASequentialLoop) {
  Builder b;
  b.function("sweep");
  b.loop(0, 10, [&](Value i) { b.store(b.fadd(b.load(kBase, i), 1.0), kBase, i); });
  b.finish();
  const std::uint32_t main = b.function("main");
  b.loop(0, 7, [&](Value) { b.call("sweep", {}); });
  b.finish();
  const Code code = b.take();
  const Analysis found = analyse(code.program, events_of(code, main), {});
  EXPECT_EQ(found.kernels[0].synchronisation->global(), 7u);
  EXPECT_EQ(found.kernels[0].floating_point->depth, 7u);
}

/// An exception or longjmp leaves frames and loops: later events belong to the frame that
/// continues.
TEST(Flow, UnwindingEndsFramesAndLoops) {
  Builder b;
  b.function("thrower");
  b.loop(0, 5, [&](Value) { b.call_outside("throw"); });
  b.finish();
  const std::uint32_t main = b.function("main");
  b.loop(0, 3, [&](Value) { b.call("thrower", {}); });
  b.finish();
  const Code code = b.take();
  const Program& p = code.program;
  // Each call to thrower ends in the first iteration of its loop.
  const std::uint32_t header = p.loops[0].header, caller = p.loops[1].header,
                      entry = p.functions[main].first_block;
  std::vector<Word> words{mark(Mark::kKernelBegin, main), entry};
  for (int i = 0; i < 3; ++i)
    words.insert(words.end(), {caller, p.functions[0].first_block, header, caller + 1});
  words.insert(words.end(), {caller + 2, mark(Mark::kKernelEnd)});
  const Analysis found = analyse(p, words, {});
  for (const LoopFacts& loop : found.kernels[0].loops) {
    EXPECT_EQ(loop.entries, loop.id == 0 ? 3u : 1u);
    EXPECT_EQ(loop.trips, 3u);
  }
}

TEST(Flow, InvocationsAddUpAndEachHasItsOwnSchedule) {
  const SmallKernel kernel = triad(100);
  Interpreter run(kernel.code);
  for (int i = 0; i < 3; ++i) run.run(0);
  const Analysis found = analyse(kernel.code.program, run.words, {.stack_distance = true});
  const KernelAnalysis& k = found.kernels.at(0);
  EXPECT_EQ(k.invocations, 3u);
  EXPECT_EQ(k.mix->flops, 600u);
  EXPECT_EQ(k.floating_point->depth, 6u);
  EXPECT_EQ(k.floating_point->profile.size(), 2u);
  EXPECT_EQ(k.aiwc->instructions * 3, k.mix->instructions);
  EXPECT_EQ(k.loops[0].entries, 3u);
  // The LRU stack keeps its lines from one invocation to the next, so only the first invocation
  // finds cold lines (lines that were not accessed before).
  EXPECT_EQ(k.locality->cold, 38);
}

/// Analyses words of several threads in the given order.
Analysis analyse_threads(const Program& program,
                         const std::vector<std::pair<unsigned, std::vector<Word>>>& spans) {
  Analysis analysis;
  for (const auto& analyser : make_analysers({.stack_distance = true})) {
    analyser->begin(program);
    for (const auto& [thread, words] : spans) analyser->consume(thread, words);
    analyser->finish(&analysis);
  }
  return analysis;
}

/// A kernel is followed on the thread that began it, whichever that is. Meanwhile, the instructions
/// of other threads are only counted.
TEST(Flow, TheThreadThatBeginsAKernelIsFollowed) {
  const SmallKernel kernel = prefix_sum(50);
  const std::vector<Word> run = events_of(kernel.code);
  const std::vector<Word> inside(run.begin() + 1, run.end() - 1);
  const std::vector<Word> begin(run.begin(), run.begin() + 1), end(run.end() - 1, run.end());
  const Analysis one = analyse_threads(kernel.code.program, {{0, run}});
  const Analysis both = analyse_threads(
      kernel.code.program, {{0, run}, {1, begin}, {0, inside}, {1, inside}, {1, end}, {0, run}});
  const KernelAnalysis &k = both.kernels.at(0), &alone = one.kernels.at(0);
  EXPECT_EQ(k.invocations, 3u);
  EXPECT_EQ(k.mix->loads, 4 * alone.mix->loads);
  EXPECT_EQ(k.floating_point->depth, 3 * alone.floating_point->depth);
  EXPECT_EQ(k.floating_point->operations, 3 * alone.floating_point->operations);
  EXPECT_EQ(k.loops.at(0).entries, 3u);
  EXPECT_EQ(k.loops.at(0).trips, 3 * alone.loops.at(0).trips);
  EXPECT_EQ(k.loops.at(0).verdict, Verdict::kSequential);
  EXPECT_EQ(k.locality->accesses, 3 * alone.locality->accesses);
}

/// A thread that left a kernel by an exception has frames whose ends were not recorded. What
/// another thread does must not be attributed to these frames.
TEST(Flow, AnotherThreadsFramesAreNotTakenForItsOwn) {
  Builder b;
  const std::uint32_t writer = b.function("writer");
  b.loop(0, 10, [&](Value i) { b.store(1.0, kBase, i); });
  b.finish();
  const std::uint32_t reader = b.function("reader");
  b.loop(0, 5, [&](Value i) { b.store(b.load(kBase, i), kBase, b.add(i, 100)); });
  b.finish();
  const Code code = b.take();
  const std::vector<Word> written = events_of(code, writer);
  // The words are the mark, the entry, and five iterations of a block and an address each.
  std::vector<Word> torn(written.begin(), written.begin() + 2 + 5 * 2);
  torn.push_back(mark(Mark::kKernelEnd));
  const Analysis found = analyse_threads(code.program, {{0, torn}, {1, events_of(code, reader)}});
  EXPECT_EQ(found.kernels.at(0).loops.at(0).trips, 5u);
  EXPECT_EQ(found.kernels.at(0).loops.at(0).verdict, Verdict::kParallel);
}

/// A library that is loaded later moves the tables of the program in memory. This must not change
/// results.
TEST(Flow, ModulesThatComeBehindACallChangeNothing) {
  Builder b;
  b.function("main");
  b.call_outside("elsewhere");
  b.store(1.0, kBase, 0);
  b.finish();
  const Code code = b.take();
  const std::vector<Word> words = events_of(code);
  const auto behind_call = words.begin() + 2;
  Program program = code.program;
  Analysis analysis;
  for (const auto& analyser : make_analysers({})) {
    analyser->begin(program);
    analyser->consume(0, {words.begin(), behind_call});
    for (int i = 0; i < 20; ++i) append(lu(4).code.program, &program);
    analyser->begin(program);
    analyser->consume(0, {behind_call, words.end()});
    analyser->finish(&analysis);
  }
  ASSERT_EQ(analysis.kernels.at(0).blind_spots.size(), 1u);
  EXPECT_EQ(analysis.kernels.at(0).blind_spots[0].callee, "elsewhere");
}

Parallelism scheduled(const SmallKernel& kernel, int invocations, std::uint32_t highest) {
  Interpreter run(kernel.code);
  for (int i = 0; i < invocations; ++i) run.run(0);
  const auto analyser = make_asap_of_floating_point(highest);
  Analysis analysis;
  analyser->begin(kernel.code.program);
  analyser->consume(0, run.words);
  analyser->finish(&analysis);
  return *analysis.kernels.at(0).floating_point;
}

TEST(Parallelism, LevelsNeverWrap) {
  const Parallelism whole = scheduled(prefix_sum(101), 1, 1000);
  EXPECT_EQ(whole.depth, 100u);
  EXPECT_TRUE(whole.is_complete);
  const Parallelism cut = scheduled(prefix_sum(101), 1, 60);
  EXPECT_EQ(cut.depth, 60u);
  EXPECT_EQ(cut.operations, 100u);
  EXPECT_EQ(cut.profile.back(), 41);
  EXPECT_FALSE(cut.is_complete);
  // Nine invocations have 900 levels in all, and the highest permitted level is 200. That is
  // enough, because each invocation numbers its levels anew.
  const Parallelism many = scheduled(prefix_sum(101), 9, 200);
  EXPECT_EQ(many.depth, 900u);
  EXPECT_TRUE(many.is_complete);
}

TEST(Flow, ATestOnTopIsNoIteration) {
  SmallKernel kernel = copy(10);
  kernel.code.program.loops[0].flags = Loop::kTopTested;
  EXPECT_EQ(Analysed(kernel).loop(0).trips, 9u);  // the last test leaves the loop
}

TEST(Annotations, Override) {
  const auto annotated = [](Loop::Annotation annotation) {
    SmallKernel kernel = figure6(20);
    kernel.code.program.loops[0].annotation = annotation;
    return Analysed(kernel);
  };
  EXPECT_EQ(annotated(Loop::kUnsaid).found().synchronisation->global(), 19u);
  EXPECT_EQ(annotated(Loop::kParallel).found().synchronisation->global(), 0u);
  EXPECT_EQ(annotated(Loop::kParallel).loop(0).because, "annotation");

  const SmallKernel kernel = figure6(20);
  std::vector<Word> words = events_of(kernel.code);
  words.insert(words.begin() + 1, 4, mark(Mark::kSynchronise));
  EXPECT_EQ(analyse(kernel.code.program, words, {}).kernels[0].synchronisation->global(), 4u);
}

TEST(BulkMemory, IsItsAccesses) {
  const Analysed analysed(kernel_of([](Builder& b) {
                            b.function("bulk");
                            b.store(b.fadd(1.0, 2.0), kBase, 3);
                            b.copy_memory(kBase + 800, kBase, 80);
                            b.fill_memory(kBase + 1600, 64);
                            b.store(b.fadd(b.load(kBase, 103), 1.0), kBase, 0);
                            b.finish();
                          }),
                          {.stack_distance = true});
  const KernelAnalysis& k = analysed.found();
  EXPECT_EQ(k.mix->loads, 10u + 1);
  EXPECT_EQ(k.mix->stores, 10u + 8 + 2);
  EXPECT_EQ(k.mix->loaded_bytes, 88u);
  EXPECT_EQ(k.aiwc->reads, 11u);
  EXPECT_EQ(k.aiwc->writes, 20u);
  EXPECT_EQ(k.floating_point->depth, 2u);
  EXPECT_EQ(k.locality->cold, 2 + 2 + 1);
}

TEST(WorkItems, InstructionsToBarrier) {
  Builder b;
  const std::uint32_t kernel = b.function("item");
  b.store(1.0, kBase, 0);
  b.barrier();
  b.store(1.0, kBase, 1);
  b.store(1.0, kBase, 2);
  b.finish();
  const Program p = b.take().program;
  const std::uint32_t first = p.functions[kernel].first_block;
  std::vector<Word> words{mark(Mark::kKernelBegin, kernel), mark(Mark::kWorkGroupBegin, 0)};
  const auto element = [](int i) { return static_cast<Word>(kBase + 8 * i); };
  for (int item = 0; item < 3; ++item)
    words.insert(words.end(),
                 {mark(Mark::kWorkItem, static_cast<std::uint64_t>(item)), first, element(0)});
  for (int item = 0; item < 3; ++item)
    words.insert(words.end(),
                 {mark(Mark::kWorkItem, static_cast<std::uint64_t>(item)), first + 1, element(1),
                  element(2), mark(Mark::kWorkItemEnd, static_cast<std::uint64_t>(item))});
  words.insert(words.end(), {mark(Mark::kWorkGroupEnd, 0), mark(Mark::kKernelEnd)});

  const Aiwc aiwc = *analyse(p, words, {}).kernels[0].aiwc;
  EXPECT_EQ(aiwc.work_item, "work-item");
  EXPECT_EQ(aiwc.work_items, 3u);
  EXPECT_EQ(aiwc.barriers, 3u);
  EXPECT_EQ(aiwc.least_to_barrier, 3u);  // address, store, barrier
  EXPECT_EQ(aiwc.most_to_barrier, 5u);
  EXPECT_EQ(aiwc.median_to_barrier, 4);
  EXPECT_EQ(aiwc.median_per_item, 8);
  EXPECT_EQ(aiwc.instructions, 24u);
  EXPECT_EQ(aiwc.footprint, 3u);

  // The published tool keeps the last half of nine accesses: five, of elements 2, 1, 2, 1, 2.
  const Aiwc compatible = *analyse(p, words, {.aiwc_compatible = true}).kernels[0].aiwc;
  EXPECT_EQ(compatible.footprint, 2u);
  EXPECT_NEAR(compatible.entropy, 0.970951, 1e-6);
  EXPECT_EQ(compatible.writes, 9u);
  EXPECT_FALSE(compatible.rewrite.has_value());
}

/// The condition is true in 16 of 17 iterations. So of the 17 different windows of 16 outcomes, one
/// contains no false outcome and 16 contain one.
TEST(Branches, AreTakenInThePublishedToolWhereTheConditionIsFalse) {
  const SmallKernel kernel = kernel_of([](Builder& b) {
    b.function("rounds");
    b.loop(0, 40, [&](Value) { b.loop(0, 17, [&](Value i) { b.store(1.0, kBase, i); }); });
    b.finish();
  });
  const auto yokota_of_the_inner_loop = [&](bool is_compatible) {
    const Analysed inner(kernel, {.aiwc_compatible = is_compatible});
    return inner.found().aiwc->yokota;
  };
  const double few = -std::log2(1.0 / 16) / 16, many = -std::log2(15.0 / 16) * 15 / 16;
  // The outer loop adds a window in which only the last outcome differs.
  EXPECT_NEAR(yokota_of_the_inner_loop(true), 16 * few + few, 1e-9);
  EXPECT_NEAR(yokota_of_the_inner_loop(false), 16 * many + many, 1e-9);
}

TEST(WorkItems, OfNativeCodeAreIterationsOfTheOutermostParallelLoop) {
  const Analysed analysed(lu(16));
  const Aiwc& aiwc = *analysed.found().aiwc;
  EXPECT_EQ(aiwc.work_item, "iteration of lu.c:" + std::to_string(analysed.loop(1).line));
  EXPECT_EQ(aiwc.work_items, 120u);
  EXPECT_EQ(Analysed(prefix_sum(10)).found().aiwc->work_item, "invocation");
  EXPECT_EQ(Analysed(copy(100)).found().aiwc->median_per_item, 8);
}

/// After a barrier, items continue with the levels of their own values. The first item, which had
/// the shortest chain of operations, has the longest one after the barrier.
TEST(WorkItems, LevelsStayWithTheirItem) {
  Builder b;
  const std::uint32_t kernel = b.function("item");
  const Value sum = b.fadd(b.load(kBase, 0), 1.0);
  b.store(sum, kBase, 1);
  b.barrier();
  b.loop(0, 2, {.initial = {sum}}, [&](Value, const std::vector<Value>& carried) {
    return std::vector<Value>{b.fadd(carried[0], 1.0)};
  });
  b.finish();
  const Program p = b.take().program;
  const std::uint32_t first = p.functions[kernel].first_block, header = p.loops[0].header;
  std::vector<Word> words{mark(Mark::kKernelBegin, kernel), mark(Mark::kWorkGroupBegin, 0)};
  for (std::uint64_t item = 0; item < 3; ++item) {  // each reads what the previous one wrote
    const Word from = kBase + 8 * item;
    words.insert(words.end(), {mark(Mark::kWorkItem, item), first, from, from + 8});
  }
  for (std::uint64_t item = 0; item < 3; ++item) {
    words.insert(words.end(), {mark(Mark::kWorkItem, item), first + 1});
    words.insert(words.end(), item == 0 ? 3 : 1, header);
    words.insert(words.end(), {header + 1, mark(Mark::kWorkItemEnd, item)});
  }
  words.insert(words.end(), {mark(Mark::kWorkGroupEnd, 0), mark(Mark::kKernelEnd)});
  const Analysis found = analyse(p, words, {});
  const KernelAnalysis& k = found.kernels[0];
  EXPECT_EQ(k.floating_point->profile, (std::vector<double>{1, 2, 3, 2}));
  EXPECT_EQ(k.loops.at(0).entries, 3u);
  EXPECT_EQ(k.loops.at(0).trips, 5u);
}

/// Two kernels of one block each, which loads, adds and stores.
struct TwoKernels {
  Program program;
  std::uint32_t first = 0, second = 0;

  TwoKernels() {
    Builder b;
    first = b.function("first");
    b.store(b.fadd(b.load(kBase, 0), 1.0), kBase, 1);
    b.finish();
    second = b.function("second");
    b.store(b.fadd(b.load(kBase, 0), 1.0), kBase, 1);
    b.finish();
    program = b.take().program;
  }
  std::vector<Word> run(std::uint32_t kernel, std::uint64_t items) const {
    std::vector<Word> words{mark(Mark::kKernelBegin, kernel), mark(Mark::kWorkGroupBegin, 0)};
    for (std::uint64_t item = 0; item < items; ++item)
      words.insert(words.end(), {mark(Mark::kWorkItem, item), program.functions[kernel].first_block,
                                 Word{kBase}, Word{kBase + 8}, mark(Mark::kWorkItemEnd, item)});
    words.insert(words.end(), {mark(Mark::kWorkGroupEnd, 0), mark(Mark::kKernelEnd)});
    return words;
  }
};

TEST(WorkItems, OfALaterInvocationAreNotThoseOfTheNextKernel) {
  const TwoKernels kernels;
  std::vector<Word> words;
  for (const auto& [kernel, items] :
       {std::pair(kernels.first, 3), {kernels.first, 5}, {kernels.second, 2}}) {
    const std::vector<Word> more = kernels.run(kernel, static_cast<std::uint64_t>(items));
    words.insert(words.end(), more.begin(), more.end());
  }
  const Analysis found = analyse(kernels.program, words, {});
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_EQ(found.kernels[0].invocations, 2u);
  EXPECT_EQ(found.kernels[0].aiwc->work_items, 3u);
  EXPECT_EQ(found.kernels[1].aiwc->work_items, 2u);
  EXPECT_EQ(found.kernels[1].aiwc->least_per_item, found.kernels[1].aiwc->most_per_item);
  EXPECT_EQ(found.kernels[1].aiwc->instructions, 2 * found.kernels[1].aiwc->most_per_item);
}

TEST(Synchronisations, InsideAWorkItemAreNotGlobal) {
  Builder b;
  const std::uint32_t kernel = b.function("sweeps");
  b.loop(0, 3, [&](Value) {
    b.loop(0, 2, [&](Value i) { b.store(b.fadd(b.load(kBase, i), 1.0), kBase, i); });
  });
  b.finish();
  const Code code = b.take();
  std::vector<Word> words = events_of(code, kernel);
  const Synchronisation native = *analyse(code.program, words, {}).kernels[0].synchronisation;
  EXPECT_EQ(native.by_trip_counts, 3u);
  EXPECT_EQ(native.inside_parallel, 0u);
  words.insert(words.begin() + 1, mark(Mark::kWorkItem, 0));
  words.insert(words.end() - 1, mark(Mark::kWorkItemEnd, 0));
  EXPECT_EQ(analyse(code.program, words, {}).kernels[0].synchronisation->inside_parallel, 3u);
}

TEST(Synchronisations, WhatAnIterationWroteItselfIsNoDependence) {
  const Analysed analysed(kernel_of([](Builder& b) {
    b.function("temporary");
    b.loop(0, 10, [&](Value i) {
      b.store(b.load(kBase, i), kBase, 100);
      b.store(b.load(kBase, 100), kBase, b.add(i, 200));
    });
    b.finish();
  }));
  EXPECT_EQ(analysed.loop(0).verdict, Verdict::kParallel);
}

TEST(Sampling, AgreesWithExactDistances) {
  const Analysed exact(transpose(200), {.stack_distance = true, .stack_sample_log2 = 3}, false);
  const Locality& all = *exact.found().locality;
  const Locality& sample = *exact.found().sampled_locality;
  EXPECT_EQ(sample.one_line_of, 8u);
  EXPECT_EQ(sample.accesses, all.accesses);
  for (const double cache : {8192.0, 65536.0, 262144.0})
    EXPECT_NEAR(sample.misses(cache) / sample.accesses, all.misses(cache) / all.accesses, 0.03)
        << cache;
}

TEST(Footprint, OfLoops) {
  const Analysed analysed(lu(16));
  // 16 x 16 elements; the innermost loop touches all columns but the first, and so all lines.
  EXPECT_NEAR(*analysed.loop(2).footprint_bytes, 2048, 0.1 * 2048);
  EXPECT_NEAR(*Analysed(copy(1000)).loop(0).footprint_bytes, 16000, 1600);
}

}  // namespace
}  // namespace apmt::kernels::testing
