#include "kernels/analysers/asap_run.h"

#include <algorithm>
#include <bit>

namespace apmt::kernels {
namespace {

constexpr std::uint64_t kFewestAtOnce = 8;

/// Calls `visit(node)` for each node of a set, in order.
template <class Visit>
void each_node(std::uint64_t nodes, const Visit& visit) {
  for (; nodes != 0; nodes &= nodes - 1) visit(static_cast<std::uint32_t>(std::countr_zero(nodes)));
}

constexpr std::uint64_t bit(std::uint32_t node) { return std::uint64_t{1} << node; }

/// Visits the rows of several accesses as one range if they are contiguous, else access by access.
template <class Row, class Visit>
void each_range(Row* rows, std::uint64_t each, std::int64_t step, std::uint64_t accesses,
                const Visit& visit) {
  const auto signed_each = static_cast<std::int64_t>(each);
  if (accesses == 1 || step == signed_each) return visit(rows, each * accesses);
  if (step == 0) return visit(rows, each);
  if (step == -signed_each)
    return visit(rows + step * static_cast<std::int64_t>(accesses - 1), each * accesses);
  for (; accesses > 0; --accesses, rows += step) visit(rows, each);
}

}  // namespace

// ---- The plan of a block, made before its first run ----

const AsapRun::Plan& AsapRun::plan_of(std::uint32_t block) {
  if (block >= plans_.size()) plans_.resize(program_.blocks.size());
  if (!plans_[block]) {
    plans_[block] = std::make_unique<Plan>();
    make_plan(block, plans_[block].get());
  }
  return *plans_[block];
}

void AsapRun::make_plan(std::uint32_t index, Plan* plan) const {
  const AsapBlock& block = plan->block = code_.blocks[index];
  const auto phis = code_.phis_of(block);
  const auto ops = code_.ops_of(block);
  plan->nodes = block.phis + block.ops;
  if (plan->nodes > kMostNodes || plan->nodes == 0) return;
  plan->is_usable = true;

  const auto maker_of_place = [&](std::uint32_t place, std::uint32_t before) {
    for (std::uint32_t n = before; n-- > 0;)
      if ((n < block.phis ? phis[n].result : ops[n - block.phis].result) == place) return n;
    return kOuter;
  };
  plan->first_operand = ops.empty() ? 0 : ops.front().first_operand;
  plan->users.assign(plan->nodes, 0);
  for (std::uint32_t o = 0; o < block.ops; ++o) {
    const AsapOp& op = ops[o];
    const std::uint32_t node = block.phis + o;
    for (std::uint32_t k = 0; k < op.sources(); ++k)
      plan->maker.push_back(maker_of_place(code_.places[op.first_operand + k], node));
    if (op.kind == AsapOp::kStore || op.kind == AsapOp::kAtomic) plan->stores |= bit(node);
    plan->is_usable &= op.kind != AsapOp::kFill && op.kind != AsapOp::kCopy;
  }
  for (std::uint32_t o = block.ops; o-- > 0;) {  // backward, so that users[node] is complete
    const std::uint32_t node = block.phis + o;
    for (std::uint32_t k = 0; k < ops[o].sources(); ++k) {
      const std::uint32_t maker = plan->maker[ops[o].first_operand + k - plan->first_operand];
      if (maker != kOuter) plan->users[maker] |= bit(node) | plan->users[node];
    }
  }
  for (const AsapPhi& phi : phis) {
    std::uint32_t place = 0;
    for (std::uint32_t k = phi.first_pair; k < phi.first_pair + phi.pairs; ++k)
      if (code_.pairs[k].block == index) place = code_.pairs[k].place;
    plan->latch.push_back(place);
    plan->latch_maker.push_back(place == 0 ? kOuter : maker_of_place(place, plan->nodes));
  }
  for (std::uint32_t p = 0; p < block.phis; ++p)
    if (!is_steady(*plan, block, p)) {
      plan->serial |= bit(p) | plan->users[p];
      if (plan->latch_maker[p] != kOuter) plan->kept |= bit(plan->latch_maker[p]);
    }
}

/// Whether the phi has the same level in all executions from the second on. This is so if its next
/// value depends only on itself and on values from outside, without an operation in between that
/// adds a level.
bool AsapRun::is_steady(const Plan& plan, const AsapBlock& block, std::uint32_t phi) const {
  const auto ops = code_.ops_of(block);
  std::vector<std::uint32_t> open = {plan.latch_maker[phi]};
  Nodes seen = 0;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (node == kOuter || node == phi || (seen & bit(node)) != 0) continue;
    if (node < block.phis) return false;
    seen |= bit(node);
    const AsapOp& op = ops[node - block.phis];
    if (op.kind != AsapOp::kPass && op.kind != AsapOp::kSet) return false;
    for (std::uint32_t k = 0; k < op.sources(); ++k)
      open.push_back(plan.maker[op.first_operand + k - plan.first_operand]);
  }
  return true;
}

