// Tests of runs (kernels/events.h), each of which stands for many executions of a block. Every
// analyser must find the same in a stream with runs as in the stream with all executions.
#include "tests/unit/kernels/runs.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <sstream>

#include "tests/unit/kernels/analysed.h"

namespace apmt::kernels::testing {
namespace {

constexpr std::int64_t kA = Interpreter::kBase, kB = kA + (1 << 18), kC = kB + (1 << 18);

/// Empty, or the first lines in which two analyses differ.
std::string difference(const std::string& expected, const std::string& found) {
  std::istringstream a(expected), b(found);
  std::string of_a, of_b, member;
  while (std::getline(a, of_a) && std::getline(b, of_b)) {
    if (of_a != of_b) return member + "\n" + of_a + "\n" + of_b;
    if (of_a.ends_with('{') || of_a.ends_with('[')) member = of_a;
  }
  return expected == found ? "" : "one is longer";
}

/// The analysis without the size of the shadow memory, which may be smaller with runs.
std::string comparable(Analysis analysis) {
  for (KernelAnalysis& kernel : analysis.kernels) kernel.synchronisation->shadow_bytes = 0;
  return analysis_to_json(analysis);
}

/// Compares the analysis of a stream with runs with the analysis of the same stream without runs.
void expect_same(const Program& program, const std::vector<Word>& with_runs) {
  const std::vector<Word> plain = without_runs(program, with_runs);
  AnalyserChoice all{.stack_distance = true, .stack_sample_log2 = 2};
  const std::string expected = comparable(analyse(program, plain, all));
  EXPECT_EQ(difference(expected, comparable(analyse(program, with_runs, all))), "");
  EXPECT_EQ(difference(expected, comparable(analyse(program, with_runs, all, true))), "");

  const AnalyserChoice compatible{false, false, false, true, true, true, false, false, false};
  EXPECT_EQ(difference(comparable(analyse(program, plain, compatible)),
                       comparable(analyse(program, with_runs, compatible))),
            "");
}

struct Shape {
  std::string name;
  std::size_t runs;  // in its stream
  Code code;
  std::uint32_t main = 0;
};

Shape shape(const std::string& name, std::size_t runs, const std::function<void(Builder&)>& body) {
  Builder b;
  b.function(name);
  body(b);
  b.finish();
  return {name, runs, b.take()};
}

/// for (i = 0; i < n; ++i) to[first_to + step * i] = from[first_from + step * i] + 1
void shifted(Builder& b, std::int64_t to, int first_to, std::int64_t from, int first_from, int step,
             int n) {
  b.loop(0, n, [&](Value i) {
    const Value at = b.mul(i, step);
    const Value next = b.fadd(b.load(from, b.add(at, first_from)), 1.0);
    b.store(next, to, b.add(at, first_to));
  });
}

/// Calls a function several times. The number of iterations of its loop varies from 0 to 12.
Shape short_loops() {
  Builder b;
  b.function("few", 1);
  b.guarded_loop(0, b.argument(0),
                 [&](Value i) { b.store(b.fadd(b.load(kA, i), b.load(kB, i)), kA, b.add(i, 1)); });
  b.finish();
  Shape made{"short_loops", 0, {}, b.function("main")};
  for (const int n : {0, 1, 2, 3, 0, 1, 8, 9, 10, 12, 2}) {
    b.call("few", {n});
    made.runs += n > 0;
  }
  b.finish();
  made.code = b.take();
  return made;
}

/// Atomic additions to elements that are `step` apart.
Shape atomic(const std::string& name, int step) {
  Shape made = shape(name, 3, [&](Builder& b) {
    b.loop(0, 3, [&](Value) { b.loop(0, 100, [&](Value i) { b.load(kA, b.mul(i, step)); }); });
  });
  for (Instruction& i : made.code.program.instructions)
    if (i.op == OpClass::kLoad) i.op = OpClass::kAtomic;
  return made;
}

std::vector<Shape> shapes() {
  return {
      shape("copy", 1, [](Builder& b) { shifted(b, kB, 0, kA, 0, 1, 1000); }),
      shape("long", 1, [](Builder& b) { shifted(b, kB, 0, kA, 0, 1, 10000); }),
      shape("long_in_place", 1, [](Builder& b) { shifted(b, kA, 0, kB, 0, 0, 10000); }),
      shape("in_place", 1, [](Builder& b) { shifted(b, kA, 0, kA, 0, 1, 1000); }),
      shape("from_the_left", 1, [](Builder& b) { shifted(b, kA, 1, kA, 0, 1, 1000); }),
      shape("from_the_right", 1, [](Builder& b) { shifted(b, kA, 0, kA, 1, 1, 1000); }),
      shape("from_far_left", 1, [](Builder& b) { shifted(b, kA, 900, kA, 0, 1, 1000); }),
      shape("backward", 1, [](Builder& b) { shifted(b, kB, 999, kA, 999, -1, 1000); }),
      shape("backward_overlap", 1, [](Builder& b) { shifted(b, kA, 999, kA, 1000, -1, 1000); }),
      shape("backward_free", 1, [](Builder& b) { shifted(b, kA, 1000, kA, 999, -1, 1000); }),
      shape("interleaved", 1, [](Builder& b) { shifted(b, kA, 1, kA, 0, 2, 1000); }),
      shape("large_stride", 1, [](Builder& b) { shifted(b, kA, 3, kB, 0, 129, 200); }),
      shape("large_stride_back", 1,
            [](Builder& b) { shifted(b, kA, 30000, kB, 30000, -129, 200); }),
      shape("zero_stride", 1, [](Builder& b) { shifted(b, kB, 0, kA, 0, 0, 100); }),
      shape("zero_stride_in_place", 1, [](Builder& b) { shifted(b, kA, 0, kA, 0, 0, 100); }),
      shape("opposite_directions", 1,
            [](Builder& b) {
              b.loop(0, 300, [&](Value i) { b.store(b.load(kA, i), kA, b.sub(400, i)); });
            }),
      shape("dot", 1,
            [](Builder& b) {
              const Value sum = b.loop(0, 1000, {.initial = {0.0}}, [&](Value i, const auto& c) {
                return std::vector{b.fma(b.load(kA, i), b.load(kB, i), c[0])};
              })[0];
              b.store(sum, kC, 0);
            }),
      shape("one_behind_the_other", 3,
            [](Builder& b) {
              shifted(b, kB, 0, kA, 0, 1, 500);
              shifted(b, kC, 0, kB, 1, 1, 300);
              shifted(b, kA, 7, kC, 0, 1, 100);
            }),
      shape("sweeps", 20,
            [](Builder& b) {
              b.loop(0, 10, [&](Value) {
                shifted(b, kB, 0, kA, 0, 1, 300);
                shifted(b, kA, 1, kB, 0, 1, 300);
              });
            }),
      shape("rows", 35,
            [](Builder& b) {  // the middle loop carries a dependence, the outer loop does not
              b.loop(0, 5, [&](Value i) {
                b.loop(1, 8, [&](Value j) {
                  b.loop(0, 50, [&](Value k) {
                    const Value row = b.add(b.mul(i, 400), k);
                    const Value above = b.load(kA, b.add(row, b.mul(b.sub(j, 1), 50)));
                    b.store(b.fadd(above, 2.0), kA, b.add(row, b.mul(j, 50)));
                  });
                });
              });
            }),
      shape("triangle", 29,
            [](Builder& b) {  // iterations depend on the row above, and on an element far behind
              b.loop(1, 30, [&](Value i) {
                b.loop(0, i, [&](Value j) {
                  const Value sum =
                      b.fadd(b.load(kA, b.add(b.mul(b.sub(i, 1), 30), j)), b.load(kA, b.mul(i, 7)));
                  b.store(sum, kA, b.add(b.mul(i, 30), j));
                });
              });
            }),
      atomic("atomic_sum", 0),
      atomic("atomic_elements", 1),
      short_loops(),
  };
}

TEST(Runs, ShapesAreAnalysedAsTheirExecutions) {
  for (const Shape& s : shapes()) {
    SCOPED_TRACE(s.name);
    ASSERT_EQ(fault_of(s.code.program), "");
    const std::vector<Word> plain = events_of(s.code, s.main);
    const Stream made = with_runs(s.code.program, plain);
    EXPECT_EQ(made.runs, s.runs);
    EXPECT_EQ(without_runs(s.code.program, made.words), plain);
    expect_same(s.code.program, made.words);
  }
}

TEST(Runs, SmallKernelsAreAnalysedAsTheirExecutions) {
  std::size_t runs = 0;
  for (SmallKernel& kernel : all_small_kernels()) {
    SCOPED_TRACE(kernel.name);
    const Analysed analysed(kernel, {}, false);
    const Stream made = with_runs(kernel.code.program, analysed.run.words);
    EXPECT_EQ(without_runs(kernel.code.program, made.words), analysed.run.words);
    expect_same(kernel.code.program, made.words);
    runs += made.runs;
  }
  EXPECT_GT(runs, 1000u);
}

/// Random programs with two loops in an outer loop, and random runs of these loops: overlapping
/// accesses of different widths and strides, around the border between two pages of shadow memory.
class RandomRuns {
 public:
  explicit RandomRuns(unsigned seed) : random_(seed) {
    is_aligned_ = below(4) > 0;
    Builder b;
    b.function("random");
    b.loop(0, 1, [&](Value) {
      Value last = 1.0;
      for (int loop = 0; loop < 2; ++loop) {
        b.loop(0, 1, [&](Value i) { accesses(b, i, 1 + below(4), &last); });
        accesses(b, 0, below(2), &last);
      }
    });
    b.finish();
    program = b.take().program;
    for (Instruction& i : program.instructions) {
      if (words_of(i.op) == 0) continue;
      i.bytes = below(2) == 0 ? 8
                : is_aligned_ ? one_of(std::array{4, 16, 64})
                              : one_of(std::array{1, 2, 12, 100});
      if (i.op == OpClass::kLoad && below(4) == 0) i.op = OpClass::kAtomic;
      add_idioms(i);
    }
  }

