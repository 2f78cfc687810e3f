// The analysis of one process: its program, its threads, and the analysers that receive its events.
#pragma once

#include <pthread.h>

#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/analyser.h"
#include "kernels/program.h"
#include "kernels/runtime/followed_invocations.h"
#include "kernels/runtime/interface.h"
#include "kernels/runtime/settings.h"

namespace apmt::kernels {

class Session {
 public:
  /// The session of this process. It is never destroyed, because threads may run until the end.
  static Session& get();

  void add_module(ModuleRecord* record);

  /// Allocates the counters of a new thread; nullptr: there is no memory. end_counters() adds them
  /// to the totals when the thread ends.
  std::uint64_t* new_counters();
  void end_counters(std::uint64_t* counters);

  /// Whether functions have to ask which version to run.
  bool is_analysed() const { return __atomic_load_n(&is_analysed_, __ATOMIC_RELAXED); }
  bool is_kernel(std::uint64_t function) {
    const Kernels* kernels = __atomic_load_n(&kernels_, __ATOMIC_ACQUIRE);
    if (!kernels || function >= kernels->size()) kernels = choose_kernels();
    return function < kernels->size() && (*kernels)[function];
  }

  /// The thread that began the running kernel; -1: none.
  int owner() const { return __atomic_load_n(&owner_, __ATOMIC_ACQUIRE); }
  /// Makes `thread` the owner; false: another thread is the owner.
  bool begin_kernel(int thread);
  void end_kernel() { __atomic_store_n(&owner_, -1, __ATOMIC_RELEASE); }
  int new_thread() { return __atomic_fetch_add(&threads_, 1, __ATOMIC_RELAXED); }

  /// A kernel whose blocks are counted while it runs.
  struct CountedKernel {
    struct Block {
      std::uint32_t block, counter;
    };
    std::vector<bool> functions;  // those that it runs
    std::vector<Block> blocks;
  };
  /// nullptr: the kernel has to write events.
  const CountedKernel* counted_kernel(std::uint64_t function, bool is_skipped);

  /// Call when a kernel begins, after begin_kernel(). Returns its mark.
  Word begin_mark(std::uint64_t function);

  void consume(unsigned thread, std::span<const Word> words);

  /// Writes the results. Nothing is analysed afterwards.
  void finish();

 private:
  Session();
  using Kernels = std::vector<bool>;  // by function
  const Kernels* choose_kernels();
  void begin_analysers();
  void stop_analysing() { __atomic_store_n(&is_analysed_, false, __ATOMIC_RELAXED); }
  void turn_off(const char* reason);
  static void before_fork();
  static void after_fork_here();
  static void after_fork_in_child();
  std::vector<std::uint64_t> counts() const;

  pthread_mutex_t lock_;
  Settings settings_;
  Program program_;
  std::vector<std::uint32_t> counter_of_;
  std::vector<std::uint64_t*> counters_;
  std::vector<std::uint64_t> ended_counts_;
  // Threads read a choice of kernels without the lock, so a choice is never changed or removed.
  // When a module is loaded later, another choice is added.
  std::deque<Kernels> choices_;
  const Kernels* kernels_ = nullptr;
  // Threads use counted kernels without the lock, so these are never removed. The map from
  // functions to them is used only under the lock, and is cleared when a module is loaded.
  std::deque<CountedKernel> counted_;
  std::unordered_map<std::uint64_t, const CountedKernel*> counted_of_;
  std::vector<std::unique_ptr<Analyser>> analysers_;
  FollowedInvocations followed_;  // used only by the thread that owns the kernel
  int owner_ = -1;
  int threads_ = 0;
  bool is_analysed_ = false;
  bool is_begun_ = false;  // the analysers have begun with the current program_
  bool has_events_ = false;
  bool is_over_ = false;
};

}  // namespace apmt::kernels
