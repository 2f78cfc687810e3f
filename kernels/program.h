// The static half of the analysers' input: a program as plain values. A front end derives the
// Program from canonical LLVM IR, but the Program contains no reference to that IR. The dynamic
// half, a stream of words, refers to the blocks of this half (kernels/events.h).
//
// One module (a translation unit) is one Program; its binary form is stored as constant data in the
// object file. The runtime appends the modules of a process to one Program. All references are
// indices into its tables; kNone stands for no reference.
//
// Rules that every front end keeps:
//  * A block is entered at its start only and ends with its terminator, a call or a barrier. So a
//    front end splits a block of the IR after every barrier, and after every call that may run code
//    of the program: the instructions that follow become a block of their own, the successor of the
//    first. Intrinsics and library functions that the front end knows are not calls here: fmuladd
//    is kFloatMultiplyAdd, sqrt is kFloatSpecial, memcpy is kCopyMemory, a work-group barrier is
//    kBarrier.
//  * The first block of a function is its entry and is not the successor of any block.
//  * Phis come first in their block. The blocks that they refer to are those after splitting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace apmt::kernels {

inline constexpr std::uint32_t kNone = 0xffffffff;

/// The class of an instruction. Its opcode name is kept too, for AIWC's opcode metric.
enum class OpClass : std::uint8_t {
  kInteger,   // arithmetic, shifts and logic on integers
  kCompare,   // of integers and of floating-point numbers
  kAddress,   // getelementptr
  kConvert,   // between types
  kMove,      // select, freeze, elements of vectors and structures, alloca
  kPhi,       // operands are pairs: a value, the block it comes from
  kFloatAdd,  // addition and subtraction
  kFloatMultiply,
  kFloatMultiplyAdd,  // operands a, b, c: one multiplication a * b, then one addition
  kFloatDivide,       // and remainder
  kFloatSpecial,      // sqrt, exp, sin, pow ... as an intrinsic: one operation
  kFloatMove,         // negation, absolute value, copysign, minimum, rounding: not counted in W
  kLoad,              // operand: address
  kStore,             // operands: value, address
  kAtomic,            // read and write; operands: address, then the others
  kCopyMemory,        // memcpy, memmove; operands: destination, source, bytes
  kFillMemory,        // memset; operands: destination, value, bytes
  kFence,
  kBarrier,  // of a work-group or of a team of threads; ends its block
  kJump,     // unconditional branch
  kBranch,   // conditional; operand: condition; first successor: taken, second: not taken
  kSwitch,   // and indirect branch; operand: condition
  kCall,     // operands: arguments
  kReturn,   // operand: the value, if any
  kOther,    // unreachable, resume, landingpad ...
};
inline constexpr std::size_t kOpClasses = static_cast<std::size_t>(OpClass::kOther) + 1;

enum class ScalarType : std::uint8_t {
  kVoid,
  kInteger,
  kPointer,
  kFloat16,
  kFloat32,
  kFloat64,
  kFloatLarge,
  kOther
};
inline constexpr std::size_t kScalarTypes = static_cast<std::size_t>(ScalarType::kOther) + 1;

/// A value that an instruction reads.
struct Operand {
  enum class Kind : std::uint8_t { kConstant, kArgument, kValue };
  std::uint32_t bits = 0;  // the kind in the two highest bits, the index in the others

  static constexpr std::uint32_t kMaxIndex = 0x3fffffff;
  static constexpr Operand constant() { return {}; }
  static constexpr Operand argument(std::uint32_t i) { return {0x40000000u | i}; }
  static constexpr Operand value(std::uint32_t slot) { return {0x80000000u | slot}; }
  constexpr Kind kind() const { return static_cast<Kind>(bits >> 30); }
  constexpr std::uint32_t index() const { return bits & kMaxIndex; }
};

struct Instruction {
  /// Whether the loop vectoriser can turn the instruction into a vector operation. Only the
  /// compiler pass of apmt analyze finds this out; the front end for OpenCL does not.
  enum Vectorising : std::uint16_t { kNotExamined, kStaysScalar, kVectorised };
  std::uint32_t opcode = 0;  // a name: "fadd", "getelementptr", "call"
  std::uint32_t site = kNone;
  std::uint32_t result = kNone;     // slot of the value in its function
  std::uint32_t first_operand = 0;  // in Program::operands
  std::uint32_t bytes = 0;          // of an access
  std::uint32_t callee = kNone;     // of a call: linkage name; kNone: called through a pointer
  std::uint16_t operands = 0;
  std::uint16_t lanes = 1;  // elements of the result; of a store: of the value
  OpClass op = OpClass::kOther;
  ScalarType type = ScalarType::kVoid;     // of an element of the result; of a store: of the value
  Vectorising vectorising = kNotExamined;  // of a floating-point operation
};

/// The number of words that an instruction adds to the words of its block in the stream: the
/// addresses of an access, and its length if the length is known only at run time.
constexpr std::uint32_t words_of(OpClass op) {
  switch (op) {
    case OpClass::kLoad:
    case OpClass::kStore:
    case OpClass::kAtomic:
      return 1;  // address
    case OpClass::kFillMemory:
      return 2;  // destination, bytes
    case OpClass::kCopyMemory:
      return 3;  // destination, source, bytes
    default:
      return 0;
  }
}

