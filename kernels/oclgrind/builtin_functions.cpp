#include "kernels/oclgrind/builtin_functions.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Type.h>

#include <algorithm>
#include <iterator>

#include "kernels/llvm/known_calls.h"

namespace apmt::opencl {
namespace {

using namespace llvm;
using kernels::OpClass;

struct Known {
  StringRef name;
  OpClass op;
};

// Where a function exists for integers and floating-point numbers, kInteger stands here.
constexpr Known kNames[] = {
    {"barrier", OpClass::kBarrier},       {"work_group_barrier", OpClass::kBarrier},
    {"mem_fence", OpClass::kFence},       {"read_mem_fence", OpClass::kFence},
    {"write_mem_fence", OpClass::kFence}, {"prefetch", OpClass::kOther},
    {"select", OpClass::kMove},           {"bitselect", OpClass::kMove},
    {"shuffle", OpClass::kMove},          {"shuffle2", OpClass::kMove},
    {"any", OpClass::kCompare},           {"all", OpClass::kCompare},
    {"signbit", OpClass::kCompare},       {"fma", OpClass::kFloatMultiplyAdd},
    {"mad", OpClass::kFloatMultiplyAdd},  {"degrees", OpClass::kFloatMultiply},
    {"radians", OpClass::kFloatMultiply}, {"divide", OpClass::kFloatDivide},
    {"recip", OpClass::kFloatDivide},     {"fmod", OpClass::kFloatDivide},
    {"remainder", OpClass::kFloatDivide},
};
constexpr StringRef kWholeNumberFunctions[] = {
    "abs", "abs_diff", "add_sat", "clamp",  "clz",      "hadd",  "mad24",  "mad_hi",  "mad_sat",
    "max", "min",      "mul24",   "mul_hi", "popcount", "rhadd", "rotate", "sub_sat", "upsample"};
constexpr StringRef kFloatMoves[] = {"ceil",      "copysign", "fabs",  "fdim",   "floor",  "fmax",
                                     "fmin",      "logb",     "ilogb", "maxmag", "minmag", "nan",
                                     "nextafter", "rint",     "round", "sign",   "step",   "trunc"};
constexpr StringRef kSpecialFunctions[] = {
    "acos",     "acosh",     "acospi",     "asin",   "asinh", "asinpi", "atan",  "atan2",
    "atan2pi",  "atanh",     "atanpi",     "cbrt",   "cos",   "cosh",   "cospi", "cross",
    "distance", "dot",       "erf",        "erfc",   "exp",   "exp2",   "exp10", "expm1",
    "hypot",    "ldexp",     "length",     "lgamma", "log",   "log2",   "log10", "log1p",
    "mix",      "normalize", "pow",        "pown",   "powr",  "rootn",  "rsqrt", "sin",
    "sinh",     "sinpi",     "smoothstep", "sqrt",   "tan",   "tanh",   "tanpi", "tgamma"};
constexpr Known kPrefixes[] = {
    {"get_", OpClass::kMove},  {"as_", OpClass::kMove},       {"convert_", OpClass::kConvert},
    {"is", OpClass::kCompare}, {"atomic_", OpClass::kAtomic}, {"atom_", OpClass::kAtomic},
    {"vload", OpClass::kLoad}, {"vstore", OpClass::kStore},
};

struct Undescribed {
  StringRef prefix;
  const char* why;
};
constexpr Undescribed kUndescribed[] = {
    {"read_image", "images have no addresses"},
    {"write_image", "images have no addresses"},
    {"async_work_group_", "no work-item makes its copies"},
    {"wait_group_events", "no work-item makes the copies that it waits for"},
    {"vload_half", "it loads numbers of 16 bits as others"},
    {"vloada_half", "it loads numbers of 16 bits as others"},
    {"vstore_half", "it stores others as numbers of 16 bits"},
    {"vstorea_half", "it stores others as numbers of 16 bits"},
    {"sincos", "it also stores a result"},
    {"fract", "it also stores a result"},
    {"modf", "it also stores a result"},
    {"frexp", "it also stores a result"},
    {"remquo", "it also stores a result"},
    {"lgamma_r", "it also stores a result"},
};

/// "get_global_id" of "_Z13get_global_idj"; empty: a function with a body, or none of OpenCL's.
StringRef builtin_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return {};
  StringRef name = callee->getName();
  std::size_t length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size())
    return {};
  return name.substr(0, length);
}

template <std::size_t n>
bool is_one_of(StringRef name, const StringRef (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

OpClass class_of_builtin(StringRef name, bool is_floating_point) {
  name.consume_front("native_") || name.consume_front("half_") || name.consume_front("fast_");
  for (const Known& known : kNames)
    if (name == known.name) return known.op;
  if (is_one_of(name, kSpecialFunctions)) return OpClass::kFloatSpecial;
  if (is_one_of(name, kFloatMoves)) return OpClass::kFloatMove;
  if (is_one_of(name, kWholeNumberFunctions))
    return is_floating_point ? OpClass::kFloatMove : OpClass::kInteger;
  for (const Known& known : kPrefixes)
    if (name.startswith(known.name)) return known.op;
  return OpClass::kCall;
}

}  // namespace

std::string why_not_described(const CallBase& call) {
  if (!call.getCalledFunction()) return "it calls through a pointer";
  const StringRef name = builtin_name(call);
  for (const Undescribed& undescribed : kUndescribed)
    if (name.startswith(undescribed.prefix))
      return "it calls " + name.str() + " (" + undescribed.why + ')';
  return {};
}

}  // namespace apmt::opencl

// What kernels/llvm asks this front end.
namespace apmt::frontend {

kernels::OpClass class_of_known_call(const llvm::CallBase& call) {
  const llvm::StringRef name = opencl::builtin_name(call);
  return name.empty() ? kernels::OpClass::kCall
                      : opencl::class_of_builtin(name, call.getType()->isFPOrFPVectorTy());
}

/// As in the published AIWC.
std::string opcode_name_of_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  return intrinsic.getOpcodeName();
}

}  // namespace apmt::frontend
