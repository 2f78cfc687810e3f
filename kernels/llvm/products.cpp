#include "kernels/llvm/products.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace apmt::frontend {
namespace {

using namespace llvm;

using Factors = std::vector<const Value*>;

/// Decomposes a sum into terms and each term into factors. The accumulator is not a term.
class Sum {
 public:
  Sum(const Value* sum, const Value* accumulator) : accumulator_(accumulator) { add(sum, 0); }

  bool is_valid() const { return accumulated_ == 1 && is_small_; }
  const std::vector<Factors>& terms() const { return terms_; }

 private:
  static constexpr int kMostParts = 64;

  void add(const Value* value, int depth) {
    if (value == accumulator_) {
      ++accumulated_;
      return;
    }
    is_small_ &= depth < kMostParts && terms_.size() < kMostParts;
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || !is_small_) {
      terms_.push_back({value});
      return;
    }
    switch (instruction->getOpcode()) {
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::Add:
      case Instruction::Sub:
        add(instruction->getOperand(0), depth + 1);
        add(instruction->getOperand(1), depth + 1);
        return;
      case Instruction::FNeg:
        add(instruction->getOperand(0), depth + 1);
        return;
      default:
        break;
    }
    Factors factors;
    if (is_multiply_add(*instruction)) {
      multiply(instruction->getOperand(0), &factors, 0);
      multiply(instruction->getOperand(1), &factors, 0);
      add(instruction->getOperand(2), depth + 1);
    } else {
      multiply(value, &factors, 0);
    }
    terms_.push_back(std::move(factors));
  }

  static bool is_multiply_add(const Instruction& instruction) {
    const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    return intrinsic && (intrinsic->getIntrinsicID() == Intrinsic::fmuladd ||
                         intrinsic->getIntrinsicID() == Intrinsic::fma);
  }

  static void multiply(const Value* value, Factors* factors, int depth) {
    const auto* instruction = dyn_cast<Instruction>(value);
    const unsigned opcode = instruction && depth < kMostParts ? instruction->getOpcode() : 0u;
    if (opcode == Instruction::FMul || opcode == Instruction::Mul) {
      multiply(instruction->getOperand(0), factors, depth + 1);
      multiply(instruction->getOperand(1), factors, depth + 1);
    } else if (opcode == Instruction::FNeg || (instruction && isa<CastInst>(instruction))) {
      multiply(instruction->getOperand(0), factors, depth + 1);
    } else {
      factors->push_back(value);
    }
  }

  const Value* accumulator_;
  std::vector<Factors> terms_;
  int accumulated_ = 0;
  bool is_small_ = true;
};

using LoopSet = unsigned;  // bit 0: the innermost loop of the nest

class Shape {
 public:
  Shape(const Statement& statement, LinearPlaces& places, LoopInfo& info, unsigned loops)
      : statement_(statement), places_(places), info_(info) {
    for (const Loop* loop = &places.loop(); loop && nest_.size() < loops;
         loop = loop->getParentLoop())
      nest_.push_back(loop);
    is_deep_enough_ = nest_.size() == loops;
  }

  std::optional<Product> find() {
    if (!is_deep_enough_ || !statement_.own || statement_.is_recurrent) return std::nullopt;
    const Sum sum(statement_.value, statement_.own);
    if (!sum.is_valid() || sum.terms().empty()) return std::nullopt;
    std::optional<LoopSet> result;
    if (statement_.target.instruction) {
      result = moved_by(statement_.target.place);
      if (!result) return std::nullopt;
    } else if (!starts_afresh()) {
      return std::nullopt;
    }
    Product product{nest_.back(), {}};
    for (const Factors& factors : sum.terms())
      if (!is_product(factors, result, &product)) return std::nullopt;
    return product;
  }

 private:
  LoopSet all() const { return (1u << nest_.size()) - 1; }

  /// The loops of the nest that change a place; nullopt: not an element of a matrix or vector.
  std::optional<LoopSet> moved_by(const LinearPlace& place) {
    if (!place.is_linear() || !place.is_linear_around) return std::nullopt;
    LoopSet moved = 0;
    SmallVector<const SCEV*, 3> strides;
    for (std::size_t i = 0; i < nest_.size(); ++i)
      if (const SCEV* stride = place.stride(nest_[i])) {
        moved |= 1u << i;
        // If two loops have the same stride, they move along one dimension, as in a convolution;
        // then this is no element of a matrix.
        for (const SCEV* other : strides)
          if (stride == other || stride == places_.evolution().getNegativeSCEV(other))
            return std::nullopt;
        strides.push_back(stride);
      }
    return moved;
  }

  std::optional<LoopSet> moved_by(const Value* factor, Product* product) {
    const auto* instruction = dyn_cast<Instruction>(factor);
    if (!instruction || !nest_.back()->contains(instruction)) return 0;
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      product->factors.push_back(load);
      return moved_by(places_.of(load->getPointerOperand()));
    }
    // A scalar that an outer loop of the nest computes counts as an element of a vector.
    for (std::size_t i = 1; i < nest_.size(); ++i)
      if (info_.getLoopFor(instruction->getParent()) == nest_[i]) return 1u << i;
    return std::nullopt;
  }

  bool is_product(const Factors& factors, std::optional<LoopSet> result, Product* product) {
    SmallVector<LoopSet, 2> moved;
    for (const Value* factor : factors) {
      const std::optional<LoopSet> by = moved_by(factor, product);
      if (!by) return false;
      if (*by != 0) moved.push_back(*by);
    }
    if (moved.size() != 2) return false;
    const LoopSet a = moved[0], b = moved[1];
    // Each loop must change the indices of exactly two of the three operands. So the indices of the
    // result must change with exactly the loops that change only one factor.
    const LoopSet product_of_both = a ^ b;
    if (result ? *result != product_of_both : (product_of_both & 1u) != 0) return false;
    const bool is_whole = (a | b) == all();
    if (nest_.size() == 3) return is_whole && popcount(a) == 2 && popcount(b) == 2;
    return is_whole && (a == all()) != (b == all());
  }

  /// Whether a sum in a register begins with a new value whenever the innermost loop starts, not
  /// with the sum of an earlier iteration of an outer loop.
  bool starts_afresh() const {
    const BasicBlock* before = places_.loop().getLoopPreheader();
    const auto* phi = cast<PHINode>(statement_.instruction);
    const auto* start = before ? dyn_cast<PHINode>(phi->getIncomingValueForBlock(before)) : nullptr;
    return before && (!start || none_of(nest_, [&](const Loop* loop) {
             return loop->getHeader() == start->getParent();
           }));
  }

  const Statement& statement_;
  LinearPlaces& places_;
  LoopInfo& info_;
  SmallVector<const Loop*, 3> nest_;
  bool is_deep_enough_ = false;
};

}  // namespace

std::optional<Product> product_of(const Statement& statement, LinearPlaces& places, LoopInfo& info,
                                  unsigned loops) {
  return Shape(statement, places, info, loops).find();
}

}  // namespace apmt::frontend
