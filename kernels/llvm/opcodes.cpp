#include "kernels/llvm/opcodes.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "kernels/llvm/known_calls.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

OpClass class_of_intrinsic(const IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case Intrinsic::fmuladd:
    case Intrinsic::fma:
    case Intrinsic::experimental_constrained_fmuladd:
    case Intrinsic::experimental_constrained_fma:
      return OpClass::kFloatMultiplyAdd;
    case Intrinsic::experimental_constrained_fadd:
    case Intrinsic::experimental_constrained_fsub:
    case Intrinsic::vector_reduce_fadd:
      return OpClass::kFloatAdd;
    case Intrinsic::experimental_constrained_fmul:
    case Intrinsic::vector_reduce_fmul:
      return OpClass::kFloatMultiply;
    case Intrinsic::experimental_constrained_fdiv:
    case Intrinsic::experimental_constrained_frem:
      return OpClass::kFloatDivide;
    case Intrinsic::sqrt:
    case Intrinsic::experimental_constrained_sqrt:
    case Intrinsic::sin:
    case Intrinsic::cos:
    case Intrinsic::pow:
    case Intrinsic::powi:
    case Intrinsic::exp:
    case Intrinsic::exp2:
    case Intrinsic::log:
    case Intrinsic::log2:
    case Intrinsic::log10:
#if LLVM_VERSION_MAJOR >= 19
    case Intrinsic::tan:
    case Intrinsic::asin:
    case Intrinsic::acos:
    case Intrinsic::atan:
    case Intrinsic::sinh:
    case Intrinsic::cosh:
    case Intrinsic::tanh:
    case Intrinsic::exp10:
    case Intrinsic::ldexp:
#endif
      return OpClass::kFloatSpecial;
    case Intrinsic::fabs:
    case Intrinsic::copysign:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::round:
    case Intrinsic::roundeven:
    case Intrinsic::canonicalize:
      return OpClass::kFloatMove;
    case Intrinsic::lrint:
    case Intrinsic::llrint:
    case Intrinsic::lround:
    case Intrinsic::llround:
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat:
      return OpClass::kConvert;
    case Intrinsic::experimental_constrained_fcmp:
    case Intrinsic::experimental_constrained_fcmps:
#if LLVM_VERSION_MAJOR >= 19
    case Intrinsic::is_fpclass:
#endif
      return OpClass::kCompare;
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
    case Intrinsic::abs:
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::bswap:
    case Intrinsic::bitreverse:
    case Intrinsic::fshl:
    case Intrinsic::fshr:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow:
    case Intrinsic::smul_with_overflow:
    case Intrinsic::umul_with_overflow:
    case Intrinsic::sadd_sat:
    case Intrinsic::uadd_sat:
    case Intrinsic::ssub_sat:
    case Intrinsic::usub_sat:
      return OpClass::kInteger;
    case Intrinsic::memcpy:
    case Intrinsic::memcpy_inline:
    case Intrinsic::memmove:
      return OpClass::kCopyMemory;
    case Intrinsic::memset:
#if LLVM_VERSION_MAJOR >= 19
    case Intrinsic::memset_inline:
#endif
      return OpClass::kFillMemory;
    default:
      return OpClass::kOther;
  }
}

OpClass class_of_call(const CallBase& call) {
  if (call.isInlineAsm()) return OpClass::kOther;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return class_of_intrinsic(*intrinsic);
  return class_of_known_call(call);
}

OpClass class_of_terminator(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::Ret:
      return OpClass::kReturn;
    case Instruction::Br:
      return cast<BranchInst>(instruction).isConditional() ? OpClass::kBranch : OpClass::kJump;
    case Instruction::Switch:
    case Instruction::IndirectBr:
      return OpClass::kSwitch;
    case Instruction::Invoke:
    case Instruction::CallBr:
      return class_of_call(cast<CallBase>(instruction));
    default:
      return OpClass::kOther;
  }
}

OpClass class_of_operation(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
      return OpClass::kFloatAdd;
    case Instruction::FMul:
      return OpClass::kFloatMultiply;
    case Instruction::FDiv:
    case Instruction::FRem:
      return OpClass::kFloatDivide;
    case Instruction::FNeg:
      return OpClass::kFloatMove;
    default:
      return OpClass::kInteger;
  }
}

}  // namespace

OpClass class_of(const Instruction& instruction) {
  if (instruction.isTerminator()) return class_of_terminator(instruction);
  if (instruction.isBinaryOp() || instruction.isUnaryOp()) return class_of_operation(instruction);
  if (instruction.isCast()) return OpClass::kConvert;
  switch (instruction.getOpcode()) {
    case Instruction::ICmp:
    case Instruction::FCmp:
      return OpClass::kCompare;
    case Instruction::GetElementPtr:
      return OpClass::kAddress;
    case Instruction::PHI:
      return OpClass::kPhi;
    case Instruction::Load:
      return OpClass::kLoad;
    case Instruction::Store:
      return OpClass::kStore;
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
      return OpClass::kAtomic;
    case Instruction::Fence:
      return OpClass::kFence;
    case Instruction::Call:
      return class_of_call(cast<CallBase>(instruction));
    case Instruction::Select:
    case Instruction::Freeze:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::Alloca:
      return OpClass::kMove;
    default:
      return OpClass::kOther;
  }
}

bool is_nothing(const Instruction& instruction) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && (intrinsic->isAssumeLikeIntrinsic() ||
                       intrinsic->getIntrinsicID() == Intrinsic::stacksave ||
                       intrinsic->getIntrinsicID() == Intrinsic::stackrestore);
}

std::string opcode_name(const Instruction& instruction) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return opcode_name_of_intrinsic(*intrinsic);
  return instruction.getOpcodeName();
}

ValueShape shape_of(const Type& type) {
  ValueShape shape;
  const Type* element = &type;
  if (const auto* vector = dyn_cast<FixedVectorType>(&type)) {
    element = vector->getElementType();
    shape.lanes = static_cast<std::uint16_t>(std::min(vector->getNumElements(), 0xffffu));
  }
  if (element->isVoidTy())
    shape.type = ScalarType::kVoid;
  else if (element->isIntegerTy())
    shape.type = ScalarType::kInteger;
  else if (element->isPointerTy())
    shape.type = ScalarType::kPointer;
  else if (element->isHalfTy() || element->isBFloatTy())
    shape.type = ScalarType::kFloat16;
  else if (element->isFloatTy())
    shape.type = ScalarType::kFloat32;
  else if (element->isDoubleTy())
    shape.type = ScalarType::kFloat64;
  else if (element->isFloatingPointTy())
    shape.type = ScalarType::kFloatLarge;
  else
    shape.type = ScalarType::kOther;
  return shape;
}

Value* address_operand(const Instruction& instruction) {
  return instruction.getOperand(isa<StoreInst>(instruction) ? StoreInst::getPointerOperandIndex()
                                                            : 0);
}

MemoryBlockOperands memory_block_operands(const Instruction& instruction) {
  const auto& call = cast<CallBase>(instruction);
  return {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)};
}

}  // namespace apmt::frontend
