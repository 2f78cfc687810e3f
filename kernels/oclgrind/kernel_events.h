// The events of the running kernel, in the form of kernels/events.h. A block begins when its first
// instruction is executed; the words of its accesses follow as they occur.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/events.h"
#include "kernels/oclgrind/recording.h"

namespace apmt::opencl {

class KernelEvents {
 public:
  explicit KernelEvents(Recording& recording) : recording_(recording) {}

  void begin(std::uint32_t kernel);
  void end();
  void begin_group(std::uint64_t group) { put(kernels::Mark::kWorkGroupBegin, group); }
  void end_group(std::uint64_t group) { put(kernels::Mark::kWorkGroupEnd, group); }
  void end_item(std::uint64_t item);

  void enter_block(std::uint32_t block, std::uint64_t item);
  void add_word(kernels::Word word);

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  static constexpr std::size_t kMostWords = 32768;

  void put(kernels::Mark mark, std::uint64_t number);
  void drop_unfinished_block();
  void hand_over();

  Recording& recording_;
  std::vector<kernels::Word> words_;
  std::size_t block_at_ = 0;      // where the last block begins in words_
  std::uint32_t missing_ = 0;     // words of that block still to come
  std::uint64_t item_ = kNobody;  // the running work-item
};

}  // namespace apmt::opencl
