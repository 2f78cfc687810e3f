// AIWC's 28 metrics (AIWC paper, table I) for the first invocation of a kernel:
// - Opcodes: the smallest number of different opcodes that make up 90 % of the executed
//   instructions.
// - SIMD width: the number of elements of an instruction's result; 1 if it has no result.
// - Instructions to barrier: the instructions that a work-item executes from its start, or from its
//   last barrier, up to and including the next barrier, or up to its end. Instructions per thread:
//   all instructions of a work-item.
// - An access counts at the address at which it begins; copies and fills count as accesses of eight
//   bytes each. "90 %": the smallest number of addresses that receive 90 % of the accesses.
//   Entropies: -sum p log2 p.
// - Ratios as the paper defines them: unique reads / unique writes, unique / total.
// - Branch entropies as in branch_windows.h, from windows of 16 outcomes of one branch, in order of
//   execution. The linear entropy is 2 min(p, 1 - p), from 0 to 1.
//
// A work-item of native code is an iteration of the outermost parallel loop (of several: the one
// with the most instructions). The synchronisation analyser finds parallel loops, so its finish()
// must run first. Without a parallel loop, the invocation is the only work-item.
//
// Compatible mode reproduces the memory columns and the branch ids of the published tool. It keeps
// only the last half of each work-group's accesses (the tool removes elements while it counts them)
// and cuts addresses to 32 bits, so that addresses of different buffers can be equal. Branches on
// one line are one branch, and "taken" means that the condition was false (which affects only
// Yokota's entropy).
//
// Only one thread is followed, because the order of events matters. Memory: 8 bytes for each 4
// bytes touched, at most 4 GiB (from two thirds of this limit on, footprints and entropies are
// estimates with a standard error of at most 2 %, see address_counts.h); 2 to 512 KiB per branch;
// up to 116 KiB per loop; in compatible mode also 8 bytes per access of a work-group, up to 2 GiB.
#pragma once

#include <memory>

#include "kernels/analyser.h"

namespace apmt::kernels {

std::unique_ptr<Analyser> make_aiwc(bool is_compatible = false);

}  // namespace apmt::kernels
