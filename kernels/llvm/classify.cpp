#include "kernels/llvm/classify.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>

#include "kernels/llvm/neighbours.h"
#include "kernels/llvm/products.h"

namespace apmt::frontend {
namespace {

using namespace llvm;
using kernels::Idiom;
using Sink = Statement::Sink;
using References = std::vector<const Instruction*>;

bool is_chosen(const LinearPlace& place) { return place.is_indirect || place.is_hopping; }

/// Whether `a` is certainly the larger stride. A symbolic stride is taken to be the length of a row
/// and thus larger than any constant.
bool is_larger(const SCEV* a, const SCEV* b) {
  const auto* of_a = dyn_cast<SCEVConstant>(a);
  const auto* of_b = dyn_cast<SCEVConstant>(b);
  if (of_a && of_b) return of_a->getAPInt().abs().ugt(of_b->getAPInt().abs());
  return !of_a && of_b;
}

class Classification {
 public:
  Classification(const Statement& statement, LinearPlaces& places, LoopInfo& loops)
      : s_(statement), places_(places), loops_(loops) {}

  std::vector<Classified> run() {
    add_product(Idiom::kMatrixMatrix, 3);
    add_product(Idiom::kMatrixVector, 2);
    switch (s_.sink) {
      case Sink::kFold:
        add_fold();
        break;
      case Sink::kStore:
        add_store();
        break;
      default:
        add_read();
    }
    return std::move(found_);
  }

 private:
  void add(Idiom::Kind kind, References references, const Loop* outermost = nullptr) {
    found_.push_back(
        {kind, products_ > 0, outermost ? outermost : &places_.loop(), std::move(references)});
  }

  void add_product(Idiom::Kind kind, unsigned loops) {
    std::optional<Product> product = product_of(s_, places_, loops_, loops);
    if (!product) return;
    References references = with_target(std::move(product->factors));
    add(kind, std::move(references), product->outermost);
    ++products_;
  }

  References with_target(References references) const {
    if (s_.target.instruction) references.push_back(s_.target.instruction);
    if (s_.own && !isa<PHINode>(s_.own)) references.push_back(s_.own);
    return references;
  }

  /// Loads whose place varies, with the loads of their indices. If `that_are_chosen`: only those
  /// whose place an index array or an array of pointers chooses; otherwise only the others.
  References loads(bool that_are_chosen) const {
    References references;
    for (const Access& load : s_.loads) {
      if (!places_.varies(load.place) || is_chosen(load.place) != that_are_chosen) continue;
      references.push_back(load.instruction);
      for (const LoadInst* index : load.place.indices) references.push_back(index);
    }
    return references;
  }

  void add_fold() {
    References gathered = loads(true), folded = loads(false);
    if (gathered.empty() && folded.empty()) return;
    const bool is_stencil = gathered.empty() && reads_neighbours(s_, places_);
    folded.insert(folded.end(), gathered.begin(), gathered.end());
    add(is_stencil ? Idiom::kStencil : Idiom::kReduction, with_target(std::move(folded)));
    if (!gathered.empty()) add(Idiom::kGather, std::move(gathered));
  }

  void add_store() {
    const LinearPlace& target = s_.target.place;
    References gathered = loads(true);
    if (gathered.empty() && !target.is_irregular && reads_neighbours(s_, places_)) {
      add(Idiom::kStencil, with_target(loads(false)));
      return;
    }
    References others = stepping();
    if (s_.is_recurrent) return;
    if (is_chosen(target)) {
      References references = with_target(std::move(others));
      for (const LoadInst* index : target.indices) references.push_back(index);
      add(Idiom::kScatter, std::move(references));
      if (!gathered.empty()) add(Idiom::kGather, std::move(gathered));
    } else if (!gathered.empty()) {
      gathered.insert(gathered.end(), others.begin(), others.end());
      add(Idiom::kGather, with_target(std::move(gathered)));
    } else if (!target.is_irregular && places_.varies(target)) {
      add(is_transpose() ? Idiom::kTranspose : Idiom::kStream, with_target(std::move(others)));
    }
  }

  /// Adds the idiom of loads whose value is only tested or passed to a function.
  void add_read() {
    References gathered = loads(true);
    if (!gathered.empty()) {
      add(Idiom::kGather, std::move(gathered));
      return;
    }
    References stepped = stepping();
    if (!stepped.empty() && !s_.is_recurrent) add(Idiom::kStream, std::move(stepped));
  }

  /// Loads that step through an array. Those whose index is computed without an index array, as in
  /// a[i % n], belong to no idiom: they may be anywhere.
  References stepping() const {
    References references;
    for (const Access& load : s_.loads)
      if (places_.varies(load.place) && !is_chosen(load.place) && load.place.is_linear())
        references.push_back(load.instruction);
    return references;
  }

  /// Whether, of the two innermost loops, one has the larger stride in the place that is written,
  /// and the other has the larger stride in a load.
  bool is_transpose() const {
    const Loop* inner = &places_.loop();
    const Loop* outer = inner->getParentLoop();
    if (!outer) return false;
    const SCEV *to_inner = s_.target.place.stride(inner), *to_outer = s_.target.place.stride(outer);
    if (!to_inner || !to_outer) return false;
    return any_of(s_.loads, [&](const Access& load) {
      const SCEV *from_inner = load.place.stride(inner), *from_outer = load.place.stride(outer);
      if (!load.place.is_linear() || !from_inner || !from_outer) return false;
      return (is_larger(to_inner, to_outer) && is_larger(from_outer, from_inner)) ||
             (is_larger(to_outer, to_inner) && is_larger(from_inner, from_outer));
    });
  }

  const Statement& s_;
  LinearPlaces& places_;
  LoopInfo& loops_;
  std::vector<Classified> found_;
  int products_ = 0;
};

}  // namespace

std::vector<Classified> classify(const Statement& statement, LinearPlaces& places,
                                 LoopInfo& loops) {
  return Classification(statement, places, loops).run();
}

}  // namespace apmt::frontend
