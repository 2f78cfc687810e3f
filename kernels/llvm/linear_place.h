// The place that an access of a loop refers to: a linear function of the loops' counters, an
// element that an index array chooses, or neither.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <utility>

namespace apmt::frontend {

struct LinearPlace {
  const llvm::Value* object =
      nullptr;  // the array, or a load that stands for all loads of the array's pointer
  llvm::SmallVector<std::pair<const llvm::Loop*, const llvm::SCEV*>, 4> strides;  // in bytes
  const llvm::SCEV* offset = nullptr;                   // the part that no loop changes
  llvm::SmallVector<const llvm::LoadInst*, 2> indices;  // loads of indices and row pointers
  bool is_indirect = false;   // through an index array that the innermost loop steps through
  bool is_hopping = false;    // through an array of pointers that the innermost loop steps through
  bool is_irregular = false;  // otherwise not linear in the innermost loop
  bool is_linear_around = true;  // linear in the enclosing loops as well

  /// The stride in one loop; nullptr: the place does not depend on this loop.
  const llvm::SCEV* stride(const llvm::Loop* loop) const;
  bool is_linear() const { return !is_indirect && !is_irregular; }
};

/// The places that the statements of one loop access.
class LinearPlaces {
 public:
  LinearPlaces(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

  LinearPlace of(const llvm::Value* pointer);
  /// Whether the place changes from one iteration of the loop to the next.
  bool varies(const LinearPlace& place) const;
  llvm::ScalarEvolution& evolution() { return evolution_; }
  const llvm::Loop& loop() const { return loop_; }

 private:
  class Walk;

  bool is_written_in(const llvm::SCEV* address, const llvm::Loop& loop) const;
  bool varies_in(const llvm::SCEV* expression, const llvm::Loop& loop, int depth = 0);
  const llvm::SCEV* canonical(const llvm::SCEV* expression);
  const llvm::SCEV* row_distance();
  void add_stride(LinearPlace* place, const llvm::Loop* loop, const llvm::SCEV* bytes);
  void use_counters_of_source(LinearPlace* place);

  const llvm::Loop& loop_;
  const llvm::Loop* outermost_;
  llvm::ScalarEvolution& evolution_;
  /// Addresses that the outermost loop writes, and the blocks that write them.
  llvm::DenseMap<const llvm::SCEV*, llvm::SmallVector<const llvm::BasicBlock*, 1>> written_;
  llvm::DenseMap<std::pair<const llvm::SCEV*, llvm::Type*>, const llvm::LoadInst*> first_load_;
};

}  // namespace apmt::frontend
