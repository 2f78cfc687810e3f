// AIWC's 28 metrics (paper 003, table I) of the first invocation of a kernel, with windows of 16
// outcomes per branch in order of execution.
//  * Opcodes: the fewest opcode names that cover 90 % of the executed instructions.
//  * SIMD width: elements of each result; 1 for an instruction without a result.
//  * Instructions to barrier: those of a work-item up to and including a barrier, or up to its end.
//    Instructions per thread: those of a work-item.
//  * An access counts for the address where it begins. 90 %: the fewest addresses that cover 90 %
//    of the accesses. Copies and fills access words of eight bytes. Entropies: -sum p log2 p.
//  * Ratios as the paper defines them: unique reads / unique writes, unique / total.
//  * Branch entropies as in branch_windows.h. The linear one is 2 min(p, 1 - p), from 0 to 1; the
//    paper's maximum of 0.5 is half of that.
//
// A work-item of native code is an iteration of the outermost parallel loop; the synchronisation
// analyser finds that loop, so its finish() must run first. Without a parallel loop, the invocation
// is the only work-item.
//
// Compatible mode reproduces the memory columns and the branch ids of the published tool: it keeps
// only the last half of each work-group's accesses (the tool removes elements while it counts them)
// and cuts addresses to 32 bits, so that buffers collide; branches on one line are one branch, and
// "taken" means that the condition was false (which affects only Yokota's entropy). Order matters:
// one thread is followed.
//
// Memory: 8 bytes for each 4 bytes touched (limit 4 GiB), 2 to 512 KiB per branch, up to 54 KiB per
// loop; in compatible mode also 8 bytes per access of a work-group, up to 2 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_aiwc(bool is_compatible = false);

}  // namespace apmt::kernels
