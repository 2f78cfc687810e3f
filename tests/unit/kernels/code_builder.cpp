#include "tests/unit/kernels/code_builder.h"

namespace apmt::kernels::testing {
namespace {

struct Form {
  const char* opcode;
  OpClass op;
  ScalarType type;
  bool has_result;
};
Form form_of(Does does) {
  using T = ScalarType;
  switch (does) {
    case Does::kAdd:
      return {"add", OpClass::kInteger, T::kInteger, true};
    case Does::kSubtract:
      return {"sub", OpClass::kInteger, T::kInteger, true};
    case Does::kMultiply:
      return {"mul", OpClass::kInteger, T::kInteger, true};
    case Does::kDivide:
      return {"sdiv", OpClass::kInteger, T::kInteger, true};
    case Does::kRemainder:
      return {"srem", OpClass::kInteger, T::kInteger, true};
    case Does::kXor:
      return {"xor", OpClass::kInteger, T::kInteger, true};
    case Does::kAnd:
      return {"and", OpClass::kInteger, T::kInteger, true};
    case Does::kLess:
    case Does::kGreater:
    case Does::kEqual:
      return {"icmp", OpClass::kCompare, T::kInteger, true};
    case Does::kFloatAdd:
      return {"fadd", OpClass::kFloatAdd, T::kFloat64, true};
    case Does::kFloatSubtract:
      return {"fsub", OpClass::kFloatAdd, T::kFloat64, true};
    case Does::kFloatMultiply:
      return {"fmul", OpClass::kFloatMultiply, T::kFloat64, true};
    case Does::kFloatMultiplyAdd:
      return {"call", OpClass::kFloatMultiplyAdd, T::kFloat64, true};
    case Does::kFloatDivide:
      return {"fdiv", OpClass::kFloatDivide, T::kFloat64, true};
    case Does::kFloatGreater:
      return {"fcmp", OpClass::kCompare, T::kInteger, true};
    case Does::kElement:
      return {"getelementptr", OpClass::kAddress, T::kPointer, true};
    case Does::kLoad:
      return {"load", OpClass::kLoad, T::kFloat64, true};
    case Does::kStore:
      return {"store", OpClass::kStore, T::kFloat64, false};
    case Does::kCopyMemory:
      return {"call", OpClass::kCopyMemory, T::kVoid, false};
    case Does::kFillMemory:
      return {"call", OpClass::kFillMemory, T::kVoid, false};
    case Does::kBarrier:
      return {"call", OpClass::kBarrier, T::kVoid, false};
    case Does::kPhi:
      return {"phi", OpClass::kPhi, T::kInteger, true};
    case Does::kJump:
      return {"br", OpClass::kJump, T::kVoid, false};
    case Does::kBranch:
      return {"br", OpClass::kBranch, T::kVoid, false};
    case Does::kCall:
      return {"call", OpClass::kCall, T::kFloat64, true};
    case Does::kReturn:
      return {"ret", OpClass::kReturn, T::kVoid, false};
    case Does::kNothing:
      break;
  }
  return {"unreachable", OpClass::kOther, T::kVoid, false};
}

}  // namespace

std::uint32_t Builder::function(const std::string& name, std::uint32_t arguments) {
  Program& p = code_.program;
  Function f;
  f.linkage_name = f.name = p.names.add(name);
  f.file = p.names.add(name + ".c");
  f.line = ++line_;
  f.first_block = static_cast<std::uint32_t>(p.blocks.size());
  f.arguments = arguments;
  p.functions.push_back(f);
  open_block();
  return static_cast<std::uint32_t>(p.functions.size() - 1);
}

std::uint32_t Builder::current_block() const {
  return static_cast<std::uint32_t>(code_.program.blocks.size() - 1);
}

void Builder::open_block() {
  Program& p = code_.program;
  p.functions.back().blocks++;
  p.blocks.push_back({.function = static_cast<std::uint32_t>(p.functions.size() - 1),
                      .loop = loop_,
                      .first_instruction = static_cast<std::uint32_t>(p.instructions.size()),
                      .first_successor = static_cast<std::uint32_t>(p.successors.size())});
  is_open_ = true;
}

void Builder::close_block(std::vector<std::uint32_t> successors) {
  Program& p = code_.program;
  p.blocks.back().successors = static_cast<std::uint32_t>(successors.size());
  p.successors.insert(p.successors.end(), successors.begin(), successors.end());
  is_open_ = false;
}

Value Builder::emit(Does does, const std::vector<Value>& operands) {
  Program& p = code_.program;
  const Form form = form_of(does);
  Instruction i;
  i.opcode = p.names.add(form.opcode);
  i.site = static_cast<std::uint32_t>(p.sites.size());
  p.sites.push_back({.file = p.functions.back().file, .line = ++line_, .column = 1});
  i.first_operand = static_cast<std::uint32_t>(p.operands.size());
  i.operands = static_cast<std::uint16_t>(operands.size());
  i.op = form.op;
  i.type = form.type;
  if (words_of(form.op) == 1) i.bytes = 8;
  if (form.has_result) i.result = p.functions.back().slots++;
  for (const Value& operand : operands) {
    p.operands.push_back(operand.operand.bits);
    code_.literals.push_back(operand.literal);
  }
  p.blocks.back().instructions++;
  p.blocks.back().words += words_of(form.op);
  p.instructions.push_back(i);
  code_.does.push_back(does);
  code_.calls.push_back(kNone);
  return form.has_result ? Value(Operand::value(i.result)) : Value();
}

Value Builder::load_int(Value base, Value index) {
  const Value loaded = load(base, index);
  code_.program.instructions.back().type = ScalarType::kInteger;
  return loaded;
}

Value Builder::call(const std::string& name, const std::vector<Value>& arguments) {
  const Value result = emit(Does::kCall, arguments);
  Program& p = code_.program;
  p.instructions.back().callee = p.names.add(name);
  for (std::uint32_t f = 0; f < p.functions.size(); ++f)
    if (p.name(p.functions[f].linkage_name) == name) code_.calls.back() = f;
  close_block({current_block() + 1});
  open_block();
  return result;
}

void Builder::barrier() {
  emit(Does::kBarrier, {});
  close_block({current_block() + 1});
  open_block();
}

void Builder::call_outside(const std::string& name) { call(name, {}); }

void Builder::give_back(const std::vector<Value>& value) {
  emit(Does::kReturn, value);
  close_block({});
  lay_out_excepted();
}

std::vector<Value> Builder::loop(Value from, const Step& step, const Test& test,
                                 const LoopForm& form, const Body& body) {
  Program& p = code_.program;
  const std::uint32_t before = current_block(), header = before + 1;
  emit(Does::kJump, {});
  close_block({header});

  const std::uint32_t outer = loop_;
  loop_ = static_cast<std::uint32_t>(p.loops.size());
  p.loops.push_back({.function = static_cast<std::uint32_t>(p.functions.size() - 1),
                     .parent = outer,
                     .header = header,
                     .site = static_cast<std::uint32_t>(p.sites.size()),
                     .annotation = form.annotation,
                     .flags = form.flags});
  excepted_.emplace_back();
  const std::uint32_t self = loop_;
  open_block();
  std::vector<std::size_t> patches;
  const auto phi = [&](Value initial) {
    const Value v = emit(Does::kPhi, {initial, 0, 0, 0});
    const std::size_t at = p.operands.size() - 4;
    p.operands[at + 1] = before;
    patches.push_back(at + 2);
    return v;
  };
  const Value i = phi(from);
  excepted_[self].push_back({i.operand.index(), Excepted::kInduction});
  std::vector<Value> carried;
  for (const Value& initial : form.initial) {
    carried.push_back(phi(initial));
    if (form.carry == Carry::kReduction)
      excepted_[self].push_back({carried.back().operand.index(), Excepted::kReduction});
  }
  std::vector<Value> ends = body(i, carried);
  const Value next = step(i);
  emit(Does::kBranch, {test(next)});
  ends.insert(ends.begin(), next);
  for (std::size_t k = 0; k < patches.size(); ++k) {
    p.operands[patches[k]] = ends[k].operand.bits;
    code_.literals[patches[k]] = ends[k].literal;
    p.operands[patches[k] + 1] = current_block();
  }
  close_block({header, current_block() + 1});
  loop_ = outer;
  open_block();
  ends.erase(ends.begin());
  return ends;
}

std::vector<Value> Builder::loop(Value from, Value to, const LoopForm& form, const Body& body) {
  return loop(
      from, [&](Value i) { return add(i, 1); }, [&](Value next) { return less(next, to); }, form,
      body);
}

void Builder::loop(Value from, Value to, const std::function<void(Value)>& body) {
  loop(from, to, LoopForm{}, [&](Value i, const std::vector<Value>&) {
    body(i);
    return std::vector<Value>{};
  });
}

void Builder::guarded_loop(Value from, Value to, const std::function<void(Value)>& body) {
  if_(less(from, to), [&] { loop(from, to, body); });
}

void Builder::if_(Value condition, const std::function<void()>& body) {
  Program& p = code_.program;
  emit(Does::kBranch, {condition});
  const std::size_t patch = p.successors.size() + 1;
  close_block({current_block() + 1, 0});
  open_block();
  body();
  emit(Does::kJump, {});
  close_block({current_block() + 1});
  p.successors[patch] = current_block() + 1;
  open_block();
}

void Builder::except_reduction(Value loaded) {
  excepted_[loop_].push_back({loaded.operand.index(), Excepted::kReduction});
}

void Builder::lay_out_excepted() {
  Program& p = code_.program;
  p.excepted.clear();
  for (std::size_t l = 0; l < p.loops.size(); ++l) {
    p.loops[l].first_excepted = static_cast<std::uint32_t>(p.excepted.size());
    p.loops[l].excepted = static_cast<std::uint32_t>(excepted_[l].size());
    p.excepted.insert(p.excepted.end(), excepted_[l].begin(), excepted_[l].end());
  }
}

}  // namespace apmt::kernels::testing