  std::vector<Word> events() {
    std::vector<Word> words;
    for (std::uint64_t kernel = 0; kernel < 2; ++kernel) {
      const bool has_items = below(6) == 0, is_whole = below(6) > 0;
      if (kernel > 0 && below(3) == 0) add_run(2, &words);  // between kernels
      words.push_back(mark(Mark::kKernelBegin, 0));
      if (has_items) words.push_back(mark(Mark::kWorkItem, kernel));
      if (is_whole) add_block(0, &words);
      for (std::uint64_t i = 1 + below(6); i > 0; --i)
        for (std::uint32_t block = 1; block <= 5; ++block)
          if (!can_be_a_run(program, block))
            add_block(block, &words);
          else
            add_run(block, &words);
      if (below(6) == 0) {
        words.push_back(mark(Mark::kGap));
        add_run(4, &words);
      }
      if (is_whole) add_block(6, &words);
      if (has_items) words.push_back(mark(Mark::kWorkItemEnd));
      words.push_back(mark(Mark::kKernelEnd));
    }
    return words;
  }

  Program program;

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  template <class Numbers>
  std::uint32_t one_of(const Numbers& numbers) {
    return static_cast<std::uint32_t>(numbers[below(static_cast<std::uint32_t>(numbers.size()))]);
  }

