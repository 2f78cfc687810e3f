// The ASAP schedule of a whole run (kernels/events.h: many executions of one block). Operations
// that depend on no earlier execution are scheduled one after the other, each for many executions
// at once. The levels of such an operation are a single number if they are the same in all
// executions, otherwise a column of numbers. Only operations that depend on earlier executions,
// through a phi or through memory, are scheduled execution by execution.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/analysers/asap_code.h"
#include "kernels/analysers/level_counts.h"
#include "kernels/analysers/run_accesses.h"
#include "kernels/analysers/shadow.h"

namespace apmt::kernels {

using Level = std::uint32_t;

class AsapRun {
 public:
  /// The schedule that a run is added to.
  struct Schedule {
    Level* values;  // of the frame
    Level base;     // levels up to it belong to earlier invocations
    Shadow<Level>* memory;
    LevelCounts* levels;
  };

  AsapRun(const Program& program, const AsapCode& code) : program_(program), code_(code) {}

  /// Whether the run can be added at once; prepares most_levels() and add().
  bool can_add(const Run& run);
  /// An upper limit of the levels that the run adds to the schedule.
  std::uint64_t most_levels(const Run& run) const { return 2 * plan_->nodes * run.times; }
  /// Adds the executions of the run that can_add() has accepted. They must follow an execution of
  /// the same block.
  void add(const Run& run, const Schedule& to);

 private:
  using Nodes = std::uint64_t;  // a set of phis and operations: one bit each
  static constexpr std::uint32_t kMostNodes = 64;
  static constexpr std::uint64_t kAtOnce = 256;  // executions
  static constexpr std::uint32_t kOuter = ~0u;   // instead of a node: made outside the block

  /// What is known of a block before any run of it. The nodes of a block are its phis and
  /// operations, numbered in their order in the block: first the phis, then the operations.
  struct Plan {
    bool is_usable = false;
    AsapBlock block;
    std::uint32_t nodes = 0;
    std::uint32_t first_operand = 0;
    std::vector<std::uint32_t> maker;  // for each operand, the node that makes it, or kOuter
    std::vector<std::uint32_t> latch;  // for each phi: the place of its next value
    std::vector<std::uint32_t> latch_maker;
    std::vector<Nodes> users;  // for each node: the nodes that need it in the same execution
    Nodes serial = 0;          // phis that change from execution to execution, and their users
    Nodes stores = 0;          // stores and atomics
    Nodes kept = 0;            // nodes that phis read in the next execution
  };
  /// The levels of one node in the executions that are handled at once.
  struct Column {
    Level* levels = nullptr;  // nullptr: the same in all of them
    Level same = 0;
  };
  /// The level of an operand in execution k is at[k * step].
  struct Source {
    const Level* at;
    std::uint32_t step;
  };

  const Plan& plan_of(std::uint32_t block);
  void make_plan(std::uint32_t block, Plan* plan) const;
  bool is_steady(const Plan& plan, const AsapBlock& block, std::uint32_t phi) const;
  Nodes serial_nodes() const;

  void add_part(const Run& run);
  void schedule(const AsapOp& op, std::uint32_t node, const Run& run);
  bool add_reduction(const Run& run);
  bool add_reassociated(const Run& run, std::uint32_t phi, const AsapOp& op, Level level);
  void run_serially(const Run& run);
  Level* memory_of(std::uint32_t node) { return memory_.data() + node * (kAtOnce + 1) + 1; }
  std::uint32_t place_of(std::uint32_t node) const;
  Column column_of(std::uint32_t operand) const;
  void raise(const Column& to, std::uint64_t n, std::uint32_t node, Column* column);
  void spread(std::uint64_t n, std::uint32_t node, Column* column);
  void count(const AsapOp& op, std::uint64_t n, Column* column) const;
  void load(const RunAccess& access, const Run& run, std::uint32_t node, Column* column);
  void store(const RunAccess& access, const Run& run, const Column& column);
  Source source_of(std::uint32_t place, std::uint32_t maker, bool is_of_last) const;
  std::uint32_t maker_of(std::uint32_t operand) const {
    return plan_->maker[operand - plan_->first_operand];
  }

  const Program& program_;
  const AsapCode& code_;
  std::vector<std::unique_ptr<Plan>> plans_;  // by block

  // The plan of the run that is being added.
  const Plan* plan_ = nullptr;
  Schedule to_ = {};
  Nodes serial_ = 0;
  RunAccesses accesses_;
  std::vector<Column> columns_;  // by node
  std::vector<Level> memory_;    // of columns; before each: the level in the previous execution
  std::vector<Source> sources_;
};

}  // namespace apmt::kernels
