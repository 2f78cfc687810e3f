#include "kernels/llvm/linear_place.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace apmt::frontend {

using namespace llvm;

namespace {
constexpr int kDeepest = 8;  // levels of loads or expressions that are followed
}

const SCEV* LinearPlace::stride(const Loop* loop) const {
  for (const auto& [of, step] : strides)
    if (of == loop) return step;
  return nullptr;
}

LinearPlaces::LinearPlaces(const Loop& loop, ScalarEvolution& evolution)
    : loop_(loop), outermost_(loop.getOutermostLoop()), evolution_(evolution) {
  for (const BasicBlock* block : outermost_->blocks())
    for (const Instruction& instruction : *block)
      if (const auto* store = dyn_cast<StoreInst>(&instruction))
        written_[evolution_.getSCEV(const_cast<Value*>(store->getPointerOperand()))].push_back(
            block);
}

bool LinearPlaces::is_written_in(const SCEV* address, const Loop& loop) const {
  const auto written = written_.find(address);
  return written != written_.end() &&
         any_of(written->second, [&](const BasicBlock* block) { return loop.contains(block); });
}

/// Whether the value changes with the iterations of the loop. A value loaded from a fixed place
/// does not change, unless the loop writes to that place.
bool LinearPlaces::varies_in(const SCEV* expression, const Loop& loop, int depth) {
  return SCEVExprContains(expression, [&](const SCEV* part) {
    if (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(part))
      return loop.contains(recurrence->getLoop());
    const auto* unknown = dyn_cast<SCEVUnknown>(part);
    const auto* instruction = unknown ? dyn_cast<Instruction>(unknown->getValue()) : nullptr;
    if (!instruction || !loop.contains(instruction)) return false;
    const auto* load = dyn_cast<LoadInst>(instruction);
    if (!load || depth > kDeepest) return true;
    const SCEV* from = evolution_.getSCEV(const_cast<Value*>(load->getPointerOperand()));
    return is_written_in(from, loop) || varies_in(from, loop, depth + 1);
  });
}

/// The same expression, in which one load stands for all loads from the same address.
const SCEV* LinearPlaces::canonical(const SCEV* expression) {
  ValueToSCEVMapTy replacements;
  SCEVExprContains(expression, [&](const SCEV* part) {
    const auto* unknown = dyn_cast<SCEVUnknown>(part);
    const auto* load = unknown ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
    if (!load || !outermost_->contains(load)) return false;
    const SCEV* from = evolution_.getSCEV(const_cast<Value*>(load->getPointerOperand()));
    if (from != expression) from = canonical(from);
    const auto [first, is_new] = first_load_.try_emplace({from, load->getType()}, load);
    if (first->second != load)
      replacements[unknown->getValue()] = evolution_.getSCEV(const_cast<LoadInst*>(first->second));
    return false;
  });
  if (replacements.empty()) return expression;
  return SCEVParameterRewriter::rewrite(expression, evolution_, replacements);
}

/// A symbol for the distance between the rows of a matrix that is an array of pointers.
const SCEV* LinearPlaces::row_distance() {
  const Function& function = *loop_.getHeader()->getParent();
  Type* word = Type::getInt64Ty(function.getContext());
  return evolution_.getUnknown(ConstantExpr::getPtrToInt(const_cast<Function*>(&function), word));
}

void LinearPlaces::add_stride(LinearPlace* place, const Loop* loop, const SCEV* bytes) {
  for (auto& [of, stride] : place->strides)
    if (of == loop) {
      stride = evolution_.getAddExpr(stride, bytes);
      return;
    }
  place->strides.push_back({loop, bytes});
}

/// Decomposes an address into a LinearPlace.
class LinearPlaces::Walk {
 public:
  explicit Walk(LinearPlaces& places)
      : places_(places),
        evolution_(places.evolution_),
        word_(Type::getInt64Ty(places.loop_.getHeader()->getContext())) {
    place_.offset = evolution_.getZero(word_);
  }

  LinearPlace place_of(const SCEV* address) {
    pointer(address, evolution_.getOne(word_), 0);
    return std::move(place_);
  }

