// The compact input of fuzz_kernels: the length of an encoded program (four bytes), the program,
// and the events of its execution (see kernels/events.h) as 16-bit numbers. A number is
//  * a mark if its highest bit is set: seven bits of tag, then eight bits of argument;
//  * otherwise the index of a block. The words of the block follow: addresses in units of eight
//    bytes, and lengths.
// A run is a series of executions of one block, in which addresses advance by constant strides. The
// argument of its mark is the number of executions. The mark is followed by the index of the block
// and, for each word of the block, an address and a stride of at most 127 units.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/events.h"

namespace apmt::fuzz {

inline constexpr std::uint64_t kFirstAddress = 1 << 20;

/// Calls `visit(is_length)` for each word that follows a block.
template <class Visit>
void each_word(const kernels::Program& program, const kernels::Block& block, const Visit& visit) {
  for (const kernels::Instruction& i : program.code(block))
    for (std::uint32_t w = 0; w < kernels::words_of(i.op); ++w)
      visit(kernels::words_of(i.op) > 1 && w + 1 == kernels::words_of(i.op));
}

/// Reads what follows the mark of a run. Returns false if the numbers end too early, `times` is 0,
/// or the block cannot be in a run because it has lengths or too many words.
inline bool add_run(const kernels::Program& program, const std::vector<std::uint16_t>& numbers,
                    std::uint64_t times, std::size_t* at, std::vector<kernels::Word>* words) {
  if (*at == numbers.size() || times == 0) return false;
  const std::size_t index = numbers[(*at)++] % program.blocks.size();
  const kernels::Block& block = program.blocks[index];
  bool has_length = false;
  each_word(program, block, [&](bool is_length) { has_length |= is_length; });
  if (has_length || block.words > kernels::kMostRunWords || *at + 2 * block.words > numbers.size())
    return false;
  words->push_back(kernels::mark(kernels::Mark::kRun, times));
  words->push_back(index);
  for (std::uint32_t w = 0; w < block.words; ++w, *at += 2) {
    words->push_back(kFirstAddress * 2 + 8 * std::uint64_t{numbers[*at]});
    words->push_back(8 * (std::uint64_t{numbers[*at + 1]} % 255 - 127));
  }
  return true;
}

inline std::vector<kernels::Word> words_of(const kernels::Program& program,
                                           const std::vector<std::uint16_t>& numbers) {
  std::vector<kernels::Word> words;
  for (std::size_t at = 0; at < numbers.size();) {
    const std::uint16_t number = numbers[at++];
    if ((number & 0x8000) != 0) {
      const auto tag = static_cast<std::uint8_t>(1 + (number >> 8 & 127) % (kernels::kMarks - 1));
      if (static_cast<kernels::Mark>(tag) == kernels::Mark::kRun) {
        if (!add_run(program, numbers, number & 255, &at, &words)) break;
        continue;
      }
      const bool is_kernel = static_cast<kernels::Mark>(tag) == kernels::Mark::kKernelBegin ||
                             static_cast<kernels::Mark>(tag) == kernels::Mark::kKernelSkipped;
      words.push_back(
          kernels::mark(static_cast<kernels::Mark>(tag),
                        is_kernel ? (number & 255) % program.functions.size() : number & 255));
      continue;
    }
    const std::size_t block = number % program.blocks.size();
    if (at + program.blocks[block].words > numbers.size()) break;
    words.push_back(block);
    each_word(program, program.blocks[block], [&](bool is_length) {
      const std::uint64_t next = numbers[at++];
      words.push_back(is_length ? next % 4096 : kFirstAddress + 8 * next);
    });
  }
  return words;
}

inline std::vector<std::uint16_t> numbers_of(const kernels::Program& program,
                                             const std::vector<kernels::Word>& words) {
  std::vector<std::uint16_t> numbers;
  for (std::size_t at = 0; at < words.size();) {
    const kernels::Word word = words[at++];
    if (word >= program.blocks.size()) {
      const auto tag = static_cast<unsigned>(kernels::mark_of(word)) - 1;
      numbers.push_back(
          static_cast<std::uint16_t>(0x8000 | tag << 8 | (kernels::number_of(word) & 255)));
      continue;
    }
    numbers.push_back(static_cast<std::uint16_t>(word));
    each_word(program, program.blocks[word], [&](bool is_length) {
      const kernels::Word next = words[at++];
      numbers.push_back(static_cast<std::uint16_t>(is_length ? next : (next - kFirstAddress) / 8));
    });
  }
  return numbers;
}

}  // namespace apmt::fuzz
