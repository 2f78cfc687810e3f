// The dynamic half of the analysers' input: the events of one thread, as a sequence of 64-bit
// words. Every source of events (the native runtime, an OpenCL simulator, a test) keeps these
// rules:
//
//  * Entering a block writes one word, the index of the block in the Program. The words of its
//    instructions follow in order (words_of() in kernels/program.h): the address of a load, store
//    or atomic; destination and bytes of a fill; destination, source and bytes of a copy. The
//    number of words is static (Block::words), so they need no tags.
//  * Calls need no words: the first block of a function begins a stack frame, and a block that ends
//    with kReturn ends that frame. If a block ends with a call and the next block in the stream is
//    its own successor, the callee is not instrumented: a blind spot. Conditions need no words
//    either: the next block in the stream shows which branch was taken.
//  * A block that is neither a successor of the innermost frame's last block nor the entry of a
//    function was reached by unwinding (an exception, longjmp): frames are popped until one belongs
//    to the block's function.
//  * An invocation of a kernel may be skipped to save time: it begins with the mark kKernelSkipped
//    instead of kKernelBegin. Analysers that use per_invocation.h only count its instructions. If
//    no analyser needs its events, its blocks are only counted (kCounted).
//  * Any other word is a mark: a Mark in the highest byte and a number in the other seven.
//  * A loop of one block whose addresses advance by constant strides can be written as one run,
//    which covers the loop from its entry to its end: the mark kRun with the number of iterations,
//    the index of the block, and an address and a stride for each word of the block. The block
//    may have at most kMostRunWords words, all of loads, stores and atomics. The run stands for one
//    entry of the block for each iteration.
//  * If no analyser needs the order of events or their addresses, a kernel's blocks can be counted
//    instead: before the kernel ends, marks kCounted say how often each block ran.
//  * Addresses lie in one flat space below 2^47. A source with several address spaces or buffers
//    places each at its own multiple of 2^32: the low 32 bits of an address are then its offset in
//    its buffer, which is what the published AIWC counts.
//  * A span of words that an analyser receives ends between two events, never inside one. Spans of
//    one thread come in order. An analyser never receives two spans at the same time.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/program.h"

namespace apmt::kernels {

using Word = std::uint64_t;

enum class Mark : std::uint8_t {
  kBlock = 0,       // the word is the index of a block
  kKernelBegin,     // number: index of the kernel's function. Kernels do not nest
  kKernelEnd,       //
  kWorkGroupBegin,  // number: which group
  kWorkGroupEnd,    //
  kWorkItem,        // number: which item; it starts, or resumes after a barrier
  kWorkItemEnd,     //
  kSynchronise,     // the user's annotation: a global synchronisation happens here
  kCopyToDevice,    // number: bytes
  kCopyFromDevice,  // number: bytes
  kGap,             // events are missing here: the next block does not follow the previous one
  kRun,             // number: how often the block runs; the next words describe the block
  kCounted,         // number: a block and how often it ran (counted())
  kKernelSkipped,   // number: index of the kernel's function
};
inline constexpr std::uint8_t kMarks = static_cast<std::uint8_t>(Mark::kKernelSkipped) + 1;
inline constexpr std::uint32_t kMostRunWords = 64;

inline constexpr std::uint64_t kMarkNumberMask = (std::uint64_t{1} << 56) - 1;
inline constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 47;

constexpr Word mark(Mark m, std::uint64_t number = 0) {
  return static_cast<Word>(m) << 56 | (number & kMarkNumberMask);
}
constexpr Mark mark_of(Word word) { return static_cast<Mark>(word >> 56); }
constexpr std::uint64_t number_of(Word word) { return word & kMarkNumberMask; }

/// The number of a mark kCounted has the block in its lowest kCountedBlockBits bits, and the
/// executions of this block in the others.
inline constexpr unsigned kCountedBlockBits = 24;
inline constexpr std::uint64_t kMostCounted = 0xffffffff;
constexpr Word counted(std::uint64_t block, std::uint64_t executions) {
  return mark(Mark::kCounted, block | executions << kCountedBlockBits);
}
constexpr std::uint64_t counted_block(std::uint64_t number) {
  return number & ((std::uint64_t{1} << kCountedBlockBits) - 1);
}
constexpr std::uint64_t counted_executions(std::uint64_t number) {
  return number >> kCountedBlockBits;
}

/// A block that is executed `times` times in a row. From each execution to the next, each of its
/// words advances by a constant stride.
struct Run {
  std::uint32_t block = 0;
  std::uint32_t words = 0;
  std::uint64_t times = 0;
  const Word* places = nullptr;  // for each word: the address in the first execution, the stride
  std::uint64_t first = 0;       // executions before this part of the run

  Word stride(std::uint32_t word) const { return places[2 * word + 1]; }
  Word address(std::uint32_t word, std::uint64_t execution = 0) const {
    return places[2 * word] + (first + execution) * stride(word);
  }
  void write_words(std::uint64_t execution, Word* words_of_it) const {
    for (std::uint32_t w = 0; w < words; ++w) words_of_it[w] = address(w, execution);
  }
  /// All executions from the beginning of the run to the end of this part.
  Run up_to_here() const { return {block, words, first + times, places, 0}; }
  /// `n` executions, from execution `from` on.
  Run part(std::uint64_t from, std::uint64_t n) const {
    return {block, words, n, places, first + from};
  }
};

/// Calls `block(index, words)` for every block entered, `run(Run)` for every run, and
/// `on_mark(Mark, number)` for every other mark, in order. Returns false if a word is invalid,
/// because the stream then belongs to another program.
template <class OnBlock, class OnMark, class OnRun>
bool for_each_event(const Program& program, std::span<const Word> words, OnBlock&& block,
                    OnMark&& on_mark, OnRun&& run) {
  const Word* at = words.data();
  const Word* const end = at + words.size();
  const std::uint64_t blocks = program.blocks.size();
  while (at != end) {
    const Word word = *at++;
    if (word < blocks) {
      const std::uint32_t more = program.blocks[word].words;
      if (static_cast<std::size_t>(end - at) < more) return false;
      block(static_cast<std::uint32_t>(word), at);
      at += more;
    } else if (mark_of(word) == Mark::kRun) {
      if (at == end || *at >= blocks || number_of(word) == 0) return false;
      const auto index = static_cast<std::uint32_t>(*at++);
      const std::uint32_t more = program.blocks[index].words;
      if (more > kMostRunWords || static_cast<std::size_t>(end - at) < 2 * more) return false;
      run(Run{index, more, number_of(word), at});
      at += 2 * more;
    } else if (word >> 56 != 0 && word >> 56 < kMarks) {
      if (mark_of(word) == Mark::kCounted && counted_block(number_of(word)) >= blocks) return false;
      on_mark(mark_of(word), number_of(word));
    } else {
      return false;
    }
  }
  return true;
}

/// Calls `block(index, words)` for each execution of a run.
template <class OnBlock>
void for_each_execution(const Run& run, OnBlock&& block) {
  Word words[kMostRunWords];
  for (std::uint64_t i = 0; i < run.times; ++i) {
    run.write_words(i, words);
    block(run.block, words);
  }
}

/// Like for_each_event() above, for an analyser that does not handle runs: calls `block` for each
/// execution of a run.
template <class OnBlock, class OnMark>
bool for_each_event(const Program& program, std::span<const Word> words, OnBlock&& block,
                    OnMark&& on_mark) {
  return for_each_event(program, words, block, on_mark,
                        [&](const Run& run) { for_each_execution(run, block); });
}

}  // namespace apmt::kernels
