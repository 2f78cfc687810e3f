#include "kernels/oclgrind/builtin_functions.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Type.h>

#include "kernels/llvm/known_calls.h"

namespace apmt::opencl {
namespace {

using namespace llvm;
using kernels::OpClass;

/// An operation class and its built-in functions: names or prefixes, separated by spaces.
struct Known {
  OpClass op;
  StringRef names;
};
constexpr Known kNames[] = {
    {OpClass::kBarrier, "barrier work_group_barrier"},
    {OpClass::kFence, "mem_fence read_mem_fence write_mem_fence"},
    {OpClass::kMove, "select bitselect shuffle shuffle2"},
    {OpClass::kCompare, "any all signbit"},
    {OpClass::kInteger,  // on floating-point numbers: kFloatMove
     "abs abs_diff add_sat clamp clz hadd mad24 mad_hi mad_sat max min mul24 mul_hi popcount rhadd "
     "rotate sub_sat upsample"},
    {OpClass::kFloatMove,
     "ceil copysign fabs fdim floor fmax fmin ilogb logb maxmag minmag nan nextafter rint round "
     "sign step trunc"},
    {OpClass::kFloatMultiply, "degrees radians"},
    {OpClass::kFloatMultiplyAdd, "fma mad"},
    {OpClass::kFloatDivide, "divide recip fmod remainder"},
    {OpClass::kFloatSpecial,
     "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt cos cosh cospi "
     "cross distance dot erf erfc exp exp2 exp10 expm1 hypot ldexp length lgamma log log2 log10 "
     "log1p mix normalize pow pown powr rootn rsqrt sin sinh sinpi smoothstep sqrt tan tanh tanpi "
     "tgamma"},
    {OpClass::kOther, "prefetch"},
};
constexpr Known kBeginnings[] = {
    {OpClass::kMove, "get_ as_"}, {OpClass::kConvert, "convert_"},
    {OpClass::kCompare, "is"},    {OpClass::kAtomic, "atomic_ atom_"},
    {OpClass::kLoad, "vload"},    {OpClass::kStore, "vstore"},
};

struct Undescribed {
  const char* why;
  StringRef beginnings;
};
constexpr Undescribed kUndescribed[] = {
    {"images have no addresses", "read_image write_image"},
    {"no single work-item makes its copies", "async_work_group_ wait_group_events"},
    {"it converts what it loads or stores", "vload_half vloada_half vstore_half vstorea_half"},
    {"it also stores a result", "sincos fract modf frexp remquo lgamma_r"},
};

/// Whether the function `is` returns true for any of the words.
template <class Is>
bool any_word(StringRef words, const Is& is) {
  while (!words.empty()) {
    const auto [word, rest] = words.split(' ');
    if (is(word)) return true;
    words = rest;
  }
  return false;
}

/// "get_global_id" for "_Z13get_global_idj"; empty: the callee is not a built-in function.
StringRef builtin_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return {};
  StringRef name = callee->getName();
  std::size_t length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size())
    return {};
  return name.substr(0, length);
}

OpClass class_of_builtin(StringRef name, bool is_floating_point) {
  name.consume_front("native_") || name.consume_front("half_") || name.consume_front("fast_");
  for (const Known& known : kNames)
    if (any_word(known.names, [&](StringRef word) { return word == name; }))
      return known.op == OpClass::kInteger && is_floating_point ? OpClass::kFloatMove : known.op;
  for (const Known& known : kBeginnings)
    if (any_word(known.names, [&](StringRef word) { return name.startswith(word); }))
      return known.op;
  return OpClass::kCall;
}

}  // namespace

std::string why_not_described(const CallBase& call) {
  if (!call.getCalledFunction()) return "it calls through a pointer";
  const StringRef name = builtin_name(call);
  for (const Undescribed& undescribed : kUndescribed)
    if (any_word(undescribed.beginnings, [&](StringRef word) { return name.startswith(word); }))
      return "it calls " + name.str() + " (" + undescribed.why + ')';
  return {};
}

}  // namespace apmt::opencl

// The definitions, for OpenCL, of the functions that kernels/llvm/known_calls.h declares.
namespace apmt::frontend {

kernels::OpClass class_of_known_call(const llvm::CallBase& call) {
  const llvm::StringRef name = opencl::builtin_name(call);
  return name.empty() ? kernels::OpClass::kCall
                      : opencl::class_of_builtin(name, call.getType()->isFPOrFPVectorTy());
}

/// The name that the published AIWC uses ("call").
std::string opcode_name_of_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  return intrinsic.getOpcodeName();
}

}  // namespace apmt::frontend
