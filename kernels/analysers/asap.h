// Parallelism: the ASAP schedule (paper 000, section III.B, figure 4; the work-depth model). Each
// operation runs at the level behind the highest one that it truly depends on; depth D is the
// number of levels, w_i the operations of level i.
//  * Registers: the operands of its instruction, through calls and returns where both sides are
//    instrumented. Elements of a vector share the level of the vector.
//  * Control: a phi passes on the value of the block that really came before, as in the paper:
//    branches are taken for foreseen, so operations do not wait for conditions.
//  * Memory: a read depends on the last write of its bytes and on its address. Anti- and output
//    dependences do not count.
//
// Over floating-point operations other instructions pass levels on and cost none; a multiply-add is
// two operations, one behind the other. Over all operations every instruction is one, except
// phis, jumps and returns; phis that a loop's front end named inductions are known from the start,
// as counters are whose value follows from the number of the iteration.
// Each invocation of a kernel has its own schedule; depths and levels add up. A schedule ends at
// level `highest`: what would come behind it runs there, and the result is marked incomplete.
// Order matters: one thread is followed.
//
// Memory: 4 bytes for each 4 bytes touched (each byte where parts of them are accessed), 8 bytes a
// level to 256 MiB; beyond, two neighbouring levels share a count. Limit of the shadow: 4 GiB.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

inline constexpr std::uint32_t kHighestLevel = 0xffffffff;

std::unique_ptr<Analyser> make_asap_of_floating_point(std::uint32_t highest = kHighestLevel);
std::unique_ptr<Analyser> make_asap_of_all_operations(std::uint32_t highest = kHighestLevel);

}  // namespace apmt::kernels
