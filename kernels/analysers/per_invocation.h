// Holds an analyser's results for each invocation of a kernel that is followed, and adds them up to
// results for all invocations. A skipped invocation is assumed to be like one of the followed
// invocations before it, or like the next one after it: the one whose number of instructions is
// most similar; of several that are equally similar, the latest.
//
// T has the functions
//  * void ended(): the invocation has ended; memory that is no longer needed can be freed
//  * void add(const T& other, std::uint64_t times)
//
// Memory: a T for each of at most kMostApart followed invocations of a kernel, and 48 bytes for
// each different number of instructions of the skipped invocations since the last followed one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "kernels/analysers/by_function.h"
#include "kernels/analysers/invocations.h"
#include "kernels/events.h"

namespace apmt::kernels {

template <class T>
class PerInvocation {
 public:
  void begin(const Program& program) { program_ = &program; }

  /// Tracks marks.
  void note(Mark mark, std::uint64_t number) {
    switch (mark) {
      case Mark::kKernelBegin:
        begin_kernel(static_cast<std::uint32_t>(number));
        ++kernel_->invocations.followed;
        if (kernel_->observed.size() < kMostApart) {
          observed_ = &kernel_->observed.emplace_back();
          running_ = &observed_->found;
        } else {
          running_ = &kernel_->rest;
        }
        break;
      case Mark::kKernelSkipped:
        begin_kernel(static_cast<std::uint32_t>(number));
        is_skipped_ = true;
        break;
      case Mark::kCounted:
        executed(static_cast<std::uint32_t>(counted_block(number)), counted_executions(number));
        break;
      case Mark::kKernelEnd:
        end_kernel();
        break;
      default:
        break;
    }
  }
  /// Notes that a block was executed, in a followed or in a skipped invocation.
  void executed(std::uint32_t block, std::uint64_t times = 1) {
    instructions_ += program_->blocks[block].instructions * times;
  }

  /// The results of the running invocation; nullptr: no kernel is running, or the invocation is
  /// skipped. The results stay at their address.
  T* running() { return running_; }
  bool is_first_invocation() const { return running_ && kernel_->invocations.all == 1; }
  /// Whether the events are those of a skipped invocation.
  bool is_skipped() const { return is_skipped_; }

  /// Calls `visit(function, invocations, results)` for each kernel, at the end of the run.
  template <class Visit>
  void each_kernel(const Visit& visit) {
    end_kernel();
    for (Kernel& kernel : kernels_) {
      represent_skipped(&kernel);
      T sum;
      for (const Observed& o : kernel.observed) sum.add(o.found, o.stands_for);
      kernel.rest.ended();
      sum.add(kernel.rest, 1);
      visit(kernel.function, kernel.invocations, sum);
    }
  }

 private:
  /// The largest number of followed invocations of a kernel that have results of their own. The
  /// results of further ones are added up in `rest`. If invocations are skipped, hardly ever more
  /// than this number are followed; if none are skipped, no separate results are needed.
  static constexpr std::size_t kMostApart = 128;

  struct Observed {
    std::uint64_t instructions = 0;
    std::uint64_t stands_for = 1;
    T found = {};
  };
  struct Kernel {
    std::uint32_t function = 0;
    Invocations invocations;
    std::deque<Observed> observed;
    T rest = {};                                     // of further followed invocations
    std::map<std::uint64_t, std::uint64_t> skipped;  // by instructions: how many, since the last
                                                     // invocation in `observed`
  };

  void begin_kernel(std::uint32_t function) {
    end_kernel();
    kernel_ = &kernels_[function];
    ++kernel_->invocations.all;
    instructions_ = 0;
  }
  void end_kernel() {
    if (is_skipped_) ++kernel_->skipped[instructions_];
    if (observed_ != nullptr) {
      observed_->instructions = instructions_;
      observed_->found.ended();
      represent_skipped(kernel_);
    }
    if (kernel_ != nullptr) kernel_->invocations.instructions += instructions_;
    kernel_ = nullptr;
    observed_ = nullptr;
    running_ = nullptr;
    is_skipped_ = false;
  }
  static void represent_skipped(Kernel* kernel) {
    for (const auto& [instructions, invocations] : kernel->skipped) {
      Observed* nearest = nullptr;
      std::uint64_t least = 0;
      for (Observed& o : kernel->observed) {
        const std::uint64_t difference = instructions > o.instructions
                                             ? instructions - o.instructions
                                             : o.instructions - instructions;
        if (nearest == nullptr || difference <= least) {
          nearest = &o;
          least = difference;
        }
      }
      if (nearest == nullptr) continue;
      nearest->stands_for += invocations;
      kernel->invocations.unlike += invocations * least;
    }
    kernel->skipped.clear();
  }

  const Program* program_ = nullptr;
  ByFunction<Kernel> kernels_;
  Kernel* kernel_ = nullptr;  // the one that is running
  Observed* observed_ = nullptr;
  T* running_ = nullptr;
  bool is_skipped_ = false;
  std::uint64_t instructions_ = 0;  // of the running invocation
};

}  // namespace apmt::kernels