 private:
  void pointer(const SCEV* address, const SCEV* scale, int depth) {
    const SCEV* base = evolution_.getPointerBase(address);
    const auto* unknown = dyn_cast<SCEVUnknown>(base);
    if (!unknown) {
      place_.is_irregular = true;
      return;
    }
    if (base != address) visit(evolution_.removePointerBase(address), scale);
    const auto* load = dyn_cast<LoadInst>(unknown->getValue());
    if (!load || !places_.outermost_->contains(load)) {
      place_.object = unknown->getValue();
      if (varies(base, places_.loop_))
        place_.is_irregular = true;
      else if (varies(base, *places_.outermost_))
        place_.is_linear_around = false;
      return;
    }
    const SCEV* from =
        evolution_.getSCEVAtScope(const_cast<Value*>(load->getPointerOperand()), &places_.loop_);
    const bool is_fixed = !varies(base, places_.loop_);
    const Loop& outermost = *places_.outermost_;
    const bool is_row = varies(from, outermost) && depth < kDeepest &&
                        !places_.is_written_in(from, is_fixed ? outermost : places_.loop_);
    if (is_row) {  // the pointer leads to a row of a matrix that is an array of pointers
      if (!is_fixed) {
        place_.is_hopping = true;
        place_.indices.push_back(load);
      }
      pointer(from, evolution_.getMulExpr(scale, places_.row_distance()), depth + 1);
      return;
    }
    // A pointer that is loaded repeatedly from one place.
    const auto* first = dyn_cast<SCEVUnknown>(places_.canonical(base));
    place_.object = first ? first->getValue() : load;
    place_.is_irregular |= !is_fixed;
    place_.is_linear_around &= !varies(base, outermost);
  }

  bool is_narrow(const SCEV* expression) const {
    constexpr std::uint64_t kUsualBits = 32;
    return evolution_.getTypeSizeInBits(expression->getType()) < kUsualBits;
  }
  bool varies(const SCEV* expression, const Loop& loop) {
    return places_.varies_in(expression, loop);
  }
  const SCEV* as_word(const SCEV* expression) {
    return evolution_.getTruncateOrSignExtend(places_.canonical(expression), word_);
  }
  const SCEV* times(const SCEV* scale, const SCEV* expression) {
    return evolution_.getMulExpr(scale, as_word(expression));
  }
  void add_offset(const SCEV* expression, const SCEV* scale) {
    place_.offset = evolution_.getAddExpr(place_.offset, times(scale, expression));
  }
  void not_linear(const SCEV* expression, const SCEV* scale) {
    if (!varies(expression, places_.loop_)) {
      add_offset(expression, scale);
      place_.is_linear_around = false;
      return;
    }
    SCEVExprContains(expression, [&](const SCEV* part) {
      if (const auto* unknown = dyn_cast<SCEVUnknown>(part)) find_indices(unknown->getValue(), 0);
      return false;
    });
    place_.is_irregular |= !place_.is_indirect;
  }

