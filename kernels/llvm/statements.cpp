#include "kernels/llvm/statements.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "kernels/llvm/carried.h"
#include "kernels/llvm/cut.h"
#include "kernels/llvm/opcodes.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

constexpr unsigned kMostIterationsAgo = 8;

/// Whether a phi of the loop's header is a counter with a known step.
bool is_counter(const Loop& loop, const PHINode& phi, ScalarEvolution& evolution) {
  if (!evolution.isSCEVable(phi.getType())) return false;
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode*>(&phi)));
  return recurrence && recurrence->getLoop() == &loop;
}

/// Whether a phi is the running extremum of `if (x < best) best = x`: the loop uses the phi only in
/// comparisons, and in selects or phis that keep either it or a value with which it was compared.
/// (The phi of the index of the best value is not found.)
bool is_extremum_by_branches(const Loop& loop, const PHINode& phi) {
  SmallSetVector<const Instruction*, 16> chain;
  SmallPtrSet<const Value*, 8> compared, chosen;
  chain.insert(&phi);
  for (std::size_t at = 0; at < chain.size(); ++at)
    for (const User* user : chain[at]->users()) {
      const auto* reader = cast<Instruction>(user);
      if (!loop.contains(reader)) continue;
      if (isa<CmpInst>(reader)) {
        const unsigned other = reader->getOperand(0) == chain[at] ? 1 : 0;
        compared.insert(reader->getOperand(other));
      } else if (isa<PHINode>(reader) || isa<SelectInst>(reader)) {
        if (chain.size() > 16) return false;
        chain.insert(reader);
      } else {
        return false;
      }
    }
  for (const Instruction* merge : chain) {
    const auto* select = dyn_cast<SelectInst>(merge);
    for (const Use& use : merge->operands()) {
      const auto* incoming = dyn_cast<Instruction>(use.get());
      if (select && use.get() == select->getCondition()) continue;
      if (incoming && loop.contains(incoming) && !chain.contains(incoming)) chosen.insert(incoming);
    }
  }
  return !chosen.empty() &&
         all_of(chosen, [&](const Value* value) { return compared.contains(value); });
}

/// Collects the loads that a value is computed from.
class Leaves {
 public:
  Leaves(LinearPlaces& places, LoopInfo& loops, const SmallPtrSetImpl<const Value*>& folds,
         Statement* statement)
      : places_(places), loops_(loops), loop_(places.loop()), folds_(folds), to_(*statement) {}

  void visit(const Value* value) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction == to_.own || !loop_.contains(instruction) ||
        loops_.getLoopFor(instruction->getParent()) != &loop_ || !seen_.insert(instruction).second)
      return;
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      visit_load(*load);
    } else if (const auto* phi = dyn_cast<PHINode>(instruction)) {
      if (phi->getParent() == loop_.getHeader())
        visit_carried(*phi);
      else
        for (const Use& incoming : phi->incoming_values()) visit(incoming);
    } else if (const auto* call = dyn_cast<CallBase>(instruction)) {
      for (const Use& argument : call->args()) visit(argument);
    } else if (!isa<GetElementPtrInst>(instruction) && !isa<AllocaInst>(instruction)) {
      for (const Use& operand : instruction->operands()) visit(operand);
    }
  }

  void add_access(const Instruction* instruction, const Value* pointer) {
    to_.loads.push_back({instruction, places_.of(pointer)});
  }

 private:
  /// If the load always reads the same element of a local array, also visits the values that the
  /// loop stores into this array: it may load one of them.
  void visit_load(const LoadInst& load) {
    add_access(&load, load.getPointerOperand());
    const Value* object = getUnderlyingObject(load.getPointerOperand());
    if (!isa<AllocaInst>(object) || places_.varies(to_.loads.back().place) ||
        !seen_.insert(object).second)
      return;
    for (const BasicBlock* block : loop_.blocks())
      for (const Instruction& instruction : *block)
        if (const auto* store = dyn_cast<StoreInst>(&instruction);
            store && getUnderlyingObject(store->getPointerOperand()) == object)
          visit(store->getValueOperand());
  }

  /// Visits a value that an earlier iteration left in a register.
  void visit_carried(const PHINode& phi) {
    if (is_counter(loop_, phi, places_.evolution())) return;
    const BasicBlock* latch = loop_.getLoopLatch();
    if (!latch || folds_.contains(&phi)) {
      to_.is_recurrent = true;
      return;
    }
    find_earlier(phi.getIncomingValueForBlock(latch), 1);
  }
  void find_earlier(const Value* value, unsigned iterations) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop_.contains(instruction)) return;
    if (iterations > kMostIterationsAgo) {
      to_.is_recurrent = true;
      return;
    }
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      to_.earlier.push_back({places_.of(load->getPointerOperand()), iterations});
      return;
    }
    for (const User* user : instruction->users())
      if (const auto* store = dyn_cast<StoreInst>(user);
          store && store->getValueOperand() == instruction && loop_.contains(store)) {
        to_.earlier.push_back({places_.of(store->getPointerOperand()), iterations});
        to_.is_recurrent = true;
        return;
      }
    if (const auto* phi = dyn_cast<PHINode>(instruction);
        phi && phi->getParent() == loop_.getHeader() && loop_.getLoopLatch())
      find_earlier(phi->getIncomingValueForBlock(loop_.getLoopLatch()), iterations + 1);
    else
      to_.is_recurrent = true;
  }

  LinearPlaces& places_;
  LoopInfo& loops_;
  const Loop& loop_;
  const SmallPtrSetImpl<const Value*>& folds_;
  Statement& to_;
  SmallPtrSet<const Value*, 32> seen_;
};

