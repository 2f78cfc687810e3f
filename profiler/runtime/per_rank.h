// State that exists once per rank. If each rank is a process, as with every real MPI, the state is
// simply static data of the library. If all ranks are in one process and take turns on one thread
// (SimGrid's SMPI; APMT_RANKS_SHARE_A_PROCESS), the state of the active rank is looked up.
#pragma once

#include <stddef.h>
#include <string.h>

namespace apmt::rt {

#ifndef APMT_RANKS_SHARE_A_PROCESS

/// Declares state that each thread of a rank has separately.
#define APMT_PER_THREAD thread_local

inline constexpr bool kRanksShareAProcess = false;

template <class T>
class PerRank {
 public:
  constexpr PerRank() : value_() {}
  explicit constexpr PerRank(const T& value) : value_(value) {}
  T& here() { return value_; }
  /// Calls visit(T&) for every rank of this process, as if it were the active one.
  template <class Visit>
  void for_each(Visit visit) {
    visit(value_);
  }

 private:
  T value_;
};

#else

#define APMT_PER_THREAD

inline constexpr bool kRanksShareAProcess = true;
inline constexpr int kMaxRanksHere = 1 << 14;

/// The active rank, counted from 1; 0 means that no rank has begun yet or that the active one is
/// not recorded. During an MPI call the simulator may switch to other ranks, so the shim sets this
/// at the entry of a call, and again when MPI has returned.
extern int g_rank_here;

/// Zeroed memory that is never freed; nullptr if there is none left. Async-signal-safe.
void* take_zero_pages(size_t bytes);

template <class T>
class PerRank {
 public:
  constexpr PerRank() : before_(), ranks_() {}
  explicit constexpr PerRank(const T& value) : before_(value), ranks_() {}
  T& here() {
    T* const own = ranks_[g_rank_here];
    return own != nullptr ? *own : begin();
  }
  template <class Visit>
  void for_each(Visit visit) {
    const int before = g_rank_here;
    for (g_rank_here = 1; g_rank_here < kMaxRanksHere; ++g_rank_here)
      if (ranks_[g_rank_here] != nullptr) visit(*ranks_[g_rank_here]);
    g_rank_here = before;
  }

 private:
  /// A new rank begins with a copy of the process's state from before any rank was active or, if T
  /// has kBeginsEmpty, with zeros.
  T& begin() {
    if (g_rank_here == 0) return before_;
    T* const own = static_cast<T*>(take_zero_pages(sizeof(T)));
    if (own == nullptr) return before_;
    if constexpr (!requires { T::kBeginsEmpty; })
      memcpy(static_cast<void*>(own), &before_, sizeof(T));
    return *(ranks_[g_rank_here] = own);
  }

  T before_;  // the process's state when no rank is active
  T* ranks_[kMaxRanksHere];
};

#endif

}  // namespace apmt::rt
