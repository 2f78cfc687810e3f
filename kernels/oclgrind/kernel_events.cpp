#include "kernels/oclgrind/kernel_events.h"

namespace apmt::opencl {

using kernels::Mark;
using kernels::Word;

void KernelEvents::begin(std::uint32_t kernel) {
  item_ = kNobody;
  put(Mark::kKernelBegin, kernel);
}

void KernelEvents::end() {
  put(Mark::kKernelEnd, 0);
  hand_over();
}

void KernelEvents::end_item(std::uint64_t item) {
  put(Mark::kWorkItemEnd, item);
  item_ = kNobody;
}

void KernelEvents::enter_block(std::uint32_t block, std::uint64_t item) {
  if (item != item_) put(Mark::kWorkItem, item);
  item_ = item;
  drop_unfinished_block();
  if (words_.size() >= kMostWords) hand_over();
  block_at_ = words_.size();
  words_.push_back(block);
  missing_ = recording_.program().blocks[block].words;
}

void KernelEvents::add_word(Word word) {
  if (missing_ == 0) return;  // the start of the block was not seen
  words_.push_back(word);
  --missing_;
}

void KernelEvents::put(Mark what, std::uint64_t number) {
  drop_unfinished_block();
  words_.push_back(mark(what, number));
}

/// If the words of the last block are incomplete, replaces the block by a gap. Oclgrind may abort a
/// kernel in the middle of a block.
void KernelEvents::drop_unfinished_block() {
  if (missing_ == 0) return;
  words_.resize(block_at_);
  words_.push_back(mark(Mark::kGap));
  missing_ = 0;
}

void KernelEvents::hand_over() {
  recording_.consume(words_);
  words_.clear();
}

}  // namespace apmt::opencl
