// Where the code of a function continues a reduction (kernels::Excepted): operands that carry the
// result so far. Reductions may be computed in any order (reassociated), so an operation need not
// wait for such an operand.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

class Reductions {
 public:
  /// Value slots that hold the result of a reduction when the loop is left.
  struct Result {
    std::uint32_t loop = 0;
    std::uint32_t slot = 0;
  };

  Reductions(const Program& program, const Function& function);

  /// Whether this operand of an instruction is the result so far of a reduction in a loop around
  /// the instruction.
  bool is_carried(const Instruction& i, std::size_t operand) const {
    return is_carried_[i.first_operand + operand - first_operand_];
  }
  /// Whether the load or atomic update reads the result so far of a reduction in memory.
  bool is_carried_load(const Instruction& i) const {
    return (i.op == OpClass::kLoad || i.op == OpClass::kAtomic) && i.result != kNone &&
           is_carried_load_[i.result];
  }
  /// Of reductions that are carried in registers.
  const std::vector<Result>& results() const { return results_; }

 private:
  void follow(const Program& program, const Function& function, std::uint32_t loop,
              std::uint32_t slot);

  std::uint32_t first_operand_ = 0;
  std::vector<bool> is_carried_;       // by operand of the function
  std::vector<bool> is_carried_load_;  // by slot
  std::vector<Result> results_;
};

}  // namespace apmt::kernels
