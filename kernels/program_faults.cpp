#include "kernels/program.h"

namespace apmt::kernels {
namespace {

bool is_terminator(OpClass op) {
  switch (op) {
    case OpClass::kJump:
    case OpClass::kBranch:
    case OpClass::kSwitch:
    case OpClass::kBarrier:
    case OpClass::kCall:
    case OpClass::kReturn:
      return true;
    default:
      return false;
  }
}

bool has_successors(OpClass op, std::uint32_t n) {
  switch (op) {
    case OpClass::kJump:
    case OpClass::kBarrier:
      return n == 1;
    case OpClass::kBranch:
      return n == 2;
    case OpClass::kSwitch:
      return n >= 1;
    case OpClass::kReturn:
      return n == 0;
    default:
      return n <= 2;
  }
}

/// Checks a program table by table and keeps the first fault.
class Check {
 public:
  explicit Check(const Program& program) : p_(program) {}

  std::string run() {
    functions();
    blocks();
    loops();
    for (std::size_t i = 0; i < p_.inlined.size(); ++i) {
      const Inlined& in = p_.inlined[i];
      at("inlined function", i);
      expect(names({in.linkage_name, in.name, in.file, in.call_file}), "has no such name");
      expect(in.parent == kNone || in.parent < i, "comes before what it is inlined into");
    }
    for (std::size_t i = 0; i < p_.sites.size(); ++i) {
      at("site", i);
      expect(names({p_.sites[i].file}), "has no such file");
      expect(none_or(p_.sites[i].inlined, p_.inlined), "has no such inlined function");
    }
    idioms();
    const bool are_all_rows_used =
        operand_ == p_.operands.size() && successor_ == p_.successors.size() &&
        excepted_ == p_.excepted.size() && reference_ == p_.references.size() &&
        instruction_ == p_.instructions.size() && block_ == p_.blocks.size();
    if (!are_all_rows_used && fault_.empty()) fault_ = "there are rows that nothing refers to";
    return fault_;
  }

 private:
  void at(const char* what, std::size_t index) { what_ = what, index_ = index; }
  bool expect(bool kept, const char* fault) {
    if (!kept && fault_.empty())
      fault_ = std::string(what_) + ' ' + std::to_string(index_) + ' ' + fault;
    return kept;
  }
  bool names(std::initializer_list<std::uint32_t> all) const {
    for (const std::uint32_t name : all)
      if (name >= p_.names.size()) return false;
    return true;
  }
  template <class Rows>
  static bool none_or(std::uint32_t reference, const Rows& rows) {
    return reference == kNone || reference < rows.size();
  }
  /// Checks that a row's range starts where the range of the previous row ended.
  template <class Rows>
  bool follows(std::uint32_t first, std::uint32_t count, const Rows& rows, std::uint32_t* next) {
    if (!expect(first == *next && count <= rows.size() - first, "has rows out of order"))
      return false;
    *next = first + count;
    return true;
  }

  void functions() {
    for (std::size_t i = 0; i < p_.functions.size() && fault_.empty(); ++i) {
      const Function& f = p_.functions[i];
      at("function", i);
      expect(names({f.linkage_name, f.name, f.file}), "has no such name");
      expect(f.arguments <= 0xffff && f.blocks > 0, "has too many arguments, or no block");
      if (!follows(f.first_block, f.blocks, p_.blocks, &block_)) return;
      std::uint64_t instructions = 0;
      for (std::uint32_t b = f.first_block; b < block_; ++b) {
        expect(p_.blocks[b].function == i, "has a block of another function");
        instructions += p_.blocks[b].instructions;
      }
      expect(f.slots <= instructions && f.slots <= Operand::kMaxIndex,
             "has more values than instructions");
    }
  }

  void blocks() {
    for (std::size_t i = 0; i < p_.blocks.size() && fault_.empty(); ++i) {
      const Block& b = p_.blocks[i];
      at("block", i);
      if (!expect(b.function < p_.functions.size() && b.instructions > 0,
                  "is in no function or empty"))
        return;
      expect(
          none_or(b.loop, p_.loops) && (b.loop == kNone || p_.loops[b.loop].function == b.function),
          "has no such loop");
      if (!follows(b.first_instruction, b.instructions, p_.instructions, &instruction_) ||
          !follows(b.first_successor, b.successors, p_.successors, &successor_))
        return;
      for (const std::uint32_t s : p_.successors_of(b))
        expect(in_function(s, b.function) && !p_.is_entry(s), "has no such successor");
      std::uint64_t words = 0;
      for (const Instruction& code : p_.code(b)) words += words_of(code.op);
      expect(words == b.words, "counts its words wrongly");
      expect(has_successors(p_.code(b).back().op, b.successors),
             "does not fit its last instruction");
      instructions(b);
    }
  }

  bool in_function(std::uint32_t block, std::uint32_t function) const {
    return block < p_.blocks.size() && p_.blocks[block].function == function;
  }

