// The analysis of one process: its program, its threads, and the analysers that its events go to.
#pragma once

#include <pthread.h>

#include <memory>
#include <span>
#include <vector>

#include "kernels/analyser.h"
#include "kernels/program.h"
#include "kernels/runtime/interface.h"
#include "kernels/runtime/settings.h"

namespace apmt::kernels {

/// Blocks of a process that can be counted; address space is reserved for as many in each thread.
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;

class Session {
 public:
  /// The one of this process. It is never destroyed: threads may run until the very end.
  static Session& get();

  void add_module(ModuleRecord* record);

  /// Counters of a new thread; nothing: there is no memory. They are added up when it ends.
  std::uint64_t* new_counters();
  void end_counters(std::uint64_t* counters);

  /// Whether functions are to ask at all.
  bool is_analysed() const { return is_analysed_; }
  bool is_kernel(std::uint64_t function) {
    if (function >= is_kernel_.size()) choose_kernels();
    return function < is_kernel_.size() && is_kernel_[function];
  }

  /// The thread that is in a kernel; -1: none.
  int owner() const { return __atomic_load_n(&owner_, __ATOMIC_ACQUIRE); }
  /// True for one of the threads that try at once.
  bool begin_kernel(int thread);
  void end_kernel() { __atomic_store_n(&owner_, -1, __ATOMIC_RELEASE); }
  int new_thread() { return __atomic_fetch_add(&threads_, 1, __ATOMIC_RELAXED); }

  void consume(unsigned thread, std::span<const Word> words);

  /// Writes what was found. Nothing is analysed afterwards.
  void finish();

 private:
  Session();
  void choose_kernels();
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
  std::vector<bool> is_kernel_;
  std::vector<std::unique_ptr<Analyser>> analysers_;
  int owner_ = -1;
  int threads_ = 0;
  bool is_analysed_ = false;
  bool is_begun_ = false;
  bool is_over_ = false;
};

}  // namespace apmt::kernels
