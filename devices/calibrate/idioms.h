// The eight idioms (patterns of memory access in a loop): the data and accesses of one pass of each
// idiom, and the measurement of their bandwidths. Threads (idiom_loops.h) and accelerators
// (idiom_launches.h) execute the passes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "devices/card.h"

namespace apmt::devices {

/// One pass of an idiom. All arrays lie in one memory; the first array begins at element 0.
struct IdiomPass {
  std::string idiom;
  std::uint64_t n = 0;          // elements of an array, or the side of a matrix
  std::uint64_t b = 0, c = 0;   // where the second and the third array begin, in elements
  std::uint64_t rows = 0;       // rows of a matrix product that each worker computes
  double footprint_bytes = 0;   // of all arrays; all workers share them
  double referenced_bytes = 0;  // size of all loads and stores of the idiom's loop
};

/// The pass over data of at most `most_bytes`; each element has `element_bytes`.
IdiomPass pass_of(const std::string& idiom, std::uint64_t most_bytes, std::uint64_t workers,
                  std::uint64_t element_bytes = sizeof(double));

/// Element i of a permutation of the numbers below n (at least 2), whose order no prefetcher can
/// predict. Gather and scatter use the permutation as their index.
std::uint64_t scattered(std::uint64_t i, std::uint64_t n);

/// Executes passes of idioms.
class IdiomRunner {
 public:
  virtual ~IdiomRunner() = default;
  virtual std::uint64_t workers() const = 0;
  virtual std::uint64_t element_bytes() const { return sizeof(double); }
  virtual void prepare(const IdiomPass& pass) = 0;
  /// Executes `passes` passes of the prepared idiom one after the other, and returns the seconds of
  /// one pass.
  virtual double seconds(std::uint64_t passes) = 0;
};

struct IdiomSizes {
  std::uint64_t smallest_bytes = 1024;
  std::uint64_t largest_bytes = 0;
  std::uint64_t most_passes = 1'000'000;  // that follow each other
  double effort = 1;                      // below 1, for tests: fewer passes
  Origin origin;
};

/// The bandwidth of each idiom for data sizes from the smallest to the largest, each twice the
/// previous one. Calls `step` after each idiom.
std::map<std::string, Curve> measure_idioms(IdiomRunner& runner, const IdiomSizes& sizes,
                                            const std::function<void()>& step);

}  // namespace apmt::devices
