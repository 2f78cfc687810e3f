// Parallelism: the as-soon-as-possible (ASAP) schedule of a kernel (AutoMatch paper, section III.B,
// figure 4; the work-depth model). Each operation runs one level above the highest level among its
// true dependences. The depth D is the number of levels, w_i the number of operations of level i.
// - Registers: an instruction depends on its operands, also across calls and returns if caller and
//   callee are instrumented. Elements of a vector share the level of the vector.
// - Control: operations do not wait for conditions, as if every branch were predicted correctly (as
//   in the paper). A phi passes on the value from the block that was actually executed before.
// - Memory: a read depends on the last write of its bytes and on its address. Anti- and output
//   dependences are ignored.
//
// There are two schedules. In the schedule of floating-point operations, other instructions pass
// levels on at no cost. In the schedule of all operations, every instruction is an operation except
// phis, jumps, calls, returns and OpClass::kOther. In this schedule, phis that the front end marks
// as inductions (loop counters) are ready from the start, because their values can be computed from
// the iteration number. In both schedules, a multiply-add is two operations, one after the other.
//
// In the schedule of all operations, reductions are reassociated: an operation that continues a
// reduction (kernels::Excepted) does not wait for the result so far. The result is as late as the
// latest of all terms and, after a loop of n iterations, log2(n) + 1 levels later (rounded down),
// in which the terms are combined. The schedule of floating-point operations keeps the order of the
// program, because the AutoMatch paper does.
//
// The load chain is a third schedule, in which only loads and atomics are operations. A load waits
// for its address, but not for the stores that wrote what it reads, because a processor forwards
// such data. So the depth is the largest number of loads each of which takes its address, directly
// or through others, from the one before. Of these loads, those at unforeseen addresses are counted
// apart (no prefetcher foresees them): the addresses that do not go on with the stride of the last
// two executions of the same load.
//
// Each followed invocation of a kernel has its own schedule. The depths of all invocations are
// added (per_invocation.h). One histogram counts the levels of all invocations by their width
// (number of operations). A schedule ends at level `highest`: later operations are put on that
// level, and the result is marked incomplete. Only one thread is followed, because the order of
// events matters.
//
// Memory: the histogram of each followed invocation (at most 7,424 bins of 64 bytes); shadow memory
// of 4 bytes for each 4 bytes touched (for each byte touched, in pages where parts of a word are
// accessed), up to 4 GiB; 8 bytes per level, up to 256 MiB (beyond this size, adjacent levels share
// a count).
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

inline constexpr std::uint32_t kHighestLevel = 0xffffffff;

std::unique_ptr<Analyser> make_asap_of_floating_point(std::uint32_t highest = kHighestLevel);
std::unique_ptr<Analyser> make_asap_of_all_operations(std::uint32_t highest = kHighestLevel);
std::unique_ptr<Analyser> make_load_chain(std::uint32_t highest = kHighestLevel);

}  // namespace apmt::kernels
