// AIWC's 28 metrics (paper 003, table I), of the first invocation of a kernel, with windows of 16
// outcomes per branch in order of execution.
//  * Opcodes: the fewest names of opcodes that make up 90 % of the executed instructions.
//  * SIMD width: elements of each result; an instruction without result has one.
//  * Instructions to barrier: of a work-item until a barrier, which is the last of them, or its
//  end.
//    Instructions per thread: of a work-item.
//  * Addresses are those at which accesses begin. 90 %: fewest addresses with 90 % of the accesses.
//    memcpy and its kin access words of eight bytes. Entropies: -sum p log2 p.
//  * Ratios as the paper defines them: unique reads / unique writes, unique / total.
//  * Branch entropies as in branch_windows.h. The linear one is 2 min(p, 1 - p), from 0 to 1; the
//    paper speaks of p = 0.5, half of that.
//
// A work-item of native code is an iteration of the outermost loop found parallel; finish() runs
// behind that of the synchronisation analyser, which finds it. Without one the invocation is one
// item.
//
// Compatible mode reproduces the memory columns and the branch ids of the published tool: of each
// work-group's accesses only the last half is kept (it removes elements while it counts them), and
// addresses are cut to 32 bits, so that buffers collide; branches on one line are one, and taken
// means that the condition was false (which only Yokota's entropy can tell). Order matters: one
// thread is followed.
//
// Memory: 8 bytes for each 4 bytes touched (limit 4 GiB), 2 to 512 KiB a branch, up to 54 KiB a
// loop; in compatible mode 8 bytes an access of a work-group, to 2 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_aiwc(bool is_compatible = false);

}  // namespace apmt::kernels
