// How many invocations of a kernel there were, and how many of them an analyser followed.
#pragma once

#include <cstdint>

namespace apmt::kernels {

struct Invocations {
  std::uint64_t all = 0;
  std::uint64_t followed = 0;  // the others were skipped
};

}  // namespace apmt::kernels