/// The nodes that must be scheduled execution by execution. They include each access for which
/// RunAccesses::is_free_of() is false for some write and, if any memory access is among them, all
/// stores.
AsapRun::Nodes AsapRun::serial_nodes() const {
  Nodes serial = plan_->serial;
  bool has_serial_memory = false;
  const AsapBlock& block = plan_->block;
  const auto ops = code_.ops_of(block);
  for (std::uint32_t o = 0; o < block.ops; ++o) {
    if (ops[o].kind < AsapOp::kLoad || ops[o].kind > AsapOp::kAtomic) continue;
    const std::uint32_t node = block.phis + o;
    const RunAccess& access = accesses_[ops[o].word];
    bool is_free = (serial & bit(node)) == 0;
    for (const RunAccess& written : accesses_)
      if (written.writes && (&written != &access || access.reads))
        is_free = is_free && RunAccesses::is_free_of(written, access);
    if (is_free) continue;
    has_serial_memory = true;
    serial |= bit(node) | plan_->users[node];
  }
  if (has_serial_memory)
    each_node(plan_->stores, [&](std::uint32_t node) { serial |= bit(node) | plan_->users[node]; });
  return serial;
}

// Adding a run.

bool AsapRun::can_add(const Run& run) {
  if (run.times < kFewestAtOnce) return false;
  plan_ = &plan_of(run.block);
  if (!plan_->is_usable) return false;
  accesses_.read(program_, run);
  return accesses_.cover_whole_granules();
}

void AsapRun::add(const Run& run, const Schedule& to) {
  to_ = to;
  serial_ = serial_nodes();
  columns_.resize(kMostNodes);
  if (memory_.size() < plan_->nodes * (kAtOnce + 1)) memory_.resize(plan_->nodes * (kAtOnce + 1));
  for (std::uint64_t from = 0; from < run.times; from += kAtOnce)
    add_part(run.part(from, std::min(kAtOnce, run.times - from)));
}

void AsapRun::add_part(const Run& run) {
  const AsapBlock& block = plan_->block;
  const auto ops = code_.ops_of(block);
  const Nodes all = plan_->nodes == kMostNodes ? ~Nodes{0} : bit(plan_->nodes) - 1;
  const Nodes at_once = all & ~serial_;
  each_node(at_once, [&](std::uint32_t node) {
    if (node < block.phis)
      columns_[node] = {nullptr, to_.values[plan_->latch[node]]};
    else
      schedule(ops[node - block.phis], node, run);
  });
  // Stores are noted after all loads have been scheduled, because a load must not see what later
  // executions store.
  each_node(at_once & plan_->stores, [&](std::uint32_t node) {
    store(accesses_[ops[node - block.phis].word], run, columns_[node]);
  });
  each_node(at_once & plan_->kept, [&](std::uint32_t node) {
    spread(run.times, node, &columns_[node]);
    memory_of(node)[-1] = to_.values[place_of(node)];
  });
  if (serial_ != 0 && !add_reduction(run)) run_serially(run);
  each_node(at_once, [&](std::uint32_t node) {
    const Column& column = columns_[node];
    to_.values[place_of(node)] =
        column.levels == nullptr ? column.same : column.levels[run.times - 1];
  });
}

