// How many invocations of a kernel there were, and how many of them an analyser followed.
#pragma once

#include <cstdint>

namespace apmt::kernels {

struct Invocations {
  std::uint64_t all = 0;
  std::uint64_t followed = 0;  // the others were skipped
  // Known to analysers that hold their results in PerInvocation:
  std::uint64_t instructions = 0;  // of all invocations
  std::uint64_t unlike = 0;        // by how many instructions skipped invocations differ from the
                                   // followed ones that they are assumed to be like
};

}  // namespace apmt::kernels
