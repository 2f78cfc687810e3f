// The results of the analysers, computed in a slow and simple way from the executed instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <list>
#include <map>
#include <set>

#include "tests/unit/kernels/interpreter.h"

namespace apmt::kernels::testing {

struct ReferenceAccess {
  std::uint64_t address, bytes;
  bool is_write;
};

/// All accesses in the order of execution; a copy counts as a read and then a write.
inline std::vector<ReferenceAccess> accesses_of(const Code& code, const std::vector<Step>& steps) {
  std::vector<ReferenceAccess> all;
  for (const Step& step : steps) switch (code.program.instructions[step.instruction].op) {
      case OpClass::kLoad:
        all.push_back({step.address, 8, false});
        break;
      case OpClass::kStore:
        all.push_back({step.address, 8, true});
        break;
      case OpClass::kCopyMemory:
        all.push_back({step.from, step.bytes, false});
        [[fallthrough]];
      case OpClass::kFillMemory:
        all.push_back({step.address, step.bytes, true});
        break;
      default:
        break;
    }
  return all;
}

/// The number of accesses for each stack distance, in lines of 64 bytes; -1 stands for the first
/// access of a line. The stack is a list with the most recent line first.
inline std::map<std::int64_t, std::uint64_t> reference_distances(
    const std::vector<ReferenceAccess>& accesses) {
  std::map<std::int64_t, std::uint64_t> found;
  std::list<std::uint64_t> stack;
  for (const ReferenceAccess& a : accesses)
    for (std::uint64_t line = a.address / 64; line <= (a.address + a.bytes - 1) / 64; ++line) {
      const auto at = std::find(stack.begin(), stack.end(), line);
      found[at == stack.end() ? -1 : std::distance(stack.begin(), at)]++;
      if (at != stack.end()) stack.erase(at);
      stack.push_front(line);
    }
  return found;
}

/// Follows the reductions of a run. In contrast to the analysers, which look at the code, this
/// looks at the executed instructions.
class ReferenceReductions {
 public:
  ReferenceReductions(const Program& program, const std::vector<Step>& steps)
      : p_(program), steps_(steps) {
    for (const Loop& loop : p_.loops)
      for (const Excepted& e : p_.excepted_of(loop))
        if (e.why == Excepted::kReduction)
          loops_[{loop.function, e.slot}].insert(
              static_cast<std::uint32_t>(&loop - p_.loops.data()));
  }

  /// Must be called for each step in order, before carries() is called for it.
  void next(std::size_t index) {
    const Step& step = steps_[index];
    const Block& block = p_.blocks[step.block];
    const Instruction& i = p_.instructions[step.instruction];
    if (i.op == OpClass::kPhi && step.instruction == block.first_instruction)
      trips_[block.loop] = step.taken == 0 ? 1 : trips_[block.loop] + 1;
    parts_.emplace_back();
    for (std::size_t k = 0; k < step.sources.size(); ++k)
      if (step.sources[k] != Interpreter::kNoStep)
        for (const std::uint32_t loop : parts_[step.sources[k]])
          if (contains(loop, step.block)) parts_.back().insert(loop);
    const auto at = loops_.find({block.function, i.result});
    if (at != loops_.end() && (i.op == OpClass::kPhi || i.op == OpClass::kLoad))
      parts_.back().insert(at->second.begin(), at->second.end());
  }
  /// Whether source `k` of the step is the result so far of a reduction around the step.
  bool carries(std::size_t index, std::size_t k) const {
    const std::size_t source = steps_[index].sources[k];
    if (source == Interpreter::kNoStep) return false;
    for (const std::uint32_t loop : parts_[source])
      if (contains(loop, steps_[index].block)) return true;
    return false;
  }
  bool is_carried_load(std::size_t index) const {
    const Step& step = steps_[index];
    const Instruction& i = p_.instructions[step.instruction];
    return i.op == OpClass::kLoad && loops_.contains({p_.blocks[step.block].function, i.result});
  }
  /// The levels in which the terms of the loops that were left between the steps are combined.
  std::uint64_t combining(std::size_t index, std::size_t k) const {
    const std::size_t source = steps_[index].sources[k];
    std::uint64_t levels = 0;
    if (source == Interpreter::kNoStep) return 0;
    for (const std::uint32_t loop : parts_[source])
      if (!contains(loop, steps_[index].block) && is_in_register(loop))
        levels += static_cast<std::uint64_t>(std::bit_width(trips_.at(loop)));
    return levels;
  }

 private:
  bool contains(std::uint32_t loop, std::uint32_t block) const {
    std::uint32_t l = p_.blocks[block].loop;
    while (l != kNone && l != loop) l = p_.loops[l].parent;
    return l == loop;
  }
  bool is_in_register(std::uint32_t loop) const {
    for (const Instruction& i : p_.code(p_.blocks[p_.loops[loop].header]))
      for (const Excepted& e : p_.excepted_of(p_.loops[loop]))
        if (i.op == OpClass::kPhi && e.why == Excepted::kReduction && e.slot == i.result)
          return true;
    return false;
  }

