#include "kernels/program.h"

namespace apmt::kernels {

std::uint32_t Names::add(std::string_view text) {
  const auto [at, is_new] =
      index_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

namespace {

template <class Row>
std::uint32_t size_of(const std::vector<Row>& rows) {
  return static_cast<std::uint32_t>(rows.size());
}

/// Appends a copy of each row of `from` to `to`, changed by `renumber`.
template <class Row, class Renumber>
void append_rows(const std::vector<Row>& from, std::vector<Row>* to, const Renumber& renumber) {
  to->reserve(to->size() + from.size());
  for (Row row : from) {
    renumber(row);
    to->push_back(row);
  }
}

}  // namespace

std::uint32_t append(const Program& module, Program* program) {
  std::vector<std::uint32_t> names(module.names.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = program->names.add(module.names[i]);

  const std::uint32_t function = size_of(program->functions), block = size_of(program->blocks),
                      instruction = size_of(program->instructions),
                      operand = size_of(program->operands),
                      successor = size_of(program->successors), loop = size_of(program->loops),
                      excepted = size_of(program->excepted), inlined = size_of(program->inlined),
                      site = size_of(program->sites), reference = size_of(program->references);
  const auto move = [](std::uint32_t& index, std::uint32_t base) {
    if (index != kNone) index += base;
  };
  const auto rename = [&](std::uint32_t& name) {
    if (name != kNone) name = names[name];
  };

  append_rows(module.functions, &program->functions, [&](Function& f) {
    rename(f.linkage_name), rename(f.name), rename(f.file);
    f.first_block += block;
  });
  append_rows(module.blocks, &program->blocks, [&](Block& b) {
    b.function += function, b.first_instruction += instruction, b.first_successor += successor;
    move(b.loop, loop);
  });
  // The operands of phis include block indices, which are renumbered here.
  append_rows(module.operands, &program->operands, [](std::uint32_t&) {});
  for (const Instruction& i : module.instructions)
    if (i.op == OpClass::kPhi)
      for (std::uint32_t k = 1; k < i.operands; k += 2)
        program->operands[operand + i.first_operand + k] += block;
  append_rows(module.instructions, &program->instructions, [&](Instruction& i) {
    rename(i.opcode), rename(i.callee);
    i.first_operand += operand;
    move(i.site, site);
  });
  append_rows(module.successors, &program->successors, [&](std::uint32_t& s) { s += block; });
  append_rows(module.loops, &program->loops, [&](Loop& l) {
    l.function += function, l.header += block, l.first_excepted += excepted;
    move(l.parent, loop), move(l.site, site);
  });
  append_rows(module.excepted, &program->excepted, [](Excepted&) {});
  append_rows(module.inlined, &program->inlined, [&](Inlined& i) {
    rename(i.linkage_name), rename(i.name), rename(i.file), rename(i.call_file);
    move(i.parent, inlined);
  });
  append_rows(module.sites, &program->sites, [&](Site& s) {
    rename(s.file);
    move(s.inlined, inlined);
  });
  append_rows(module.idioms, &program->idioms, [&](Idiom& i) {
    i.loop += loop, i.nest += loop, i.first_reference += reference;
    rename(i.code);
    move(i.site, site);
  });
  append_rows(module.references, &program->references, [&](std::uint32_t& r) { r += instruction; });
  return block;
}

}  // namespace apmt::kernels
