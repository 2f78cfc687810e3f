// Instruction mix. Paper 001 (Baldini, Fink, Altman: Should I use a GPU?), table 1: arithmetic and
// logic, SIMD, loads, stores, fences, branches, total. Paper 000 (AutoMatch), equations (1) and
// (2): floating-point operations W, additions and subtractions W_add, and multiplications W_mul.
//
// All follow from how often each block ran, so a program of which only blocks are counted needs no
// stream. Only the lengths of memcpy and its kin are dynamic; without a stream they count nothing.
// Memory: eight bytes a block and kernel.
#pragma once

#include <memory>
#include <span>

#include "kernels/analyser.h"
#include "kernels/analysis.h"

namespace apmt::kernels {

/// Of one execution. What a copy or fill of memory moves is not in it.
InstructionMix mix_of(const Instruction& instruction);
/// Of one execution of a block.
InstructionMix mix_of(const Program& program, const Block& block);
/// `executions` of each block.
InstructionMix mix_of(const Program& program, std::span<const std::uint64_t> executions);
/// The same by source function and inline chain.
std::vector<ScopeCounts> scopes_of(const Program& program,
                                   std::span<const std::uint64_t> executions);

std::unique_ptr<Analyser> make_instruction_mix();

}  // namespace apmt::kernels