  /// Sign and zero extensions of an index are assumed to keep its value, because few programs rely
  /// on an index that wraps. Exceptions are narrow values, such as the ten bits of `i * k & 1023`.
  void visit(const SCEV* expression, const SCEV* scale) {
    if (const auto* sum = dyn_cast<SCEVAddExpr>(expression)) {
      for (const SCEV* part : sum->operands()) visit(part, scale);
    } else if (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
      visit_recurrence(*recurrence, scale);
    } else if (!varies(expression, *places_.outermost_)) {
      add_offset(expression, scale);
    } else if (const auto* product = dyn_cast<SCEVMulExpr>(expression)) {
      visit_product(*product, scale);
    } else if ((isa<SCEVSignExtendExpr>(expression) || isa<SCEVZeroExtendExpr>(expression)) &&
               !is_narrow(cast<SCEVCastExpr>(expression)->getOperand())) {
      visit(cast<SCEVCastExpr>(expression)->getOperand(), scale);
    } else {
      not_linear(expression, scale);
    }
  }
  void visit_recurrence(const SCEVAddRecExpr& recurrence, const SCEV* scale) {
    const SCEV* step = recurrence.getStepRecurrence(evolution_);
    if (!recurrence.getLoop()->contains(&places_.loop_) || !recurrence.isAffine() ||
        varies(step, places_.loop_)) {
      not_linear(&recurrence, scale);
      return;
    }
    place_.is_linear_around &= !varies(step, *places_.outermost_);
    places_.add_stride(&place_, recurrence.getLoop(), times(scale, step));
    visit(recurrence.getStart(), scale);
  }
  void visit_product(const SCEVMulExpr& product, const SCEV* scale) {
    const SCEV *varying = nullptr, *scaled = scale;
    for (const SCEV* factor : product.operands()) {
      if (!varies(factor, *places_.outermost_)) {
        scaled = times(scaled, factor);
      } else if (varying) {
        not_linear(&product, scale);
        return;
      } else {
        varying = factor;
      }
    }
    visit(varying, scaled);
  }
  /// Finds index arrays, also inside arithmetic that is not linear: a[b[i]], a[b[i] & mask]. A
  /// value that is loaded repeatedly from one place is not an index array but a counter in memory.
  void find_indices(const Value* value, int depth) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth > kDeepest || !places_.loop_.contains(instruction)) return;
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      const SCEV* from = evolution_.getSCEV(const_cast<Value*>(load->getPointerOperand()));
      if (!varies(from, places_.loop_)) return;
      place_.is_indirect = true;
      place_.indices.push_back(load);
    } else if (isa<BinaryOperator>(instruction) || isa<CastInst>(instruction)) {
      for (const Value* operand : instruction->operands()) find_indices(operand, depth + 1);
    }
  }

  LinearPlaces& places_;
  ScalarEvolution& evolution_;
  Type* word_;
  LinearPlace place_;
};

namespace {

/// The start value of a loop's counter if it depends on the loops around it, as in `for (j = i;`.
/// Returns nullptr for a loop of constant length: such a loop runs over a window that slides with
/// i, and its counter counts from the beginning of the window.
const SCEVAddRecExpr* moving_start(const Loop& loop, ScalarEvolution& evolution) {
  if (evolution.getSmallConstantTripCount(&loop) != 0) return nullptr;
  for (const PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy()) continue;
    const auto* counter = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode*>(&phi)));
    if (!counter || counter->getLoop() != &loop || !counter->getStepRecurrence(evolution)->isOne())
      continue;
    const SCEV* start = counter->getStart();
    while (const auto* extended = dyn_cast<SCEVCastExpr>(start)) start = extended->getOperand();
    if (const auto* moving = dyn_cast<SCEVAddRecExpr>(start)) return moving;
  }
  return nullptr;
}

}  // namespace

/// Converts strides per iteration of each loop to strides per step of the loop counters in the
/// source code. If j starts at i, each iteration of the loop over i also moves the start of j, so
/// b[j] has a stride in that loop, too. In terms of the counters, b[j] depends on j alone.
void LinearPlaces::use_counters_of_source(LinearPlace* place) {
  for (const Loop* loop = &loop_; loop; loop = loop->getParentLoop()) {
    const SCEV* stride = place->stride(loop);
    const SCEVAddRecExpr* start = stride ? moving_start(*loop, evolution_) : nullptr;
    while (start) {
      const SCEV* step = evolution_.getTruncateOrSignExtend(
          canonical(start->getStepRecurrence(evolution_)), stride->getType());
      add_stride(place, start->getLoop(),
                 evolution_.getNegativeSCEV(evolution_.getMulExpr(stride, step)));
      start = dyn_cast<SCEVAddRecExpr>(start->getStart());
    }
  }
  llvm::erase_if(place->strides, [](const auto& stride) { return stride.second->isZero(); });
}

LinearPlace LinearPlaces::of(const Value* pointer) {
  const SCEV* address = evolution_.getSCEVAtScope(const_cast<Value*>(pointer), &loop_);
  LinearPlace place = Walk(*this).place_of(address);
  use_counters_of_source(&place);
  return place;
}

bool LinearPlaces::varies(const LinearPlace& place) const {
  return place.is_indirect || place.is_hopping || place.is_irregular ||
         place.stride(&loop_) != nullptr;
}

}  // namespace apmt::frontend
