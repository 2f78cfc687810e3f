#include "kernels/analysers/asap_code.h"

#include <algorithm>

#include "kernels/analysers/reductions.h"

namespace apmt::kernels {
namespace {

/// The level of a value, as far as it is known before the run, is a number (relative to the start
/// of the kernel's schedule) or one of these constants.
constexpr std::uint32_t kUnknown = 0xffffffff;  // depends on memory, arguments or calls
constexpr std::uint32_t kOpen = 0xfffffffe;     // not determined yet

/// Finds out what is known before the run about the values of one function.
class FunctionFacts {
 public:
  FunctionFacts(const Program& program, const Function& function, const ScheduleRules& rules)
      : program_(program),
        rules_(rules),
        blocks_(std::span(program.blocks).subspan(function.first_block, function.blocks)),
        levels_(function.slots, kOpen),
        is_needed_(function.slots),
        is_read_(function.slots),
        is_induction_(function.slots) {
    if (rules.inductions_are_known) note_inductions();
    find_levels();
    find_needed();
  }

  /// The known level of an operand; kUnknown: there is none.
  std::uint32_t level(std::uint32_t operand_bits) const {
    const Operand operand{operand_bits};
    if (operand.kind() == Operand::Kind::kConstant) return 0;
    if (operand.kind() == Operand::Kind::kArgument) return kUnknown;
    return levels_[operand.index()];
  }
  std::uint32_t level_of(const Instruction& i) const {
    return i.result == kNone ? find(i) : levels_[i.result];
  }
  bool is_needed(const Instruction& i) const { return i.result != kNone && is_needed_[i.result]; }
  /// Whether calls, returns or phis read the result. They look only for stored levels, so the level
  /// of this result must be stored even if it is known from the code alone.
  bool is_read(const Instruction& i) const { return i.result != kNone && is_read_[i.result]; }
  bool is_root(const Instruction& i) const {
    return rules_.counts(i.op) || words_of(i.op) > 0 || i.op == OpClass::kCall ||
           i.op == OpClass::kReturn;
  }

 private:
  void note_inductions() {
    for (const Block& block : blocks_) {
      const auto index = static_cast<std::uint32_t>(&block - program_.blocks.data());
      if (block.loop == kNone || program_.loops[block.loop].header != index) continue;
      for (const Excepted& e : program_.excepted_of(program_.loops[block.loop]))
        if (e.why == Excepted::kInduction && e.slot < is_induction_.size())
          is_induction_[e.slot] = true;
    }
  }

  std::uint32_t find(const Instruction& i) const {
    if (words_of(i.op) > 0 || i.op == OpClass::kCall) return kUnknown;
    if (rules_.counts(i.op) && !rules_.folds_known_levels) return kUnknown;
    const auto operands = program_.operands_of(i);
    if (i.op == OpClass::kPhi) return i.result == kNone ? kUnknown : find_phi(i, operands);
    const std::uint32_t runs = rules_.counts(i.op) ? 1 : 0;
    std::uint32_t highest = 0;
    bool is_open = false;
    for (const std::uint32_t operand : operands) {
      const std::uint32_t one = level(operand);
      if (one == kUnknown) return kUnknown;
      is_open |= one == kOpen;
      if (one != kOpen) highest = std::max(highest, one);
    }
    if (is_open) return kOpen;
    if (i.op == OpClass::kFloatMultiplyAdd) return multiply_add(operands);
    return highest + runs;
  }
  std::uint32_t multiply_add(std::span<const std::uint32_t> operands) const {
    return std::max(std::max(level(operands[0]), level(operands[1])) + 1, level(operands[2])) + 1;
  }
  /// The level of a phi is known if all its values have the same known level.
  std::uint32_t find_phi(const Instruction& i, std::span<const std::uint32_t> operands) const {
    if (is_induction_[i.result]) return 0;
    std::uint32_t common = kOpen;
    for (std::size_t k = 0; k < operands.size(); k += 2) {
      const std::uint32_t one = level(operands[k]);
      if (one == kOpen) continue;
      if (one == kUnknown || (common != kOpen && one != common)) return kUnknown;
      common = one;
    }
    return common;
  }

  void find_levels() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const Block& block : blocks_)
        for (const Instruction& i : program_.code(block)) {
          if (i.result == kNone || levels_[i.result] == kUnknown) continue;
          const std::uint32_t found = find(i);
          has_changed |= found != levels_[i.result];
          levels_[i.result] = found;
        }
    }
    std::replace(levels_.begin(), levels_.end(), kOpen, kUnknown);
  }

  void find_needed() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        const auto code = program_.code(*block);
        for (auto i = code.rbegin(); i != code.rend(); ++i) {
          if (!is_root(*i) && !is_needed(*i)) continue;
          const bool reads =
              i->op == OpClass::kPhi || i->op == OpClass::kCall || i->op == OpClass::kReturn;
          const auto operands = program_.operands_of(*i);
          for (std::size_t k = 0; k < operands.size(); k += i->op == OpClass::kPhi ? 2 : 1)
            has_changed |= need({operands[k]}, reads);
        }
      }
    }
  }
  bool need(Operand operand, bool reads) {
    if (operand.kind() != Operand::Kind::kValue) return false;
    const bool is_new = !is_needed_[operand.index()];
    is_needed_[operand.index()] = true;
    if (reads) is_read_[operand.index()] = true;
    return is_new;
  }

  const Program& program_;
  const ScheduleRules& rules_;
  std::span<const Block> blocks_;
  std::vector<std::uint32_t> levels_;  // by slot
  std::vector<bool> is_needed_, is_read_, is_induction_;
};