std::uint32_t AsapRun::place_of(std::uint32_t node) const {
  const AsapBlock& block = plan_->block;
  return node < block.phis ? code_.phis_of(block)[node].result
                           : code_.ops_of(block)[node - block.phis].result;
}

// ---- Operations that are scheduled for many executions at once ----

void AsapRun::schedule(const AsapOp& op, std::uint32_t node, const Run& run) {
  Column column{nullptr, to_.base + op.floor};
  for (std::uint32_t k = op.first_operand; k < op.first_operand + op.operands; ++k)
    raise(column_of(k), run.times, node, &column);
  if (op.kind == AsapOp::kMultiplyAdd) {
    count(op, run.times, &column);
    raise({nullptr, to_.base + op.addend_floor}, run.times, node, &column);
    if (op.addends != 0) raise(column_of(op.first_operand + op.operands), run.times, node, &column);
  }
  const bool reads = op.kind == AsapOp::kLoad || op.kind == AsapOp::kAtomic;
  if (reads && !op.is_data_late) load(accesses_[op.word], run, node, &column);
  if (op.counts) count(op, run.times, &column);
  if (reads && op.is_data_late) load(accesses_[op.word], run, node, &column);
  for (std::uint32_t k = op.first_carried(); k < op.first_operand + op.sources(); ++k)
    raise(column_of(k), run.times, node, &column);
  columns_[node] = column;
}

AsapRun::Column AsapRun::column_of(std::uint32_t operand) const {
  const std::uint32_t maker = maker_of(operand);
  return maker == kOuter ? Column{nullptr, to_.values[code_.places[operand]]} : columns_[maker];
}

/// Raises a node's column to at least the levels of the column `to`.
void AsapRun::raise(const Column& to, std::uint64_t n, std::uint32_t node, Column* column) {
  if (to.levels == nullptr && column->levels == nullptr) {
    column->same = std::max(column->same, to.same);
    return;
  }
  Level* const levels = memory_of(node);
  const Column from = *column;
  column->levels = levels;
  if (from.levels == nullptr)
    for (std::uint64_t k = 0; k < n; ++k) levels[k] = std::max(from.same, to.levels[k]);
  else if (to.levels == nullptr)
    for (std::uint64_t k = 0; k < n; ++k) levels[k] = std::max(levels[k], to.same);
  else
    for (std::uint64_t k = 0; k < n; ++k) levels[k] = std::max(levels[k], to.levels[k]);
}

void AsapRun::spread(std::uint64_t n, std::uint32_t node, Column* column) {
  if (column->levels != nullptr) return;
  column->levels = memory_of(node);
  std::fill_n(column->levels, n, column->same);
}

/// Puts a counted operation one level above the levels in its column.
void AsapRun::count(const AsapOp& op, std::uint64_t n, Column* column) const {
  if (column->levels == nullptr) {
    ++column->same;
    to_.levels->add(column->same - to_.base, n * op.lanes);
    return;
  }
  Level* const levels = column->levels;
  const Level first = levels[0] + 1;
  Level different = 0;
  for (std::uint64_t k = 0; k < n; ++k) different |= ++levels[k] ^ first;
  if (different == 0) {
    *column = {nullptr, first};
    to_.levels->add(first - to_.base, n * op.lanes);
    return;
  }
  for (std::uint64_t k = 0; k < n; ++k) to_.levels->add(levels[k] - to_.base, op.lanes);
}

