// The cache misses of a kernel as a law of its working set. Analyses at a few working sets give
// stack distances: how many cache lines are accessed between two accesses to the same line. For
// other working sets, each distance is scaled from the analysed ones (method: Ding and Zhong,
// "Predicting whole-program locality through reuse distance analysis"). The result shows where data
// cease to fit into a cache, which a smooth law of the misses cannot show.
#pragma once

#include <utility>
#include <vector>

#include "kernels/analysis.h"

namespace apmt {

class ReuseLaw {
 public:
  /// What one rank does at one working set (in arbitrary units).
  struct Size {
    double working_set = 0;
    kernels::Locality locality;
    double flops = 0;
  };

  /// If several sizes have the same working set, only the first of them is used. There must be at
  /// least one size, and all must have accesses.
  explicit ReuseLaw(std::vector<Size> sizes);

  /// With a single size, the law holds only for its working set.
  bool covers(double working_set) const;

  double accesses(double working_set) const { return count(&Node::accesses, working_set); }
  double flops(double working_set) const { return count(&Node::flops, working_set); }
  /// Misses in a fully associative cache with least-recently-used replacement. At an analysed
  /// working set, they follow directly from its stack distances.
  double misses(double cache_bytes, double working_set) const;
  /// All stack distances at a working set.
  kernels::Locality locality(double working_set) const;

 private:
  struct Node {
    double ln_size = 0;
    double accesses = 0;
    double flops = 0;
    double cold_share = 0;          // of the accesses
    std::vector<double> distances;  // quantiles of those that are not cold, in lines
    kernels::Locality locality;
  };

  /// The nodes around a working set, and its position between them: `at` is 0 at `low` and 1 at
  /// `high`, and below 0 or above 1 beyond the analysed working sets.
  struct Between {
    const Node* low;
    const Node* high;
    double at;
  };
  Between between(double working_set) const;
  const Node* same(double working_set) const;
  double count(double Node::*of, double working_set) const;
  /// What is accessed at a working set that was not analysed, and the distances, not sorted.
  std::pair<kernels::Locality, std::vector<double>> scaled(double working_set) const;

  std::vector<Node> nodes_;  // by size
};

}  // namespace apmt
