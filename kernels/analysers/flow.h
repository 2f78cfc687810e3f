// Tracks which calls and loop iterations a thread is in, from the blocks that it enters and the
// static program. Flow notifies a Visitor by ordinary function calls, which the compiler inlines:
//
//  * entered(function, call): a frame begins. `call` is the calling instruction; nullptr: unknown.
//  * left(result): the innermost frame ends. `result` is its kReturn; nullptr: the frame was
//    unwound.
//  * loop_entered(loop), loop_iterated(loop), loop_left(loop, last block).
//  * ran(block, words, before): a block of the innermost frame was executed; `before` is the
//    previous block of that frame.
//  * repeated(run): stands for loop_iterated(loop) and ran(block, words, block), once for each
//    execution of the run. The loop is a single block.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/events.h"

namespace apmt::kernels {

class Flow {
 public:
  void begin(const Program& program) {
    program_ = &program;
    for (std::size_t i = blocks_.size(); i < program.blocks.size(); ++i) {
      const Block& b = program.blocks[i];
      const OpClass last = program.code(b).back().op;
      blocks_.push_back({.function = b.function,
                         .loop = b.loop,
                         .is_entry = program.is_entry(static_cast<std::uint32_t>(i)),
                         .is_header = b.loop != kNone && program.loops[b.loop].header == i,
                         .calls = last == OpClass::kCall,
                         .returns = last == OpClass::kReturn});
    }
    for (std::size_t l = depths_.size(); l < program.loops.size(); ++l)
      depths_.push_back(program.loops[l].parent == kNone ? 1
                                                         : depths_[program.loops[l].parent] + 1);
  }

  template <class Visitor>
  void block(std::uint32_t index, const Word* words, Visitor& visitor) {
    const Static& now = blocks_[index];
    if (now.is_entry) {
      enter(now.function, visitor);
    } else {
      if (!is_next(index)) find_frame(index, visitor);
      if (now.loop != frames_.back().loop || now.is_header) change_loop(now, visitor);
    }
    Frame& frame = frames_.back();
    const std::uint32_t before = frame.block;
    frame.block = index;
    visitor.ran(index, words, before);
    if (now.returns) leave(&program_->code(program_->blocks[index]).back(), visitor);
  }

  template <class Visitor>
  void run(const Run& run, Visitor& visitor) {
    Word words[kMostRunWords];
    run.write_words(0, words);
    block(run.block, words, visitor);
    const Run rest = run.part(1, run.times - 1);
    if (can_repeat(run.block)) {
      if (rest.times > 0) visitor.repeated(rest);
    } else {
      for_each_execution(
          rest, [&](std::uint32_t index, const Word* more) { block(index, more, visitor); });
    }
  }

  /// Whether the block can follow itself as the next iteration of a loop.
  bool can_repeat(std::uint32_t block) const {
    const Static& b = blocks_[block];
    return b.is_header && !b.is_entry && !b.calls && !b.returns;
  }

  /// Calls the visitor for each execution of the run that its repeated() received.
  template <class Visitor>
  void repeat_one_by_one(const Run& run, Visitor& visitor) const {
    for_each_execution(run, [&](std::uint32_t index, const Word* words) {
      visitor.loop_iterated(blocks_[index].loop);
      visitor.ran(index, words, index);
    });
  }

  /// Ends all loops and frames.
  template <class Visitor>
  void forget(Visitor& visitor) {
    while (!frames_.empty()) leave(nullptr, visitor);
  }

  struct Frame {
    std::uint32_t function = 0;
    std::uint32_t block = kNone;  // the block entered last
    std::uint32_t loop = kNone;   // the innermost loop that contains this block
  };
  std::vector<Frame>& frames() { return frames_; }
  /// The nesting depth of a loop; 1: it is an outermost loop of its function.
  std::uint32_t depth_of(std::uint32_t loop) const { return depths_[loop]; }

 private:
  struct Static {
    std::uint32_t function = 0;
    std::uint32_t loop = kNone;
    bool is_entry = false, is_header = false, calls = false, returns = false;
  };

  template <class Visitor>
  void enter(std::uint32_t function, Visitor& visitor) {
    const Instruction* call = nullptr;
    if (!frames_.empty() && frames_.back().block != kNone && blocks_[frames_.back().block].calls) {
      call = &program_->code(program_->blocks[frames_.back().block]).back();
      // If the call names another function than the one entered, the named function is not
      // instrumented, and has called the entered function in turn. Then the arguments are unknown.
      if (call->callee != kNone && call->callee != program_->functions[function].linkage_name)
        call = nullptr;
    }
    frames_.push_back({.function = function});
    visitor.entered(function, call);
  }

  template <class Visitor>
  void leave(const Instruction* result, Visitor& visitor) {
    while (frames_.back().loop != kNone) leave_loop(visitor);
    frames_.pop_back();
    visitor.left(result);
  }

  /// Whether the innermost frame continues with this block. After a block that ends with a call,
  /// only its successors count: another block of the function may belong to another frame.
  bool is_next(std::uint32_t index) const {
    if (frames_.empty() || frames_.back().function != blocks_[index].function) return false;
    const std::uint32_t last = frames_.back().block;
    if (last == kNone || !blocks_[last].calls) return true;
    for (const std::uint32_t s : program_->successors_of(program_->blocks[last]))
      if (s == index) return true;
    return false;
  }

  /// Unwinds to the frame that continues with this block; if there is none, adds a frame, whose
  /// start was not seen.
  template <class Visitor>
  void find_frame(std::uint32_t index, Visitor& visitor) {
    std::size_t depth = frames_.size();
    const auto goes_on = [&](bool as_successor) {
      for (depth = frames_.size(); depth > 0; --depth) {
        const Frame& f = frames_[depth - 1];
        if (f.function != blocks_[index].function) continue;
        if (!as_successor) return true;
        for (const std::uint32_t s : program_->successors_of(program_->blocks[f.block]))
          if (s == index) return true;
      }
      return false;
    };
    if (!goes_on(true)) goes_on(false);  // after longjmp, it may be any block of the function
    if (depth == 0) {
      frames_.push_back({.function = blocks_[index].function});
      visitor.entered(blocks_[index].function, nullptr);
      return;
    }
    while (frames_.size() > depth) leave(nullptr, visitor);
  }

  bool is_inside(std::uint32_t loop, std::uint32_t outer) const {
    while (loop != kNone && depths_[loop] > depths_[outer]) loop = program_->loops[loop].parent;
    return loop == outer;
  }

  template <class Visitor>
  void leave_loop(Visitor& visitor) {
    Frame& frame = frames_.back();
    const std::uint32_t loop = frame.loop;
    frame.loop = program_->loops[loop].parent;
    visitor.loop_left(loop, frame.block);
  }

  template <class Visitor>
  void change_loop(const Static& now, Visitor& visitor) {
    Frame& frame = frames_.back();
    while (frame.loop != kNone && (now.loop == kNone || !is_inside(now.loop, frame.loop)))
      leave_loop(visitor);
    if (frame.loop == now.loop) {
      if (now.is_header) visitor.loop_iterated(now.loop);
      return;
    }
    path_.clear();
    for (std::uint32_t l = now.loop; l != frame.loop; l = program_->loops[l].parent)
      path_.push_back(l);
    while (!path_.empty()) {
      frame.loop = path_.back();
      path_.pop_back();
      visitor.loop_entered(frame.loop);
    }
  }

  const Program* program_ = nullptr;
  std::vector<Static> blocks_;
  std::vector<std::uint32_t> depths_;  // of loops
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> path_;
};

}  // namespace apmt::kernels