void AsapRun::load(const RunAccess& access, const Run& run, std::uint32_t node, Column* column) {
  const Word at = run.address(access.word), stride = run.stride(access.word);
  const std::uint64_t n = stride == 0 ? 1 : run.times;
  if (access.bytes == 0) return;
  Level first = 0, different = 0;
  bool is_first = true;
  to_.memory->each_strided_read(at, stride, access.bytes, n,
                                [&](std::uint64_t, const Level* rows, std::uint64_t each,
                                    std::int64_t step, std::uint64_t here) {
                                  if (is_first) first = rows[0];
                                  is_first = false;
                                  each_range(rows, each, step, here,
                                             [&](const Level* range, std::uint64_t size) {
                                               for (std::uint64_t r = 0; r < size; ++r)
                                                 different |= range[r] ^ first;
                                             });
                                });
  if (different == 0) return raise({nullptr, first}, run.times, node, column);
  spread(run.times, node, column);
  Level* const levels = column->levels;
  to_.memory->each_strided_read(at, stride, access.bytes, run.times,
                                [&](std::uint64_t k, const Level* rows, std::uint64_t each,
                                    std::int64_t step, std::uint64_t here) {
                                  for (std::uint64_t i = 0; i < here; ++i, rows += step)
                                    for (std::uint64_t r = 0; r < each; ++r)
                                      levels[k + i] = std::max(levels[k + i], rows[r]);
                                });
}

void AsapRun::store(const RunAccess& access, const Run& run, const Column& column) {
  if (access.bytes == 0) return;
  to_.memory->each_strided(
      run.address(access.word), run.stride(access.word), access.bytes, run.times,
      [&](std::uint64_t k, Level* rows, std::uint64_t each, std::int64_t step, std::uint64_t here) {
        if (column.levels == nullptr) {
          each_range(rows, each, step, here, [&](Level* range, std::uint64_t size) {
            std::fill_n(range, size, column.same);
          });
          return;
        }
        for (std::uint64_t i = 0; i < here; ++i, rows += step)
          std::fill_n(rows, each, column.levels[k + i]);
      });
}

// ---- Operations that are scheduled execution by execution ----

/// Where the levels of an operand are stored: for each execution, its level in this execution or,
/// if `is_of_last`, in the execution before.
AsapRun::Source AsapRun::source_of(std::uint32_t place, std::uint32_t maker,
                                   bool is_of_last) const {
  if (maker == kOuter || (serial_ & bit(maker)) != 0) return {to_.values + place, 0};
  const Column& column = columns_[maker];
  if (column.levels == nullptr) return {&column.same, 0};
  return {column.levels - (is_of_last ? 1 : 0), 1};
}

/// Adds the run at once if its only serial operation is a sum that each execution continues, and if
/// the sum's other operands have the same level in all executions. Then each execution is one level
/// above the one before. Returns false in all other cases.
bool AsapRun::add_reduction(const Run& run) {
  const AsapBlock& block = plan_->block;
  const auto phi = static_cast<std::uint32_t>(std::countr_zero(serial_));
  const std::uint32_t node = phi < block.phis ? plan_->latch_maker[phi] : kOuter;
  if (node == kOuter || serial_ != (bit(phi) | bit(node))) return false;
  const AsapOp& op = code_.ops_of(block)[node - block.phis];
  if (op.kind != AsapOp::kRun && op.kind != AsapOp::kMultiplyAdd) return false;
  Level others = to_.base + op.floor;
  for (std::uint32_t k = op.first_operand; k < op.first_operand + op.operands; ++k) {
    if (maker_of(k) == phi && op.kind == AsapOp::kRun) continue;
    if (maker_of(k) == phi) return false;
    const Column column = column_of(k);
    if (column.levels != nullptr) return false;
    others = std::max(others, column.same);
  }
  Level before = to_.values[plan_->latch[phi]];
  if (op.carried > 0) return add_reassociated(run, phi, op, others);
  if (op.kind == AsapOp::kMultiplyAdd) {
    if (op.addends == 0) return false;  // the sum is not the addend
    to_.levels->add(++others - to_.base, run.times * op.lanes);
    others = std::max(others, to_.base + op.addend_floor);
  }
  Level level = std::max(before, others);
  to_.levels->add_to_each(level + 1 - to_.base, run.times, op.lanes);
  level += static_cast<Level>(run.times);
  to_.values[op.result] = level;
  if (run.times > 1) before = level - 1;
  to_.values[code_.phis_of(block)[phi].result] = before;
  return true;
}

