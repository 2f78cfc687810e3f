#include "kernels/llvm/idioms.h"

#include "kernels/llvm/classify.h"
#include "kernels/llvm/examined_copy.h"
#include "kernels/llvm/function_analyses.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

class Recogniser {
 public:
  explicit Recogniser(const ExaminedCopy& copy) : copy_(copy) {}

  void examine(Function& function) {
    FunctionAnalyses analyses(function);
    LoopInfo& loops = analyses.loops;
    for (const Loop* loop : loops.getLoopsInPreorder()) {
      LinearPlaces places(*loop, analyses.evolution);
      for (const Statement& statement : statements_of(places, loops))
        for (const Classified& is : classify(statement, places, loops)) add(is, statement, *loop);
    }
  }
  std::vector<FoundIdiom> found() { return std::move(found_); }

 private:
  void add(const Classified& is, const Statement& statement, const Loop& loop) {
    FoundIdiom idiom{.kind = is.kind,
                     .is_alternative = is.is_alternative,
                     .loop = copy_.original(loop.getHeader()),
                     .nest = copy_.original(is.outermost->getHeader()),
                     .statement = place_of(statement)};
    if (!idiom.loop || !idiom.nest) return;
    for (const Instruction* reference : is.references)
      if (const Instruction* original = copy_.original(reference);
          original && !is_contained(idiom.references, original))
        idiom.references.push_back(original);
    found_.push_back(std::move(idiom));
  }

  /// The instruction whose source position is shown. For a fold, this is the value that is folded,
  /// because the phi has no source position.
  const Instruction* place_of(const Statement& statement) const {
    const auto* folded = dyn_cast_or_null<Instruction>(statement.value);
    const Instruction* shown =
        statement.sink == Statement::Sink::kFold && folded ? folded : statement.instruction;
    return copy_.original(shown);
  }

  const ExaminedCopy& copy_;
  std::vector<FoundIdiom> found_;
};

}  // namespace

std::vector<FoundIdiom> find_idioms(Module& module) {
  ExaminedCopy copy(module);
  Recogniser recogniser(copy);
  for (Function& function : copy.module())
    if (!function.isDeclaration()) recogniser.examine(function);
  return recogniser.found();
}

}  // namespace apmt::frontend