  void accesses(Builder& b, Value i, std::uint32_t n, Value* last) {
    for (; n > 0; --n)
      if (below(2) == 0)
        *last = b.fadd(b.load(kA, i), *last);
      else
        b.store(*last, kA, i);
  }

  /// Adds idioms for an access, so that the analysis shows in which loop it carries a dependence.
  void add_idioms(const Instruction& i) {
    const auto at = static_cast<std::uint32_t>(&i - program.instructions.data());
    for (std::uint32_t block = 0; block < program.blocks.size(); ++block) {
      const Block& b = program.blocks[block];
      if (b.loop == kNone || at < b.first_instruction || at >= b.first_instruction + b.instructions)
        continue;
      for (const bool is_inner : {false, true}) {
        Idiom idiom;
        idiom.loop = b.loop;
        idiom.kind = is_inner ? Idiom::kStream : Idiom::kGather;
        idiom.nest = is_inner ? b.loop : 0;
        idiom.first_reference = static_cast<std::uint32_t>(program.references.size());
        idiom.references = 1;
        program.idioms.push_back(idiom);
        program.references.push_back(at);
      }
    }
  }

  Word address() {
    const Word first = kA + (Word{below(3)} << 18) + (1 << 16) - 200;
    return first + 4 * below(50) + (is_aligned_ ? 0 : below(8));
  }
  Word stride() {
    constexpr std::array kAligned = {0, 4, 8, 16, 32, 64, 68, 136, 1024, 4096};
    constexpr std::array kOther = {0, 1, 2, 5, 8, 24, 63, 65, 100, 1025};
    const Word size = one_of(is_aligned_ ? kAligned : kOther);
    return below(3) == 0 ? -size : size;
  }

  void add_block(std::uint32_t block, std::vector<Word>* words) {
    words->push_back(block);
    for (std::uint32_t w = 0; w < program.blocks[block].words; ++w) words->push_back(address());
  }
  void add_run(std::uint32_t block, std::vector<Word>* words) {
    words->push_back(mark(Mark::kRun, one_of(std::array{1, 2, 3, 8, 9, 17, 40, 200, 260})));
    words->push_back(block);
    const bool is_like = below(2) == 0;
    const Word like = stride();
    for (std::uint32_t w = 0; w < program.blocks[block].words; ++w) {
      words->push_back(address());
      words->push_back(is_like ? like : stride());
    }
  }

  std::mt19937 random_;
  bool is_aligned_ = true;
};

TEST(Runs, RandomRunsAreAnalysedAsTheirExecutions) {
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomRuns random(seed);
    ASSERT_EQ(fault_of(random.program), "");
    expect_same(random.program, random.events());
  }
}

}  // namespace
}  // namespace apmt::kernels::testing