/// The same for a sum that may be computed in any order: all executions are at the same level.
bool AsapRun::add_reassociated(const Run& run, std::uint32_t phi, const AsapOp& op, Level level) {
  if (op.carried != 1 || op.addends != 0 || maker_of(op.first_carried()) != phi) return false;
  const Level before = to_.values[plan_->latch[phi]];
  if (op.kind == AsapOp::kMultiplyAdd) {
    to_.levels->add(++level - to_.base, run.times * op.lanes);
    level = std::max(level, to_.base + op.addend_floor);
  }
  if (op.counts) to_.levels->add(++level - to_.base, run.times * op.lanes);
  to_.values[op.result] = std::max(before, level);
  to_.values[code_.phis_of(plan_->block)[phi].result] =
      run.times > 1 ? std::max(before, level) : before;
  return true;
}

void AsapRun::run_serially(const Run& run) {
  const AsapBlock& block = plan_->block;
  const auto ops = code_.ops_of(block);
  struct Step {
    const AsapOp* op;
    Level* result;
    std::uint32_t first_source;
  };
  Step steps[kMostNodes];
  Level* phis[kMostNodes];
  Level incoming[kMostNodes];
  std::uint32_t all_steps = 0, all_phis = 0;
  sources_.clear();
  each_node(serial_, [&](std::uint32_t node) {
    Level* const result = to_.values + place_of(node);
    if (node < block.phis) {
      phis[all_phis++] = result;
      sources_.push_back(source_of(plan_->latch[node], plan_->latch_maker[node], true));
      return;
    }
    const AsapOp& op = ops[node - block.phis];
    steps[all_steps++] = {&op, result, static_cast<std::uint32_t>(sources_.size())};
    for (std::uint32_t k = op.first_operand; k < op.first_operand + op.sources(); ++k)
      sources_.push_back(source_of(code_.places[k], maker_of(k), false));
  });

  for (std::uint64_t k = 0; k < run.times; ++k) {
    for (std::uint32_t p = 0; p < all_phis; ++p) incoming[p] = sources_[p].at[k * sources_[p].step];
    for (std::uint32_t p = 0; p < all_phis; ++p) *phis[p] = incoming[p];
    for (std::uint32_t s = 0; s < all_steps; ++s) {
      const AsapOp& op = *steps[s].op;
      const Source* source = sources_.data() + steps[s].first_source;
      Level level = to_.base + op.floor;
      for (std::uint32_t o = op.operands; o > 0; --o, ++source)
        level = std::max(level, source->at[k * source->step]);
      if (op.kind == AsapOp::kMultiplyAdd) {
        to_.levels->add(++level - to_.base, op.lanes);
        level = std::max(level, to_.base + op.addend_floor);
        for (std::uint32_t o = op.addends; o > 0; --o, ++source)
          level = std::max(level, source->at[k * source->step]);
      }
      const bool reads = op.kind == AsapOp::kLoad || op.kind == AsapOp::kAtomic;
      const bool writes = op.kind == AsapOp::kStore || op.kind == AsapOp::kAtomic;
      const auto read = [&] {
        to_.memory->each_read(run.address(op.word, k), op.bytes,
                              [&](const Level& row) { level = std::max(level, row); });
      };
      if (reads && !op.is_data_late) read();
      if (op.counts) to_.levels->add(++level - to_.base, op.lanes);
      if (reads && op.is_data_late) read();
      for (std::uint32_t o = op.carried; o > 0; --o, ++source)
        level = std::max(level, source->at[k * source->step]);
      if (writes)
        to_.memory->each(run.address(op.word, k), op.bytes, [&](Level& row) { row = level; });
      *steps[s].result = level;
    }
  }
}

}  // namespace apmt::kernels
