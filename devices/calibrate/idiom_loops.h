// The eight idioms as loops over memory, shared by the threads of a team.
#pragma once

#include <string>

#include "devices/calibrate/team.h"

namespace apmt::devices {

/// What one pass of an idiom does.
struct IdiomPass {
  double footprint_bytes = 0;   // that all threads touch
  double referenced_bytes = 0;  // loads and stores times their size
};

/// One idiom over data of at most `most_bytes`, prepared in `memory`.
class IdiomLoop {
 public:
  IdiomLoop(const std::string& idiom, std::uint64_t most_bytes, SharedMemory& memory, Team& team);

  const IdiomPass& pass() const { return pass_; }
  /// Seconds of a pass, when `passes` follow each other.
  double seconds(std::uint64_t passes);

 private:
  void work(std::size_t thread, std::uint64_t passes) const;

  std::string idiom_;
  Team& team_;
  IdiomPass pass_;
  std::uint64_t n_ = 0;     // elements, or the side of a matrix
  std::uint64_t rows_ = 0;  // of a matrix product, by one thread
  double* a_ = nullptr;
  double* b_ = nullptr;
  double* c_ = nullptr;
  std::uint64_t* index_ = nullptr;
};

}  // namespace apmt::devices
