#include "kernels/llvm/carried.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

namespace apmt::frontend {
namespace {

using namespace llvm;
using kernels::Excepted;

/// Families of operations that a reduction may apply in any order.
enum class Family { kNone, kAdd, kMultiply, kExtremum, kAnd, kOr, kXor };

/// The family of the operation that `instruction` applies to the carried operand. kNone means that
/// the instruction only passes the operand on; nullopt means that a reduction must not contain the
/// instruction.
std::optional<Family> family_of(const Instruction& instruction, const Value* carried) {
  switch (instruction.getOpcode()) {
    case Instruction::Sub:
    case Instruction::FSub:
      if (instruction.getOperand(1) == carried) return std::nullopt;
      [[fallthrough]];
    case Instruction::Add:
    case Instruction::FAdd:
      return Family::kAdd;
    case Instruction::FDiv:
      if (instruction.getOperand(1) == carried) return std::nullopt;
      return Family::kMultiply;
    case Instruction::Mul:
    case Instruction::FMul:
      return Family::kMultiply;
    case Instruction::And:
      return Family::kAnd;
    case Instruction::Or:
      return Family::kOr;
    case Instruction::Xor:
      return Family::kXor;
    case Instruction::ICmp:
    case Instruction::FCmp:
      return Family::kExtremum;  // together with the select that uses the comparison
    case Instruction::PHI:
    case Instruction::Select:
      return Family::kNone;
    default:
      break;
  }
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!intrinsic) return std::nullopt;
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
      if (intrinsic->getArgOperand(0) == carried || intrinsic->getArgOperand(1) == carried)
        return std::nullopt;
      return Family::kAdd;
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
      return Family::kExtremum;
    default:
      return std::nullopt;
  }
}

/// follow() collects the instructions of the loop that use `start`, directly or through others,
/// except `sink` (the store of a reduction in memory). It returns whether their operations are all
/// of one family, as in a reduction.
struct Chain {
  SmallSetVector<const Instruction*, 16> values;
  Family family = Family::kNone;

  bool follow(const Loop& loop, const Instruction* start, const Instruction* sink) {
    values.insert(start);
    for (std::size_t at = 0; at < values.size(); ++at) {
      const Instruction* value = values[at];
      for (const User* user : value->users()) {
        const auto* reader = cast<Instruction>(user);
        if (reader == sink || !loop.contains(reader)) continue;
        const std::optional<Family> is = family_of(*reader, value);
        if (!is || !joins(*is) || values.size() > 64) return false;
        values.insert(reader);
      }
    }
    return family != Family::kNone;
  }

 private:
  bool joins(Family is) {
    if (is == Family::kNone || is == family) return true;
    if (family != Family::kNone) return false;
    family = is;
    return true;
  }
};

/// Whether each comparison in the chain only serves selects that choose between the two compared
/// values, as a minimum or maximum does.
bool comparisons_are_extrema(const Chain& chain) {
  return chain.family != Family::kExtremum ||
         std::all_of(chain.values.begin(), chain.values.end(), [&](const Instruction* value) {
           if (!isa<CmpInst>(value)) return true;
           return all_of(value->users(), [&](const User* user) {
             const auto* select = dyn_cast<SelectInst>(user);
             return select && is_contained(value->operands(), select->getTrueValue()) &&
                    is_contained(value->operands(), select->getFalseValue());
           });
         });
}

bool is_reduction(const Loop& loop, const PHINode& phi) {
  Chain chain;
  if (!chain.follow(loop, &phi, nullptr) || !comparisons_are_extrema(chain)) return false;
  SmallVector<BasicBlock*, 2> latches;
  loop.getLoopLatches(latches);
  return all_of(latches, [&](BasicBlock* latch) {
    const auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
    return next && chain.values.contains(next);
  });
}

bool is_induction(Loop& loop, PHINode& phi, ScalarEvolution& evolution) {
  if (evolution.isSCEVable(phi.getType())) {
    const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    if (recurrence && recurrence->getLoop() == &loop) return true;
  }
  InductionDescriptor induction;
  return loop.getLoopPreheader() &&
         InductionDescriptor::isInductionPHI(&phi, &loop, &evolution, induction);
}

/// Whether `load` reads the old sum in sum[k] += x, which stores the new sum to the same address.
bool is_reduction_in_memory(const Loop& loop, const LoadInst& load) {
  if (!load.isSimple()) return false;
  for (const User* user : load.getPointerOperand()->users()) {
    const auto* store = dyn_cast<StoreInst>(user);
    if (!store || !store->isSimple() || store->getPointerOperand() != load.getPointerOperand() ||
        store->getParent() != load.getParent())
      continue;
    const auto* stored = dyn_cast<Instruction>(store->getValueOperand());
    Chain chain;
    if (stored && stored != &load && chain.follow(loop, &load, store) &&
        chain.values.contains(stored) && comparisons_are_extrema(chain))
      return true;
  }
  return false;
}

/// Whether an atomic update continues a reduction in memory: nothing reads the value that it
/// returns, and its operation may be applied in any order.
bool is_reduction_by_atomics(const AtomicRMWInst& update) {
  switch (update.getOperation()) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::FAdd:
    case AtomicRMWInst::FSub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
#if LLVM_VERSION_MAJOR >= 15
    case AtomicRMWInst::FMax:
    case AtomicRMWInst::FMin:
#endif
      return update.use_empty();
    default:
      return false;
  }
}

}  // namespace

std::vector<CarriedValue> carried_values(Loop& loop, ScalarEvolution& evolution) {
  std::vector<CarriedValue> found;
  for (PHINode& phi : loop.getHeader()->phis()) {
    if (is_induction(loop, phi, evolution))
      found.push_back({&phi, Excepted::kInduction});
    else if (is_reduction(loop, phi))
      found.push_back({&phi, Excepted::kReduction});
  }
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (const auto* load = dyn_cast<LoadInst>(&instruction);
          load && is_reduction_in_memory(loop, *load))
        found.push_back({load, Excepted::kReduction});
      else if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction);
               update && is_reduction_by_atomics(*update))
        found.push_back({update, Excepted::kReduction});
  return found;
}

}  // namespace apmt::frontend
