// The results of the analysers, computed in a slow and simple way from the executed instructions.
#pragma once

#include <algorithm>
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

/// The number of operations at each level of the ASAP schedule (as soon as possible).
inline std::map<std::uint64_t, std::uint64_t> reference_levels(const Code& code,
                                                               const std::vector<Step>& steps,
                                                               bool of_floating_point) {
  const Program& p = code.program;
  std::set<std::pair<std::uint32_t, std::uint32_t>> inductions;  // function, slot
  for (const Loop& loop : p.loops)
    for (const Excepted& e : p.excepted_of(loop))
      if (e.why == Excepted::kInduction) inductions.insert({loop.function, e.slot});
  std::map<std::uint64_t, std::uint64_t> memory, operations;
  std::vector<std::uint64_t> levels;
  for (const Step& step : steps) {
    const Instruction& i = p.instructions[step.instruction];
    const auto of = [&](std::size_t k) {
      return step.sources[k] == Interpreter::kNoStep ? 0 : levels[step.sources[k]];
    };
    std::uint64_t ready = 0;
    for (std::size_t k = 0; k < step.sources.size(); ++k) ready = std::max(ready, of(k));
    const auto words_at = [&](std::uint64_t address, std::uint64_t bytes, auto visit) {
      for (std::uint64_t a = address; a < address + bytes; a += 8) visit(memory[a]);
    };
    const auto read = [&](std::uint64_t address, std::uint64_t bytes) {
      words_at(address, bytes, [&](std::uint64_t level) { ready = std::max(ready, level); });
    };
    if (i.op == OpClass::kLoad) read(step.address, 8);
    if (i.op == OpClass::kCopyMemory) read(step.from, step.bytes);
    if (i.op == OpClass::kPhi && !of_floating_point &&
        inductions.contains({p.blocks[step.block].function, i.result}))
      ready = 0;
    const bool is_flop = i.op == OpClass::kFloatAdd || i.op == OpClass::kFloatMultiply ||
                         i.op == OpClass::kFloatMultiplyAdd || i.op == OpClass::kFloatDivide;
    const bool is_free = i.op == OpClass::kPhi || i.op == OpClass::kJump ||
                         i.op == OpClass::kReturn || i.op == OpClass::kCall;
    if (i.op == OpClass::kFloatMultiplyAdd) {
      const std::uint64_t product = std::max(of(0), of(1)) + 1;
      operations[product]++;
      ready = std::max(product, of(2)) + 1;
      operations[ready]++;
    } else if (of_floating_point ? is_flop : !is_free) {
      operations[++ready]++;
    }
    if (i.op == OpClass::kStore || i.op == OpClass::kFillMemory || i.op == OpClass::kCopyMemory)
      words_at(step.address, step.bytes, [&](std::uint64_t& level) { level = ready; });
    levels.push_back(ready);
  }
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
