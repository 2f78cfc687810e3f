// Synchronisation (AutoMatch paper, section III.D): whether loops are parallel, and how often their
// iterations must be synchronised globally.
//
// A loop is sequential if an iteration reads memory or a register that an earlier iteration of the
// same entry into the loop wrote. Exceptions are values that the front end marks as inductions or
// reductions. Anti- and output dependences are ignored, and so are reads of what the same iteration
// wrote before. The user's annotations take precedence. A loop that never ran two iterations in one
// entry is neither parallel nor sequential (kSingle).
//
// The number of global synchronisations is the sum of the trip counts of those sequential loops
// that have a parallel loop inside and no other sequential loop in between (the innermost one
// waits, the outer ones only repeat this waiting). Loops in called functions count as inside. By
// this rule, the program of the paper's figure 6 has n - 1 synchronisations (511 with n = 512); the
// paper prints n - 2. This sum includes synchronisations inside a parallel loop, although they are
// not global; they are also counted separately.
//
// This analyser also confirms the static recogniser's idioms (idiom_facts.h) and counts each loop's
// instructions (loop_mix.h).
//
// Method: a clock ticks at every loop entry and iteration. A write records the time for each byte
// that it writes. Assume that a byte was written at time t. A read of this byte depends on an
// earlier iteration of exactly one loop: the one that was entered no later than t and whose present
// iteration began after t. Only one thread is followed, because the order of accesses matters.
// Memory: 8 bytes for each 4 bytes touched (for each byte touched, in pages where parts of a word
// are accessed), up to 4 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_synchronisation();

}  // namespace apmt::kernels
