#include "kernels/llvm/module_program.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "kernels/llvm/carried.h"
#include "kernels/llvm/cut.h"
#include "kernels/llvm/function_analyses.h"
#include "kernels/llvm/opcodes.h"
#include "kernels/llvm/places.h"
#include "kernels/llvm/source_lines.h"

namespace apmt::frontend {
namespace {

using namespace llvm;
using kernels::kNone;
using kernels::Operand;
using kernels::Program;

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

class Writer {
 public:
  Writer(Module& module, const DenseSet<const Instruction*>* vectorised, ModuleProgram* result)
      : layout_(module.getDataLayout()),
        vectorised_(vectorised),
        result_(*result),
        program_(result->program),
        places_(&program_) {}

  void number_blocks(const std::vector<Function*>& functions) {
    for (Function* function : functions) {
      result_.functions.push_back(function);
      for (const BasicBlock& block : *function)
        result_.block_index[&block] = size32(result_.block_index.size());
    }
  }

  void add(Function& function) {
    kernels::Function row;
    places_.describe(function, &row);
    row.first_block = size32(program_.blocks.size());
    row.blocks = size32(function.size());
    row.arguments = size32(function.arg_size());
    row.slots = number_values(function);

    FunctionAnalyses analyses(function);
    add_loops(analyses.loops, analyses.evolution);
    for (const BasicBlock& block : function) add(block, analyses.loops);
    program_.functions.push_back(row);
  }

  /// Adds the idioms whose loops belong to functions that were added.
  void add(const std::vector<FoundIdiom>& idioms) {
    SourceLines sources;
    bool is_before_added = false;
    for (const FoundIdiom& idiom : idioms) {
      const auto loop = loop_of_header_.find(idiom.loop), nest = loop_of_header_.find(idiom.nest);
      const bool is_added = loop != loop_of_header_.end() && nest != loop_of_header_.end();
      if (is_added && (is_before_added || !idiom.is_alternative))
        add(idiom, loop->second, nest->second, sources);
      is_before_added = is_added;
    }
  }

 private:
  void add(const FoundIdiom& idiom, std::uint32_t loop, std::uint32_t nest, SourceLines& sources) {
    kernels::Idiom row{.loop = loop,
                       .kind = idiom.kind,
                       .nest = nest,
                       .is_alternative = idiom.is_alternative ? 1u : 0u,
                       .first_reference = size32(program_.references.size())};
    if (idiom.statement) row.site = places_.site(idiom.statement->getDebugLoc());
    if (row.site != kNone) {
      const kernels::Site& site = program_.sites[row.site];
      row.code = program_.names.add(sources.line(program_.name(site.file), site.line, site.column));
    }
    for (const Instruction* reference : idiom.references)
      if (const auto known = index_of_.find(reference); known != index_of_.end())
        program_.references.push_back(known->second);
    row.references = size32(program_.references.size()) - row.first_reference;
    program_.idioms.push_back(row);
  }

  std::uint32_t function_of_row() const { return size32(program_.functions.size()); }

  std::uint32_t number_values(const Function& function) {
    slots_.clear();
    for (const BasicBlock& block : function)
      for (const Instruction& instruction : block)
        if (!instruction.getType()->isVoidTy() && !is_nothing(instruction))
          slots_[&instruction] = size32(slots_.size());
    return size32(slots_.size());
  }

  void add_loops(LoopInfo& loops, ScalarEvolution& evolution) {
    loop_index_.clear();
    for (Loop* loop : loops.getLoopsInPreorder()) {
      kernels::Loop row;
      row.function = function_of_row();
      if (const Loop* parent = loop->getParentLoop()) row.parent = loop_index_.lookup(parent);
      row.header = result_.block_index.lookup(loop->getHeader());
      row.site = places_.site(loop->getStartLoc());
      if (!loop->isRotatedForm()) row.flags |= kernels::Loop::kTopTested;
      if (loop->isAnnotatedParallel()) row.annotation = kernels::Loop::kParallel;
      row.first_excepted = size32(program_.excepted.size());
      for (const CarriedValue& carried : carried_values(*loop, evolution))
        program_.excepted.push_back({slots_.lookup(carried.value), carried.why});
      row.excepted = size32(program_.excepted.size()) - row.first_excepted;
      loop_index_[loop] = size32(program_.loops.size());
      loop_of_header_[loop->getHeader()] = size32(program_.loops.size());
      program_.loops.push_back(row);
    }
  }

  void add(const BasicBlock& block, const LoopInfo& loops) {
    kernels::Block row;
    row.function = function_of_row();
    if (const Loop* loop = loops.getLoopFor(&block)) row.loop = loop_index_.lookup(loop);
    row.first_instruction = size32(program_.instructions.size());
    row.first_successor = size32(program_.successors.size());
    for (const BasicBlock* next : successors(&block))
      program_.successors.push_back(result_.block_index.lookup(next));
    row.successors = size32(program_.successors.size()) - row.first_successor;
    const bool is_cut = ends_with_call(block);
    for (const Instruction& instruction : block) {
      if (is_nothing(instruction) || (is_cut && instruction.isTerminator())) continue;
      add(instruction);
      row.words += kernels::words_of(program_.instructions.back().op);
    }
    row.instructions = size32(program_.instructions.size()) - row.first_instruction;
    program_.blocks.push_back(row);
  }

