// The dynamic half of the analysers' input: the events of one thread, as a sequence of 64-bit
// words. Every source of events (the native runtime, an OpenCL simulator, a test) keeps these
// rules:
//
//  * Entering a block writes one word, the index of the block in the Program. The words of its
//    instructions follow in order (words_of() in kernels/program.h): the address of a load, store
//    or atomic; destination and bytes of a fill; destination, source and bytes of a copy. The
//    number of words is static (Block::words), so they need no tags.
//  * Calls need no words: the first block of a function begins a stack frame, and a block that ends
//    with kReturn ends that frame. If a block ends with a call and its own successor follows, the
//    callee is not instrumented: a blind spot. Conditions need no words either: the successor that
//    follows shows which branch was taken.
//  * A block that is neither a successor of the previous block nor the entry of a function was
//    reached by unwinding (an exception, longjmp): frames are popped until one belongs to the
//    block's function.
//  * Any other word is a mark: a Mark in the highest byte and a number in the other seven.
//  * Addresses lie in one flat space below 2^47. A source with several address spaces or buffers
//    places each at its own multiple of 2^32: the low 32 bits of an address are then its offset in
//    its buffer, which is what the published AIWC counts.
//  * A span handed to an analyser ends between two events, never inside one. Spans of one thread
//    come in order; two spans are never handed over at the same time.
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
};
inline constexpr std::uint8_t kMarks = static_cast<std::uint8_t>(Mark::kGap) + 1;

inline constexpr std::uint64_t kMarkNumberMask = (std::uint64_t{1} << 56) - 1;
inline constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 47;

constexpr Word mark(Mark m, std::uint64_t number = 0) {
  return static_cast<Word>(m) << 56 | (number & kMarkNumberMask);
}
constexpr Mark mark_of(Word word) { return static_cast<Mark>(word >> 56); }
constexpr std::uint64_t number_of(Word word) { return word & kMarkNumberMask; }

/// Calls `block(index, words)` for every block entered and `on_mark(Mark, number)` for every mark,
/// in order. Returns false at a word that is neither: the stream belongs to another program.
template <class OnBlock, class OnMark>
bool for_each_event(const Program& program, std::span<const Word> words, OnBlock&& block,
                    OnMark&& on_mark) {
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
    } else if (word >> 56 != 0 && word >> 56 < kMarks) {
      on_mark(mark_of(word), number_of(word));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace apmt::kernels
