// Builds small kernels in the form that a front end produces, and stores what each instruction
// computes, so that interpreter.h can run them. Loops are rotated (tested at the end), as in LLVM's
// canonical form.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels::testing {

/// A value of the interpreter: the bits of an int64 or of a double.
using Cell = std::uint64_t;
inline double as_double(Cell c) { return std::bit_cast<double>(c); }
inline std::int64_t as_int(Cell c) { return std::bit_cast<std::int64_t>(c); }

struct Value {
  Operand operand = {};
  Cell literal = 0;
  Value() = default;
  Value(int number) : literal(std::bit_cast<Cell>(std::int64_t{number})) {}
  Value(std::int64_t number) : literal(std::bit_cast<Cell>(number)) {}
  Value(double number) : literal(std::bit_cast<Cell>(number)) {}
  explicit Value(Operand of) : operand(of) {}
};

enum class Does : std::uint8_t {
  kNothing,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kXor,
  kAnd,
  kLess,
  kGreater,
  kEqual,
  kFloatAdd,
  kFloatSubtract,
  kFloatMultiply,
  kFloatMultiplyAdd,
  kFloatDivide,
  kFloatGreater,
  kElement,  // address of an element of eight bytes: base + 8 * index
  kLoad,
  kStore,
  kCopyMemory,
  kFillMemory,
  kBarrier,
  kPhi,
  kJump,
  kBranch,
  kCall,
  kReturn,
};

/// A program and what its instructions do.
struct Code {
  Program program;
  std::vector<Does> does;            // by instruction
  std::vector<Cell> literals;        // of constants, by operand
  std::vector<std::uint32_t> calls;  // by instruction: the called function; kNone: outside code
};

class Builder {
 public:
  Builder() = default;
  /// Begins a function. All that is added before the next function belongs to it; each instruction
  /// has a line number of its own.
  std::uint32_t function(const std::string& name, std::uint32_t arguments = 0);
  Value argument(std::uint32_t i) const { return Value(Operand::argument(i)); }

  Value add(Value a, Value b) { return emit(Does::kAdd, {a, b}); }
  Value sub(Value a, Value b) { return emit(Does::kSubtract, {a, b}); }
  Value mul(Value a, Value b) { return emit(Does::kMultiply, {a, b}); }
  Value div(Value a, Value b) { return emit(Does::kDivide, {a, b}); }
  Value rem(Value a, Value b) { return emit(Does::kRemainder, {a, b}); }
  Value bit_xor(Value a, Value b) { return emit(Does::kXor, {a, b}); }
  Value bit_and(Value a, Value b) { return emit(Does::kAnd, {a, b}); }
  Value less(Value a, Value b) { return emit(Does::kLess, {a, b}); }
  Value greater(Value a, Value b) { return emit(Does::kGreater, {a, b}); }
  Value equal(Value a, Value b) { return emit(Does::kEqual, {a, b}); }
  Value fadd(Value a, Value b) { return emit(Does::kFloatAdd, {a, b}); }
  Value fsub(Value a, Value b) { return emit(Does::kFloatSubtract, {a, b}); }
  Value fmul(Value a, Value b) { return emit(Does::kFloatMultiply, {a, b}); }
  Value fma(Value a, Value b, Value c) { return emit(Does::kFloatMultiplyAdd, {a, b, c}); }
  Value fdiv(Value a, Value b) { return emit(Does::kFloatDivide, {a, b}); }
  Value fgreater(Value a, Value b) { return emit(Does::kFloatGreater, {a, b}); }

  Value element(Value base, Value index) { return emit(Does::kElement, {base, index}); }
  Value load(Value base, Value index) { return emit(Does::kLoad, {element(base, index)}); }
  Value load_int(Value base, Value index);
  void store(Value value, Value base, Value index) {
    emit(Does::kStore, {value, element(base, index)});
  }
  void copy_memory(Value to, Value from, Value bytes) {
    emit(Does::kCopyMemory, {to, from, bytes});
  }
  void fill_memory(Value to, Value bytes) { emit(Does::kFillMemory, {to, 0, bytes}); }
  void barrier();
  Value call(const std::string& name, const std::vector<Value>& arguments);
  void call_outside(const std::string& name);
  void finish() { give_back({}); }
  void give_back(const std::vector<Value>& value);  // returns this value, or none

  enum class Carry : std::uint8_t { kPlain, kReduction };
  struct LoopForm {
    std::vector<Value> initial = {};  // of the values that the loop carries besides its counter
    Carry carry = Carry::kPlain;
    std::uint8_t flags = 0;
    Loop::Annotation annotation = Loop::kUnsaid;
  };
  using Body = std::function<std::vector<Value>(Value i, const std::vector<Value>& carried)>;
  using Step = std::function<Value(Value i)>;
  using Test = std::function<Value(Value next)>;
  /// do { body } while (test(i = step(i))): at least one iteration. Returns the carried values
  /// after the loop.
  std::vector<Value> loop(Value from, const Step& step, const Test& test, const LoopForm& form,
                          const Body& body);
  /// The loop for (i = from; i < to; ++i), with at least one iteration.
  std::vector<Value> loop(Value from, Value to, const LoopForm& form, const Body& body);
  void loop(Value from, Value to, const std::function<void(Value)>& body);
  /// The same loop inside if (from < to), so that it may have no iteration.
  void guarded_loop(Value from, Value to, const std::function<void(Value)>& body);
  void if_(Value condition, const std::function<void()>& body);
  /// Marks a loaded value as the sum of a reduction, so that loading it does not count as a
  /// dependence between iterations of the innermost loop.
  void except_reduction(Value loaded);
  std::uint32_t innermost_loop() const { return loop_; }

  const Code& code() const { return code_; }
  Code take() { return std::move(code_); }

 private:
  Value emit(Does does, const std::vector<Value>& operands);
  void open_block();
  void close_block(std::vector<std::uint32_t> successors);
  std::uint32_t current_block() const;

  Code code_;
  bool is_open_ = false;
  std::uint32_t loop_ = kNone;
  std::uint32_t line_ = 0;
  std::vector<std::vector<Excepted>> excepted_;  // by loop
  void lay_out_excepted();
};

}  // namespace apmt::kernels::testing
