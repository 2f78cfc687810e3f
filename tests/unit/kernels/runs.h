// Replaces the loops of a stream with runs (kernels/events.h), as the front end does, and, in the
// other direction, replaces runs with single executions.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/events.h"

namespace apmt::kernels::testing {

struct Stream {
  std::vector<Word> words;
  std::size_t runs = 0;
};

/// Whether a block is a whole loop and has no other words than addresses.
bool can_be_a_run(const Program& program, std::uint32_t block);

/// Replaces each execution of a loop with a run if its addresses advance by constant strides.
Stream with_runs(const Program& program, const std::vector<Word>& words);

/// Replaces each run with the single executions that it stands for.
std::vector<Word> without_runs(const Program& program, const std::vector<Word>& words);

}  // namespace apmt::kernels::testing
