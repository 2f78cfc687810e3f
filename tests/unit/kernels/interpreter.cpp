#include "tests/unit/kernels/interpreter.h"

#include <stdexcept>

namespace apmt::kernels::testing {

void Interpreter::run(std::uint32_t function, const std::vector<Cell>& arguments) {
  std::vector<Made> made;
  for (const Cell argument : arguments) made.push_back({argument, kNoStep});
  words.push_back(mark(Mark::kKernelBegin, function));
  call(function, made);
  words.push_back(mark(Mark::kKernelEnd));
}

Interpreter::Made Interpreter::call(std::uint32_t function, const std::vector<Made>& arguments) {
  const Program& p = code_.program;
  std::vector<Made> slots(p.functions[function].slots);
  std::uint32_t block = p.functions[function].first_block, before = kNone;
  for (;;) {
    const Block& b = p.blocks[block];
    words.push_back(block);
    std::uint32_t next = kNone;
    std::vector<std::pair<std::uint32_t, Made>> phis;  // all read before one is written
    for (std::uint32_t at = b.first_instruction; at < b.first_instruction + b.instructions; ++at) {
      const Instruction& i = p.instructions[at];
      Step step;
      step.instruction = at;
      step.block = block;
      std::vector<Made> in;
      const auto read = [&](std::uint32_t k) {
        const Operand operand{p.operands[i.first_operand + k]};
        Made made{code_.literals[i.first_operand + k], kNoStep};
        if (operand.kind() == Operand::Kind::kArgument) made = arguments[operand.index()];
        if (operand.kind() == Operand::Kind::kValue) made = slots[operand.index()];
        step.sources.push_back(made.by);
        in.push_back(made);
      };
      if (i.op == OpClass::kPhi) {
        for (std::uint32_t k = 0; k < i.operands; k += 2)
          if (p.operands[i.first_operand + k + 1] == before) {
            read(k);
            step.taken = k / 2;
          }
        if (in.size() != 1) throw std::logic_error("a phi does not name the block before");
        phis.push_back({i.result, {in[0].value, steps.size()}});
        keep(std::move(step));
        continue;
      }
      for (const auto& [slot, made] : phis) slots[slot] = made;
      phis.clear();
      for (std::uint32_t k = 0; k < i.operands; ++k) read(k);
      const Does does = code_.does[at];
      Made result;
      if (does == Does::kReturn) {
        keep(std::move(step));
        return in.empty() ? Made{} : in[0];
      }
      if (does == Does::kCall) {
        keep(std::move(step));
        if (code_.calls[at] != kNone) result = call(code_.calls[at], in);
        next = p.successors_of(b)[0];
      } else if (does == Does::kJump || does == Does::kBarrier || does == Does::kBranch) {
        step.taken = does == Does::kBranch && as_int(in[0].value) == 0;
        next = p.successors_of(b)[step.taken];
        keep(std::move(step));
      } else {
        result = {compute(does, in, &step), steps.size()};
        keep(std::move(step));
      }
      if (i.result != kNone) slots[i.result] = result;
    }
    before = block;
    block = next;
  }
}

Cell Interpreter::compute(Does does, const std::vector<Made>& in, Step* step) {
  const auto integer = [&](std::size_t k) { return as_int(in[k].value); };
  const auto number = [&](std::size_t k) { return as_double(in[k].value); };
  const auto cell = [](auto x) { return std::bit_cast<Cell>(x); };
  const auto truth = [](bool x) { return static_cast<Cell>(x); };
  switch (does) {
    case Does::kAdd:
      return cell(integer(0) + integer(1));
    case Does::kSubtract:
      return cell(integer(0) - integer(1));
    case Does::kMultiply:
      return cell(integer(0) * integer(1));
    case Does::kDivide:
      return cell(integer(0) / integer(1));
    case Does::kRemainder:
      return cell(integer(0) % integer(1));
    case Does::kXor:
      return in[0].value ^ in[1].value;
    case Does::kAnd:
      return in[0].value & in[1].value;
    case Does::kLess:
      return truth(integer(0) < integer(1));
    case Does::kGreater:
      return truth(integer(0) > integer(1));
    case Does::kEqual:
      return truth(integer(0) == integer(1));
    case Does::kFloatAdd:
      return cell(number(0) + number(1));
    case Does::kFloatSubtract:
      return cell(number(0) - number(1));
    case Does::kFloatMultiply:
      return cell(number(0) * number(1));
    case Does::kFloatMultiplyAdd:
      return cell(number(0) * number(1) + number(2));
    case Does::kFloatDivide:
      return cell(number(0) / number(1));
    case Does::kFloatGreater:
      return truth(number(0) > number(1));
    case Does::kElement:
      return cell(integer(0) + 8 * integer(1));
    case Does::kLoad:
      step->address = in[0].value, step->bytes = 8;
      words.push_back(step->address);
      return at(integer(0));
    case Does::kStore:
      step->address = in[1].value, step->bytes = 8;
      words.push_back(step->address);
      at(integer(1)) = in[0].value;
      return 0;
    case Does::kCopyMemory:
      step->address = in[0].value, step->from = in[1].value, step->bytes = in[2].value;
      words.insert(words.end(), {step->address, step->from, step->bytes});
      for (std::int64_t k = 0; k < integer(2); k += 8) at(integer(0) + k) = at(integer(1) + k);
      return 0;
    case Does::kFillMemory:
      step->address = in[0].value, step->bytes = in[2].value;
      words.insert(words.end(), {step->address, step->bytes});
      for (std::int64_t k = 0; k < integer(2); k += 8) at(integer(0) + k) = in[1].value;
      return 0;
    default:
      return 0;
  }
}

std::vector<Word> events_of(const Code& code, std::uint32_t function) {
  Interpreter interpreter(code);
  interpreter.run(function);
  return interpreter.words;
}

}  // namespace apmt::kernels::testing