class Finder {
 public:
  Finder(LinearPlaces& places, LoopInfo& loops)
      : places_(places), loops_(loops), loop_(places.loop()) {
    for (const CarriedValue& carried : carried_values(const_cast<Loop&>(loop_), places.evolution()))
      if (carried.why == kernels::Excepted::kReduction) folds_.insert(carried.value);
    for (const PHINode& phi : loop_.getHeader()->phis())
      if (!is_counter(loop_, phi, places.evolution()) && is_extremum_by_branches(loop_, phi))
        folds_.insert(&phi);
  }

  std::vector<Statement> find() {
    for (const BasicBlock* block : loop_.blocks()) {
      if (loops_.getLoopFor(block) != &loop_) continue;
      for (const Instruction& instruction : *block) add(instruction);
    }
    add_loads_beside();
    // Stores and folds come first, because they characterise a loop better than tests and calls.
    std::stable_partition(found_.begin(), found_.end(), [](const Statement& statement) {
      return statement.sink == Statement::Sink::kStore || statement.sink == Statement::Sink::kFold;
    });
    return std::move(found_);
  }

 private:
  static bool are_same(const LinearPlace& a, const LinearPlace& b) {
    return a.is_linear() && b.is_linear() && a.object == b.object && a.offset == b.offset &&
           a.strides == b.strides;
  }
  void add_loads_beside() {
    constexpr std::size_t kMost = 200;
    if (found_.size() > kMost) return;
    for (Statement& one : found_)
      for (const Statement& other : found_)
        if (&one != &other && one.target.instruction && other.target.instruction &&
            are_same(one.target.place, other.target.place))
          one.beside.insert(one.beside.end(), other.loads.begin(), other.loads.end());
  }

  void add(const Instruction& instruction) {
    if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
      add_store(*store);
    } else if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
      Statement s{.instruction = update, .value = update->getValOperand(), .own = update};
      s.target = {update, places_.of(update->getPointerOperand())};
      finish(std::move(s));
    } else if (const auto* phi = dyn_cast<PHINode>(&instruction)) {
      if (folds_.contains(phi) && loop_.getLoopLatch())
        finish({.sink = Statement::Sink::kFold,
                .instruction = phi,
                .value = phi->getIncomingValueForBlock(loop_.getLoopLatch()),
                .own = phi});
    } else if (const OpClass op = class_of(instruction);
               op == OpClass::kCopyMemory || op == OpClass::kFillMemory) {
      const MemoryBlockOperands block = memory_block_operands(instruction);
      Statement s{.instruction = &instruction};
      s.target = {&instruction, places_.of(block.destination)};
      Leaves leaves(places_, loops_, folds_, &s);
      if (op == OpClass::kCopyMemory)
        leaves.add_access(&instruction, block.source);
      else
        leaves.visit(block.source);
      found_.push_back(std::move(s));
    } else if (is_call(instruction) && instruction.use_empty()) {
      Statement s{.sink = Statement::Sink::kArgument, .instruction = &instruction};
      Leaves leaves(places_, loops_, folds_, &s);
      for (const Use& argument : cast<CallBase>(instruction).args()) leaves.visit(argument);
      found_.push_back(std::move(s));
    } else if (const Value* condition = condition_of(instruction)) {
      finish({.sink = Statement::Sink::kTest, .instruction = &instruction, .value = condition});
    }
  }

  static const Value* condition_of(const Instruction& instruction) {
    if (const auto* branch = dyn_cast<BranchInst>(&instruction))
      return branch->isConditional() ? branch->getCondition() : nullptr;
    if (const auto* choice = dyn_cast<SwitchInst>(&instruction)) return choice->getCondition();
    return nullptr;
  }

  void add_store(const StoreInst& store) {
    Statement s{.instruction = &store, .value = store.getValueOperand()};
    s.target = {&store, places_.of(store.getPointerOperand())};
    s.own = own_load(store);
    if (s.own && folds_.contains(s.own) && !places_.varies(s.target.place))
      s.sink = Statement::Sink::kFold;
    finish(std::move(s));
  }

  /// The load of the stored element's previous value, if the stored value is computed from it.
  const LoadInst* own_load(const StoreInst& store) const {
    for (const User* user : store.getPointerOperand()->users())
      if (const auto* load = dyn_cast<LoadInst>(user);
          load && loop_.contains(load) && load->getType() == store.getValueOperand()->getType() &&
          is_computed_from(store.getValueOperand(), load, 0))
        return load;
    return nullptr;
  }
  bool is_computed_from(const Value* value, const LoadInst* load, int depth) const {
    if (value == load) return true;
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth > 8 || !loop_.contains(instruction) || isa<LoadInst>(instruction) ||
        (isa<PHINode>(instruction) && instruction->getParent() == loop_.getHeader()))
      return false;
    return any_of(instruction->operands(),
                  [&](const Use& operand) { return is_computed_from(operand, load, depth + 1); });
  }

  void finish(Statement statement) {
    Leaves(places_, loops_, folds_, &statement).visit(statement.value);
    found_.push_back(std::move(statement));
  }

  LinearPlaces& places_;
  LoopInfo& loops_;
  const Loop& loop_;
  SmallPtrSet<const Value*, 8> folds_;
  std::vector<Statement> found_;
};

}  // namespace

std::vector<Statement> statements_of(LinearPlaces& places, LoopInfo& loops) {
  return Finder(places, loops).find();
}

}  // namespace apmt::frontend
