// Blocks prepared for the ASAP schedule (asap.h), so that an execution costs as little as possible:
//  * A value that is computed only from constants and loop counters (inductions) has a level that
//    is known before the run, relative to the start of the kernel's schedule. Its operation is left
//    out: it runs at that level as often as its block is executed.
//  * An operation that the schedule does not count is left out if no counted operation, memory
//    access, call or return needs its result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

/// What a schedule counts.
struct ScheduleRules {
  bool (*counts)(OpClass);
  bool inductions_are_known;  // the phis that the front end marks are ready from the start
  bool folds_known_levels;    // whether operations of known levels are left out
  bool reassociates;          // whether operations of a reduction may run in any order
  bool loads_wait_for_data;   // whether a load waits for the store that wrote what it reads
};

/// An operation of a block. A place is an index among the values of a stack frame. The values are:
/// one entry for all constants, which is always ready; the arguments; the results of instructions;
/// and one entry for results that no operation needs.
struct AsapOp {
  enum Kind : std::uint8_t {
    kPass,  // passes on the highest level of its operands
    kRun,   // runs one level above its operands
    kMultiplyAdd,
    kLoad,
    kStore,
    kAtomic,
    kFill,
    kCopy,
    kSet,  // its level is known
  };
  Kind kind = kPass;
  bool counts = false;
  std::uint16_t word = 0;      // of an access: index of its first word in the block
  std::uint16_t operands = 0;  // in AsapCode::places
  // Of kMultiplyAdd: the number of operands that only the addition waits for; they come next.
  std::uint16_t addends = 0;
  // The number of operands for which only the result waits: results so far of reductions. They
  // come last.
  std::uint16_t carried = 0;
  bool is_data_late = false;        // of a load: only its result waits for what is in memory
  std::uint32_t first_operand = 0;  // in AsapCode::places: operands whose levels are not known
  std::uint32_t floor = 0;          // the highest known level among the operands
  std::uint32_t addend_floor = 0;
  std::uint32_t result = 0;
  std::uint32_t bytes = 0;
  std::uint32_t lanes = 1;

  std::uint32_t sources() const { return std::uint32_t{operands} + addends + carried; }
  std::uint32_t first_carried() const { return first_operand + operands + addends; }
};

struct AsapPhi {
  std::uint32_t result = 0;
  std::uint32_t first_pair = 0;  // in AsapCode::pairs
  std::uint32_t pairs = 0;
};

/// A value of a phi: its place, and the block from which control comes if the phi takes this value.
struct AsapPair {
  std::uint32_t place = 0;
  std::uint32_t block = 0;
};

/// Operations of one block that run at a known level.
struct AsapKnown {
  std::uint32_t level = 0;
  std::uint32_t operations = 0;
};

struct AsapBlock {
  std::uint32_t first_phi = 0, phis = 0;
  std::uint32_t first_op = 0, ops = 0;
  std::uint32_t first_known = 0, known = 0;
};

class AsapCode {
 public:
  explicit AsapCode(ScheduleRules rules) : rules_(rules) {}
  /// Prepares the functions that were added to the program since the last call.
  void add_functions_of(const Program& program);

  std::uint32_t places_of(const Function& f) const { return 2 + f.arguments + f.slots; }
  static std::uint32_t first_slot(const Function& f) { return 1 + f.arguments; }
  /// The place of an operand in its frame.
  static std::uint32_t place_of(const Function& f, std::uint32_t operand_bits);

  std::vector<AsapBlock> blocks;
  std::vector<AsapPhi> phis;
  std::vector<AsapPair> pairs;
  std::vector<AsapOp> ops;
  std::vector<std::uint32_t> places;
  std::vector<AsapKnown> known;

  /// Places, in the frame, of the results of a loop's reductions; empty if rules.reassociates is
  /// false.
  std::span<const std::uint32_t> results_of(std::uint32_t loop) const {
    return loop < results_.size() ? std::span<const std::uint32_t>(results_[loop])
                                  : std::span<const std::uint32_t>();
  }
  std::span<const AsapPhi> phis_of(const AsapBlock& b) const {
    return {phis.data() + b.first_phi, b.phis};
  }
  std::span<const AsapOp> ops_of(const AsapBlock& b) const {
    return {ops.data() + b.first_op, b.ops};
  }
  std::span<const AsapKnown> known_of(const AsapBlock& b) const {
    return {known.data() + b.first_known, b.known};
  }

 private:
  void add(const Program& program, const Function& function);

  ScheduleRules rules_;
  std::size_t functions_ = 0;
  std::vector<std::vector<std::uint32_t>> results_;  // by loop
};

}  // namespace apmt::kernels