  const Program& p_;
  const std::vector<Step>& steps_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> loops_;
  std::map<std::uint32_t, std::uint64_t> trips_;  // of the last entry, by loop
  std::vector<std::set<std::uint32_t>> parts_;    // for each step: the loops of its reductions
};

enum class ReferenceSchedule : std::uint8_t { kFloatingPoint, kAllOperations, kLoads };

/// The number of operations at each level of an ASAP schedule (as soon as possible), from 1 on.
inline std::map<std::uint64_t, std::uint64_t> reference_levels(const Code& code,
                                                               const std::vector<Step>& steps,
                                                               ReferenceSchedule schedule) {
  const Program& p = code.program;
  const bool is_of_loads = schedule == ReferenceSchedule::kLoads;
  const bool reassociates = schedule == ReferenceSchedule::kAllOperations;
  std::set<std::pair<std::uint32_t, std::uint32_t>> inductions;  // function, slot
  for (const Loop& loop : p.loops)
    for (const Excepted& e : p.excepted_of(loop))
      if (e.why == Excepted::kInduction) inductions.insert({loop.function, e.slot});
  ReferenceReductions reductions(p, steps);
  std::map<std::uint64_t, std::uint64_t> memory, operations;
  std::vector<std::uint64_t> levels;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    const Instruction& i = p.instructions[step.instruction];
    reductions.next(s);
    const auto of = [&](std::size_t k) {
      if (step.sources[k] == Interpreter::kNoStep) return std::uint64_t{0};
      return levels[step.sources[k]] + (reassociates ? reductions.combining(s, k) : 0);
    };
    std::uint64_t ready = 0, late = 0;  // late: what only the result waits for
    for (std::size_t k = 0; k < step.sources.size(); ++k) {
      const bool is_late = reassociates && reductions.carries(s, k);
      (is_late ? late : ready) = std::max(is_late ? late : ready, of(k));
    }
    const auto words_at = [&](std::uint64_t address, std::uint64_t bytes, auto visit) {
      for (std::uint64_t a = address; a < address + bytes; a += 8) visit(memory[a]);
    };
    const auto read = [&](std::uint64_t address, std::uint64_t bytes, std::uint64_t* to) {
      words_at(address, bytes, [&](std::uint64_t level) { *to = std::max(*to, level); });
    };
    const bool is_data_late = is_of_loads || (reassociates && reductions.is_carried_load(s));
    if (i.op == OpClass::kLoad) read(step.address, 8, is_data_late ? &late : &ready);
    if (i.op == OpClass::kCopyMemory) read(step.from, step.bytes, &ready);
    if (i.op == OpClass::kPhi && schedule != ReferenceSchedule::kFloatingPoint &&
        inductions.contains({p.blocks[step.block].function, i.result}))
      ready = late = 0;
    const bool is_flop = i.op == OpClass::kFloatAdd || i.op == OpClass::kFloatMultiply ||
                         i.op == OpClass::kFloatMultiplyAdd || i.op == OpClass::kFloatDivide;
    const bool is_free = i.op == OpClass::kPhi || i.op == OpClass::kJump ||
                         i.op == OpClass::kReturn || i.op == OpClass::kCall;
    const bool counts = is_of_loads ? i.op == OpClass::kLoad : reassociates ? !is_free : is_flop;
    if (i.op == OpClass::kFloatMultiplyAdd && counts) {
      const std::uint64_t product = std::max(of(0), of(1)) + 1;
      operations[product]++;
      ready = reassociates && reductions.carries(s, 2) ? product : std::max(product, of(2));
      operations[++ready]++;
    } else if (counts) {
      operations[++ready]++;
    }
    ready = std::max(ready, late);
    if (i.op == OpClass::kStore || i.op == OpClass::kFillMemory || i.op == OpClass::kCopyMemory)
      words_at(step.address, step.bytes, [&](std::uint64_t& level) { level = ready; });
    levels.push_back(ready);
  }
  if (!operations.empty())  // levels without operations
    for (std::uint64_t level = 1; level < operations.rbegin()->first; ++level) operations[level];
  return operations;
}

/// Loops in which an iteration reads memory that an earlier iteration of the same execution of the
/// loop wrote.
inline std::set<std::uint32_t> reference_carried(const Code& code, const std::vector<Step>& steps) {
  const Program& p = code.program;
  using Place = std::map<std::uint32_t, std::pair<int, int>>;  // loop -> entry, iteration
  Place now;
  std::map<std::uint64_t, Place> written;
  std::set<std::uint32_t> carried;
  for (const Step& step : steps) {
    const Block& block = p.blocks[step.block];
    const Instruction& i = p.instructions[step.instruction];
    if (i.op == OpClass::kPhi && step.instruction == block.first_instruction) {
      auto& [entry, iteration] = now[block.loop];
      if (step.taken == 0)
        ++entry, iteration = 0;
      else
        ++iteration;
    }
    Place here;
    for (std::uint32_t l = block.loop; l != kNone; l = p.loops[l].parent) here[l] = now[l];
    const auto read = [&](std::uint64_t address) {
      for (const auto& [loop, then] : written[address])
        if (here.contains(loop) && here[loop].first == then.first &&
            then.second < here[loop].second) {
          bool is_excepted = false;
          for (const Excepted& e : p.excepted_of(p.loops[loop])) is_excepted |= e.slot == i.result;
          if (!is_excepted) carried.insert(loop);
        }
    };
    if (i.op == OpClass::kLoad) read(step.address);
    if (i.op == OpClass::kStore) written[step.address] = here;
  }
  return carried;
}

}  // namespace apmt::kernels::testing
