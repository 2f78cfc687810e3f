// Holds an analyser's results for each kernel, and tracks which kernel is running. To analysers
// that use it, skipped invocations are like the others.
#pragma once

#include <cstdint>

#include "kernels/analysers/by_function.h"
#include "kernels/analysers/invocations.h"
#include "kernels/events.h"

namespace apmt::kernels {

template <class T>
class PerKernel {
 public:
  struct Entry {
    std::uint32_t function = 0;
    Invocations invocations;
    T found = {};
  };

  /// Tracks the marks that begin and end kernels.
  void note(Mark mark, std::uint64_t number) {
    if (mark == Mark::kKernelBegin || mark == Mark::kKernelSkipped) {
      running_ = &entries_[static_cast<std::uint32_t>(number)];
      ++running_->invocations.all;
      running_->invocations.followed += mark == Mark::kKernelBegin;
    } else if (mark == Mark::kKernelEnd) {
      running_ = nullptr;
    }
  }
  /// The results of the running kernel; nullptr: none is running.
  T* running() { return running_ == nullptr ? nullptr : &running_->found; }
  bool is_first_invocation() const { return running_ != nullptr && running_->invocations.all == 1; }

  /// The results of a kernel that has run.
  const T& of(std::uint32_t function) const { return entries_.at(function).found; }

  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  ByFunction<Entry> entries_;
  Entry* running_ = nullptr;
};

/// Chooses one thread, for analysers that depend on the order of events. It is the thread that
/// began the most recent kernel.
class OneThread {
 public:
  /// Whether the analyser must read these events, which are all of one thread. If a different
  /// thread than before has begun a kernel, calls `changed()` before its events are read.
  template <class Changed>
  bool follows(unsigned thread, std::span<const Word> words, const Changed& changed) {
    if (thread == chosen_) return true;
    for (const Word word : words)
      if (mark_of(word) == Mark::kKernelBegin || mark_of(word) == Mark::kKernelSkipped) {
        chosen_ = thread;
        changed();
        return true;
      }
    return false;
  }
  bool follows(unsigned thread, std::span<const Word> words) {
    return follows(thread, words, [] {});
  }

 private:
  unsigned chosen_ = ~0u;
};

}  // namespace apmt::kernels
