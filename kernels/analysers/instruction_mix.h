// The instruction mix: the number of executed instructions of each kind. It has the kinds of table
// 1 of Baldini, Fink, Altman (Should I use a GPU?): arithmetic and logic, SIMD, loads, stores,
// fences, branches, total. It also has the kinds of equations (1) and (2) of the AutoMatch paper:
// floating-point operations W, additions and subtractions W_add, multiplications W_mul, and vector
// operations W_vec.
//
// Only the lengths of copies and fills, and calls to code that is not instrumented, need events.
// All other figures can be computed from how often each block was executed. So for a kernel without
// copies, fills and such calls, the marks kCounted (kernels/events.h) are enough. Memory: eight
// bytes per block and kernel.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "kernels/analyser.h"
#include "kernels/analysis.h"

namespace apmt::kernels {

/// The mix of one execution of an instruction, without the bytes that a copy or fill moves.
InstructionMix mix_of(const Instruction& instruction);
/// The mix of one execution of a block.
InstructionMix mix_of(const Program& program, const Block& block);
/// The mix of a program; `executions`: how often each block ran.
InstructionMix mix_of(const Program& program, std::span<const std::uint64_t> executions);
/// W_vec: the operations of those instructions that the vectoriser can turn into vector operations.
/// Absent if floating-point instructions ran for which this is not known.
std::optional<std::uint64_t> vector_flops_of(const Program& program,
                                             std::span<const std::uint64_t> executions);
/// The mix of each source function, and of each inlined copy of it (ScopeCounts).
std::vector<ScopeCounts> scopes_of(const Program& program,
                                   std::span<const std::uint64_t> executions);

std::unique_ptr<Analyser> make_instruction_mix();

}  // namespace apmt::kernels
