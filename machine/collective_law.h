// The time of a collective as a function of the number of ranks: a sum of one or two terms, whose
// forms come from the usual algorithms.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

struct CollectiveLaw {
  std::string op;
  double bytes = 0;
  struct Term {
    std::string name;  // "1", "log2 P", "log2(P)^2", "P - 1", "1 - 1/P"
    double seconds = 0;
  };
  std::vector<Term> terms;
  double worst_error = 0;  // relative, over the measured numbers of ranks
  double time_s(double procs) const;
};

/// One law for each operation and size that was measured at three or more numbers of ranks.
std::vector<CollectiveLaw> fit_collectives(const std::vector<CollectiveTime>& times);

}  // namespace apmt