  void add(const Instruction& instruction) {
    kernels::Instruction row;
    row.op = class_of(instruction);
    row.opcode = program_.names.add(opcode_name(instruction));
    row.site = places_.site(instruction.getDebugLoc());
    if (const auto slot = slots_.find(&instruction); slot != slots_.end())
      row.result = slot->second;
    row.first_operand = size32(program_.operands.size());
    add_operands(instruction, row.op);
    row.operands = static_cast<std::uint16_t>(program_.operands.size() - row.first_operand);
    const Type* shown = row.op == OpClass::kStore
                            ? instruction.getOperand(0)->getType()  // the value
                            : instruction.getType();
    const ValueShape shape = shape_of(*shown);
    row.type = shape.type;
    row.lanes = shape.lanes;
    row.bytes = accessed_bytes(instruction, row.op);
    if (vectorised_ != nullptr)
      row.vectorising = vectorised_->contains(&instruction) ? kernels::Instruction::kVectorised
                                                            : kernels::Instruction::kStaysScalar;
    if (kernels::words_of(row.op) > 0)
      index_of_[&instruction] = size32(program_.instructions.size());
    if (row.op == OpClass::kCall) row.callee = callee_of(cast<CallBase>(instruction));
    program_.instructions.push_back(row);
  }

  void add_operands(const Instruction& instruction, OpClass op) {
    // Operands beyond kMost are dropped, because operand counts have 16 bits.
    constexpr std::size_t kMost = 60000;
    if (const auto* phi = dyn_cast<PHINode>(&instruction)) {
      for (unsigned i = 0; i < phi->getNumIncomingValues() && i < kMost / 2; ++i) {
        add_operand(phi->getIncomingValue(i));
        program_.operands.push_back(result_.block_index.lookup(phi->getIncomingBlock(i)));
      }
      return;
    }
    if (op == OpClass::kCopyMemory || op == OpClass::kFillMemory) {
      const MemoryBlockOperands block = memory_block_operands(instruction);
      for (const Value* value : {block.destination, block.source, block.bytes}) add_operand(value);
      return;
    }
    if (const auto* call = dyn_cast<CallBase>(&instruction)) {
      for (unsigned i = 0; i < call->arg_size() && i < kMost; ++i)
        add_operand(call->getArgOperand(i));
      return;
    }
    if (const auto* branch = dyn_cast<BranchInst>(&instruction)) {
      if (branch->isConditional()) add_operand(branch->getCondition());
      return;
    }
    if (isa<SwitchInst>(instruction) || isa<IndirectBrInst>(instruction)) {
      add_operand(instruction.getOperand(0));
      return;
    }
    for (unsigned i = 0; i < instruction.getNumOperands() && i < kMost; ++i)
      add_operand(instruction.getOperand(i));
  }

  void add_operand(const Value* value) {
    Operand operand = Operand::constant();
    if (const auto* argument = dyn_cast<Argument>(value))
      operand = Operand::argument(argument->getArgNo());
    else if (const auto slot = slots_.find(value); slot != slots_.end())
      operand = Operand::value(slot->second);
    program_.operands.push_back(operand.bits);
  }

  /// The number of bytes that a load, store or atomic operation accesses; 0 for all other
  /// instructions, also for copies and fills of memory. In OpenCL, such an operation can be a call
  /// to a built-in function.
  std::uint32_t accessed_bytes(const Instruction& instruction, OpClass op) const {
    Type* type = nullptr;
    if (op == OpClass::kLoad) type = instruction.getType();
    if (op == OpClass::kStore) type = instruction.getOperand(0)->getType();
    if (op == OpClass::kAtomic)
      type =
          isa<CallBase>(instruction) ? instruction.getType() : instruction.getOperand(1)->getType();
    return type ? size32(layout_.getTypeStoreSize(type).getKnownMinValue()) : 0;
  }

  std::uint32_t callee_of(const CallBase& call) {
    const auto* callee = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
    return callee ? program_.names.add(callee->getName()) : kNone;
  }

  const DataLayout& layout_;
  const DenseSet<const Instruction*>* vectorised_;  // nullptr: not examined
  ModuleProgram& result_;
  Program& program_;
  Places places_;
  DenseMap<const Value*, std::uint32_t> slots_;
  DenseMap<const Loop*, std::uint32_t> loop_index_;
  DenseMap<const BasicBlock*, std::uint32_t> loop_of_header_;  // of all functions
  DenseMap<const Instruction*, std::uint32_t> index_of_;       // of memory instructions
};

}  // namespace

ModuleProgram program_of(Module& module, const std::vector<Function*>& functions,
                         const std::vector<FoundIdiom>& idioms,
                         const DenseSet<const Instruction*>* vectorised) {
  ModuleProgram result;
  Writer writer(module, vectorised, &result);
  writer.number_blocks(functions);
  for (Function* function : functions) writer.add(*function);
  writer.add(idioms);
  return result;
}

}  // namespace apmt::frontend
