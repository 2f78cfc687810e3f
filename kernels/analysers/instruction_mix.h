// Instruction mix. Paper 001 (Baldini, Fink, Altman: Should I use a GPU?), table 1: arithmetic and
// logic, SIMD, loads, stores, fences, branches, total. Paper 000 (AutoMatch), equations (1) and
// (2): floating-point operations W, additions and subtractions W_add, multiplications W_mul, and
// W_vec.
//
// All figures follow from the execution counts of the blocks, so they need no stream of events.
// Only the lengths of copies and fills are dynamic; without a stream they are not counted. Memory:
// eight bytes per block and kernel.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "kernels/analyser.h"
#include "kernels/analysis.h"

namespace apmt::kernels {

/// Of one execution, without the bytes that a copy or fill moves.
InstructionMix mix_of(const Instruction& instruction);
/// Of one execution of a block.
InstructionMix mix_of(const Program& program, const Block& block);
/// Of a program whose blocks ran `executions` times each.
InstructionMix mix_of(const Program& program, std::span<const std::uint64_t> executions);
/// W_vec: operations of instructions that the vectoriser can turn into vector operations. Absent if
/// floating-point instructions ran that were not examined.
std::optional<std::uint64_t> vector_flops_of(const Program& program,
                                             std::span<const std::uint64_t> executions);
/// The mix, by source function and inline chain.
std::vector<ScopeCounts> scopes_of(const Program& program,
                                   std::span<const std::uint64_t> executions);

std::unique_ptr<Analyser> make_instruction_mix();

}  // namespace apmt::kernels
