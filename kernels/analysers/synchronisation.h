// Synchronisation (paper 000, section III.D). A loop is sequential when an iteration reads memory
// or a register that an earlier iteration of the same entry wrote. Excepted are values that the
// front end named inductions or recognised reductions; anti- and output dependences are ignored;
// what an iteration wrote itself before reading it is no dependence between iterations. An
// annotation of the user overrides. A loop of which no entry had two iterations is neither:
// kSingle.
//
// Global synchronisations are the trip counts of sequential loops with a parallel loop inside and
// no other sequential loop between them (the innermost one waits, the outer ones only repeat it).
// Calls count as inside. So figure 6 with n = 512 gives 511, where the paper's text prints n - 2.
// Those inside a parallel loop are told apart: they need no global one.
//
// The static recogniser's idioms are confirmed here (idiom_facts.h), and each loop's instructions
// are counted (loop_mix.h).
//
// How: a clock ticks with every entry and iteration; a write notes it for each of its bytes. A read
// of a byte written at time t depends on an earlier iteration of the one loop whose entry is not
// later than t and whose current iteration began after it. Order matters: one thread is followed.
// Memory: 8 bytes for each 4 bytes touched (each byte where parts of them are accessed), to 4 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_synchronisation();

}  // namespace apmt::kernels