struct Block {
  std::uint32_t function = 0;
  std::uint32_t loop = kNone;  // the innermost loop that contains the block
  std::uint32_t first_instruction = 0;
  std::uint32_t instructions = 0;
  std::uint32_t first_successor = 0;  // in Program::successors
  std::uint32_t successors = 0;       // of an invoke: the normal destination, the landing pad
  std::uint32_t words = 0;  // words that follow its index in the stream: the sum of words_of()
};

struct Function {
  std::uint32_t linkage_name = 0;
  std::uint32_t name = 0;  // as in the source
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t first_block = 0;  // the entry
  std::uint32_t blocks = 0;
  std::uint32_t arguments = 0;
  std::uint32_t slots = 0;  // number of values; every Instruction::result is below it
};

/// A function whose body was inlined, and where.
struct Inlined {
  std::uint32_t linkage_name = 0;
  std::uint32_t name = 0;
  std::uint32_t file = 0;  // of the function
  std::uint32_t line = 0;
  std::uint32_t call_file = 0;
  std::uint32_t call_line = 0;
  std::uint32_t parent = kNone;  // the earlier row it was inlined into; kNone: into the Function
};

/// The source position of an instruction.
struct Site {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined = kNone;  // the innermost inlined function that contains the instruction
};

struct Loop {
  enum Annotation : std::uint8_t { kUnsaid, kParallel, kSequential };
  enum Flags : std::uint8_t {
    kTopTested = 1,  // not rotated: the header only tests whether another iteration follows
  };
  std::uint32_t function = 0;
  std::uint32_t parent = kNone;  // an earlier row
  std::uint32_t header = 0;
  std::uint32_t site = kNone;
  std::uint32_t first_excepted = 0;  // in Program::excepted
  std::uint32_t excepted = 0;
  Annotation annotation = kUnsaid;  // the user's; it overrides the analysis
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;
};

/// A value that a loop carries from one iteration to the next, but that does not make the loop
/// sequential: a phi of its header, or the load of a reduction in memory (sum[0] += ...,
/// histograms), which reads what the reduction stored before.
struct Excepted {
  enum Why : std::uint32_t { kInduction, kReduction };
  std::uint32_t slot = 0;
  Why why = kInduction;
};

/// The idiom that the static recogniser found for a statement of a loop. The synchronisation
/// analyser checks at run time whether a dependence contradicts it.
struct Idiom {
  enum Kind : std::uint32_t {
    kStream,
    kTranspose,
    kGather,
    kScatter,
    kReduction,
    kStencil,
    kMatrixMatrix,
    kMatrixVector
  };
  std::uint32_t loop = 0;  // the innermost loop around the statement
  Kind kind = kStream;
  std::uint32_t site = kNone;
  std::uint32_t code = 0;             // index of a name: the text of the source line
  std::uint32_t nest = 0;             // the outermost loop of the idiom: `loop`, or one around it
  std::uint32_t is_alternative = 0;   // 1: counts only if the previous row is not confirmed
  std::uint32_t first_reference = 0;  // in Program::references
  std::uint32_t references = 0;
};
inline constexpr std::uint32_t kIdiomKinds = Idiom::kMatrixVector + 1;

/// A table of distinct texts.
class Names {
 public:
  Names() { add(""); }
  std::uint32_t add(std::string_view text);
  const std::string& operator[](std::uint32_t i) const { return texts_[i]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

/// A program. A row that refers to a range of another table has a member first_... and a count. The
/// ranges of all rows cover the other table in order and without gaps.
struct Program {
  Names names;
  std::vector<Function> functions;
  std::vector<Block> blocks;  // the blocks of a function are contiguous
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> operands;    // Operand::bits; of a phi: each followed by a block
  std::vector<std::uint32_t> successors;  // blocks
  std::vector<Loop> loops;
  std::vector<Excepted> excepted;
  std::vector<Inlined> inlined;
  std::vector<Site> sites;
  std::vector<Idiom> idioms;
  std::vector<std::uint32_t> references;  // of idioms: instructions that access memory

  const std::string& name(std::uint32_t i) const { return names[i]; }
  std::span<const Instruction> code(const Block& b) const {
    return {instructions.data() + b.first_instruction, b.instructions};
  }
  std::span<const std::uint32_t> operands_of(const Instruction& i) const {
    return {operands.data() + i.first_operand, i.operands};
  }
  std::span<const std::uint32_t> successors_of(const Block& b) const {
    return {successors.data() + b.first_successor, b.successors};
  }
  std::span<const Excepted> excepted_of(const Loop& l) const {
    return {excepted.data() + l.first_excepted, l.excepted};
  }
  std::span<const std::uint32_t> references_of(const Idiom& i) const {
    return {references.data() + i.first_reference, i.references};
  }
  bool is_entry(std::uint32_t block) const {
    return functions[blocks[block].function].first_block == block;
  }
};

/// Describes the first invalid reference or broken rule; empty: the program is valid.
std::string fault_of(const Program& program);

/// Appends a valid module and returns the new index of its block 0. Existing rows keep their
/// indices.
std::uint32_t append(const Program& module, Program* program);

}  // namespace apmt::kernels