  void instructions(const Block& b) {
    const Function& f = p_.functions[b.function];
    bool is_behind_phis = false;
    for (std::uint32_t i = b.first_instruction; i < instruction_ && fault_.empty(); ++i) {
      const Instruction& code = p_.instructions[i];
      at("instruction", i);
      expect(static_cast<std::size_t>(code.op) < kOpClasses &&
                 static_cast<std::size_t>(code.type) < kScalarTypes && code.lanes > 0 &&
                 code.vectorising <= Instruction::kVectorised,
             "has no such class, type or lanes");
      expect(names({code.opcode}) && none_or(code.site, p_.sites), "has no such name or site");
      expect(code.callee == kNone || (code.op == OpClass::kCall && names({code.callee})),
             "has no such callee");
      expect(code.result == kNone || code.result < f.slots, "has no such value");
      expect(!is_terminator(code.op) || i + 1 == instruction_, "ends a block that goes on");
      is_behind_phis |= code.op != OpClass::kPhi;
      expect(code.op != OpClass::kPhi || !is_behind_phis, "is a phi behind other instructions");
      if (follows(code.first_operand, code.operands, p_.operands, &operand_))
        operands_of(code, b.function);
    }
  }

  void operands_of(const Instruction& code, std::uint32_t function) {
    const auto operands = p_.operands_of(code);
    const bool is_phi = code.op == OpClass::kPhi;
    expect(operands.size() >= least_operands(code.op) && (!is_phi || operands.size() % 2 == 0),
           "has too few operands");
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (is_phi && k % 2 == 1) {
        expect(in_function(operands[k], function), "comes from no such block");
        continue;
      }
      const Operand operand{operands[k]};
      const Function& f = p_.functions[function];
      switch (operand.kind()) {
        case Operand::Kind::kConstant:
          break;
        case Operand::Kind::kArgument:
          expect(operand.index() < f.arguments, "has no such argument");
          break;
        case Operand::Kind::kValue:
          expect(operand.index() < f.slots, "has no such operand");
          break;
        default:
          expect(false, "has an operand of no kind");
      }
    }
  }

  static std::size_t least_operands(OpClass op) {
    switch (op) {
      case OpClass::kLoad:
      case OpClass::kAtomic:
        return 1;
      case OpClass::kStore:
        return 2;
      case OpClass::kFloatMultiplyAdd:
      case OpClass::kCopyMemory:
      case OpClass::kFillMemory:
        return 3;
      default:
        return 0;
    }
  }

  void loops() {
    for (std::size_t i = 0; i < p_.loops.size() && fault_.empty(); ++i) {
      const Loop& l = p_.loops[i];
      at("loop", i);
      if (!expect(l.function < p_.functions.size() && in_function(l.header, l.function) &&
                      p_.blocks[l.header].loop == i,
                  "has no such header"))
        return;
      expect(l.parent == kNone || (l.parent < i && p_.loops[l.parent].function == l.function),
             "comes before the loop around it");
      expect(l.annotation <= Loop::kSequential && none_or(l.site, p_.sites),
             "has no such annotation or site");
      if (!follows(l.first_excepted, l.excepted, p_.excepted, &excepted_)) return;
      for (const Excepted& e : p_.excepted_of(l))
        expect(e.slot < p_.functions[l.function].slots && e.why <= Excepted::kReduction,
               "excepts no such value");
    }
  }

  void idioms() {
    for (std::size_t i = 0; i < p_.idioms.size() && fault_.empty(); ++i) {
      const Idiom& idiom = p_.idioms[i];
      at("idiom", i);
      if (!expect(idiom.loop < p_.loops.size() && idiom.kind < kIdiomKinds &&
                      none_or(idiom.site, p_.sites) && names({idiom.code}),
                  "has no such loop, kind, site or code"))
        return;
      std::uint32_t around = idiom.loop;
      while (around != kNone && around != idiom.nest) around = p_.loops[around].parent;
      expect(around != kNone, "spans a loop that is not around it");
      expect(idiom.is_alternative == 0 ||
                 (idiom.is_alternative == 1 && i > 0 && p_.idioms[i - 1].loop == idiom.loop),
             "is an alternative to nothing");
      if (!follows(idiom.first_reference, idiom.references, p_.references, &reference_)) return;
      for (const std::uint32_t r : p_.references_of(idiom))
        expect(r < p_.instructions.size() && words_of(p_.instructions[r].op) > 0,
               "refers to an instruction that accesses no memory");
    }
  }

  const Program& p_;
  std::string fault_;
  const char* what_ = "program";
  std::size_t index_ = 0;
  std::uint32_t block_ = 0, instruction_ = 0, operand_ = 0, successor_ = 0, excepted_ = 0,
                reference_ = 0;
};

}  // namespace

std::string fault_of(const Program& program) { return Check(program).run(); }

}  // namespace apmt::kernels
