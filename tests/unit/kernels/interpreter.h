// Runs small kernels and writes their events. For the reference results it also stores each
// executed instruction, together with the instructions whose results it used.
#pragma once

#include <vector>

#include "kernels/events.h"
#include "tests/unit/kernels/code_builder.h"

namespace apmt::kernels::testing {

/// An executed instruction.
struct Step {
  std::uint32_t instruction = 0;
  std::uint32_t block = 0;
  std::uint32_t taken = 0;           // of a phi: which pair; of a branch: which successor
  std::uint64_t address = 0;         // of an access
  std::uint64_t from = 0;            // of a copy
  std::uint64_t bytes = 0;           // of an access
  std::vector<std::size_t> sources;  // by operand (of a phi, the one taken): the step that made it
};

class Interpreter {
 public:
  explicit Interpreter(const Code& code) : code_(code) {}
  /// The memory consists of elements of eight bytes; its addresses begin at kBase.
  static constexpr std::int64_t kBase = 1 << 20;
  std::vector<Cell> memory = std::vector<Cell>(1 << 19);
  Cell& at(std::int64_t address) {
    return memory.at(static_cast<std::size_t>(address - kBase) / 8);
  }
  /// Runs the function as a kernel.
  void run(std::uint32_t function, const std::vector<Cell>& arguments = {});

  std::vector<Word> words;
  std::vector<Step> steps;
  bool keeps_steps = true;
  static constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

 private:
  struct Made {
    Cell value = 0;
    std::size_t by = kNoStep;
  };
  void keep(Step step) {
    if (keeps_steps) steps.push_back(std::move(step));
  }
  Made call(std::uint32_t function, const std::vector<Made>& arguments);
  Cell compute(Does does, const std::vector<Made>& in, Step* step);

  const Code& code_;
};

/// The events of one function, run as a kernel without arguments.
std::vector<Word> events_of(const Code& code, std::uint32_t function = 0);

}  // namespace apmt::kernels::testing
