#include "tests/unit/kernels/runs.h"

#include <algorithm>

namespace apmt::kernels::testing {
namespace {

/// Executions of a block that follow one another, each with its words.
struct Executions {
  std::uint32_t words = 0;
  std::vector<const Word*> all;

  Word stride(std::uint32_t word) const { return all.size() < 2 ? 8 : all[1][word] - all[0][word]; }
  bool advance_by_strides() const {
    for (std::size_t i = 1; i < all.size(); ++i)
      for (std::uint32_t w = 0; w < words; ++w)
        if (all[i][w] - all[i - 1][w] != stride(w)) return false;
    return true;
  }
};

}  // namespace

bool can_be_a_run(const Program& program, std::uint32_t block) {
  const Block& b = program.blocks[block];
  if (b.loop == kNone || b.words > kMostRunWords) return false;
  for (const Block& other : program.blocks)
    if (&other != &b && other.loop == b.loop) return false;
  for (const Loop& loop : program.loops)
    if (loop.parent == b.loop) return false;
  const auto code = program.code(b);
  return std::all_of(code.begin(), code.end(),
                     [](const Instruction& i) { return words_of(i.op) <= 1; });
}

Stream with_runs(const Program& program, const std::vector<Word>& words) {
  Stream made;
  const Word* at = words.data();
  const Word* const end = at + words.size();
  while (at != end) {
    const Word* const begin = at;
    const Word block = *at++;
    if (block >= program.blocks.size()) {
      made.words.push_back(block);
      continue;
    }
    Executions executions{program.blocks[block].words, {at}};
    at += executions.words;
    if (can_be_a_run(program, static_cast<std::uint32_t>(block)))
      for (; at != end && *at == block; at += 1 + executions.words)
        executions.all.push_back(at + 1);
    if (!can_be_a_run(program, static_cast<std::uint32_t>(block)) ||
        !executions.advance_by_strides()) {
      made.words.insert(made.words.end(), begin, at);
      continue;
    }
    made.words.push_back(mark(Mark::kRun, executions.all.size()));
    made.words.push_back(block);
    for (std::uint32_t w = 0; w < executions.words; ++w) {
      made.words.push_back(executions.all[0][w]);
      made.words.push_back(executions.stride(w));
    }
    ++made.runs;
  }
  return made;
}

std::vector<Word> without_runs(const Program& program, const std::vector<Word>& words) {
  std::vector<Word> plain;
  for_each_event(
      program, words,
      [&](std::uint32_t block, const Word* more) {
        plain.push_back(block);
        plain.insert(plain.end(), more, more + program.blocks[block].words);
      },
      [&](Mark m, std::uint64_t number) { plain.push_back(mark(m, number)); },
      [&](const Run& run) {
        for (std::uint64_t i = 0; i < run.times; ++i) {
          plain.push_back(run.block);
          for (std::uint32_t w = 0; w < run.words; ++w)
            plain.push_back(run.places[2 * w] + i * run.places[2 * w + 1]);
        }
      });
  return plain;
}

}  // namespace apmt::kernels::testing
