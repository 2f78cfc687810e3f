// The eight idioms as loops over memory, shared by the threads of a team.
#pragma once

#include <string>

#include "devices/calibrate/team.h"

namespace apmt::devices {

/// The memory that one pass of an idiom accesses.
struct IdiomPass {
  double footprint_bytes = 0;   // bytes that all threads together touch
  double referenced_bytes = 0;  // loads and stores times their size
};

/// One idiom over data of at most `most_bytes`, prepared in `memory`.
class IdiomLoop {
 public:
  IdiomLoop(const std::string& idiom, std::uint64_t most_bytes, SharedMemory& memory, Team& team);

  const IdiomPass& pass() const { return pass_; }
  /// Seconds of one pass, when `passes` passes follow each other.
  double seconds(std::uint64_t passes);

 private:
  void work(std::size_t thread, std::uint64_t passes) const;

  std::string idiom_;
  Team& team_;
  IdiomPass pass_;
  std::uint64_t n_ = 0;     // elements, or the side of a matrix
  std::uint64_t rows_ = 0;  // rows of a matrix product that one thread computes
  double* a_ = nullptr;
  double* b_ = nullptr;
  double* c_ = nullptr;
  std::uint64_t* index_ = nullptr;
};

}  // namespace apmt::devices