AsapOp::Kind kind_of(OpClass op, bool counts) {
  switch (op) {
    case OpClass::kLoad:
      return AsapOp::kLoad;
    case OpClass::kStore:
      return AsapOp::kStore;
    case OpClass::kAtomic:
      return AsapOp::kAtomic;
    case OpClass::kFillMemory:
      return AsapOp::kFill;
    case OpClass::kCopyMemory:
      return AsapOp::kCopy;
    case OpClass::kFloatMultiplyAdd:
      return counts ? AsapOp::kMultiplyAdd : AsapOp::kPass;
    default:
      return counts ? AsapOp::kRun : AsapOp::kPass;
  }
}

}  // namespace

std::uint32_t AsapCode::place_of(const Function& f, std::uint32_t operand_bits) {
  const Operand operand{operand_bits};
  if (operand.kind() == Operand::Kind::kConstant) return 0;
  return operand.kind() == Operand::Kind::kArgument ? 1 + operand.index()
                                                    : first_slot(f) + operand.index();
}

void AsapCode::add_functions_of(const Program& program) {
  blocks.resize(program.blocks.size());
  for (; functions_ < program.functions.size(); ++functions_)
    add(program, program.functions[functions_]);
}

void AsapCode::add(const Program& program, const Function& function) {
  const FunctionFacts facts(program, function, rules_);
  const Reductions reductions(program, function);
  const auto is_carried = [&](const Instruction& i, std::size_t k) {
    return rules_.reassociates && reductions.is_carried(i, k);
  };
  const auto size32 = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const std::uint32_t nowhere = places_of(function) - 1;
  const auto place_of_result = [&](const Instruction& i) {
    return i.result == kNone ? nowhere : first_slot(function) + i.result;
  };
  const auto add_operand = [&](std::uint32_t operand, std::uint32_t* floor) {
    const std::uint32_t level = facts.level(operand);
    if (level == kUnknown)
      places.push_back(place_of(function, operand));
    else
      *floor = std::max(*floor, level);
  };

  for (std::uint32_t b = function.first_block; b < function.first_block + function.blocks; ++b) {
    AsapBlock& block = blocks[b];
    block = {size32(phis), 0, size32(ops), 0, size32(known), 0};
    std::uint32_t word = 0;
    const auto runs_at = [&](std::uint32_t level, std::uint32_t lanes) {
      for (std::uint32_t k = block.first_known; k < known.size(); ++k)
        if (known[k].level == level) return void(known[k].operations += lanes);
      known.push_back({level, lanes});
    };
    for (const Instruction& i : program.code(program.blocks[b])) {
      const auto operands = program.operands_of(i);
      const bool counts = rules_.counts(i.op);
      if (!facts.is_root(i) && !facts.is_needed(i)) continue;
      const std::uint32_t level = facts.level_of(i);
      if (level != kUnknown) {
        if (counts) {
          runs_at(level, i.lanes);
          if (i.op == OpClass::kFloatMultiplyAdd)
            runs_at(std::max(facts.level(operands[0]), facts.level(operands[1])) + 1, i.lanes);
        }
        if (level > 0 && facts.is_read(i))
          ops.push_back({.kind = AsapOp::kSet, .floor = level, .result = place_of_result(i)});
        continue;
      }
      // A return is no operation here: its value is passed on when the frame ends.
      if (i.op == OpClass::kReturn || (i.op == OpClass::kCall && i.result == kNone)) continue;
      if (i.op == OpClass::kPhi) {
        phis.push_back({place_of_result(i), size32(pairs), i.operands / 2u});
        for (std::size_t k = 0; k < operands.size(); k += 2)
          pairs.push_back({place_of(function, operands[k]), operands[k + 1]});
        continue;
      }
      AsapOp op{.kind = kind_of(i.op, counts),
                .counts = counts,
                .word = static_cast<std::uint16_t>(word),
                .first_operand = size32(places),
                .result = place_of_result(i),
                .bytes = i.bytes,
                .lanes = i.lanes};
      op.is_data_late =
          !rules_.loads_wait_for_data || (rules_.reassociates && reductions.is_carried_load(i));
      word += words_of(i.op);
      auto added = [&, before = places.size()]() mutable {
        const auto more = static_cast<std::uint16_t>(places.size() - before);
        before = places.size();
        return more;
      };
      const auto is_addend = [&](std::size_t k) {
        return op.kind == AsapOp::kMultiplyAdd && k == 2;
      };
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (!is_addend(k) && !is_carried(i, k)) add_operand(operands[k], &op.floor);
      op.operands = added();
      if (op.kind == AsapOp::kMultiplyAdd && !is_carried(i, 2))
        add_operand(operands[2], &op.addend_floor);
      op.addends = added();
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (is_carried(i, k)) add_operand(operands[k], &op.floor);
      op.carried = added();
      ops.push_back(op);
    }
    block.phis = size32(phis) - block.first_phi;
    block.ops = size32(ops) - block.first_op;
    block.known = size32(known) - block.first_known;
  }
  if (!rules_.reassociates) return;
  results_.resize(program.loops.size());
  for (const Reductions::Result& result : reductions.results())
    if (facts.level(Operand::value(result.slot).bits) == kUnknown)
      results_[result.loop].push_back(first_slot(function) + result.slot);
}

}  // namespace apmt::kernels
