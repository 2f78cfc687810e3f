#include "kernels/analysers/idiom_facts.h"

#include <algorithm>
#include <array>
#include <set>

#include "kernels/analysers/instruction_mix.h"

namespace apmt::kernels {
namespace {

constexpr const char* kIdiomNames[kIdiomKinds] = {"stream",
                                                  "transpose",
                                                  "gather",
                                                  "scatter",
                                                  "reduction",
                                                  "stencil",
                                                  "matrix-matrix product",
                                                  "matrix-vector product"};

/// The idioms, the most specific first. A reference that belongs to several idioms is counted only
/// for the first of them.
constexpr std::array kOrder = {Idiom::kMatrixMatrix, Idiom::kMatrixVector, Idiom::kStencil,
                               Idiom::kTranspose,    Idiom::kScatter,      Idiom::kGather,
                               Idiom::kReduction,    Idiom::kStream};

bool is_confirmed(const Program& program, const Idiom& idiom, const Dependences& dependences) {
  if (idiom.kind == Idiom::kStencil || idiom.kind == Idiom::kReduction) return true;
  for (std::uint32_t loop = idiom.loop;; loop = program.loops[loop].parent) {
    for (const std::uint32_t reference : program.references_of(idiom))
      if (dependences.of(reference, loop)) return false;
    if (loop != idiom.loop && dependences.any(loop)) return false;
    if (loop == idiom.nest) return true;
  }
}

bool has_run(const Program& program, const Idiom& idiom, const LoopMix& mix) {
  const auto references = program.references_of(idiom);
  return std::any_of(references.begin(), references.end(), [&](std::uint32_t reference) {
    return mix.executions(program, reference, idiom.loop) > 0;
  });
}

/// The first confirmed idiom of each chain of alternatives (Idiom::is_alternative).
std::vector<const Idiom*> confirmed_rows(const Program& program, std::uint32_t loop,
                                         const LoopMix& mix, const Dependences& dependences) {
  std::vector<const Idiom*> rows;
  bool is_decided = false;
  for (const Idiom& idiom : program.idioms) {
    if (idiom.loop != loop) continue;
    if (idiom.is_alternative == 0) is_decided = false;
    if (is_decided || !has_run(program, idiom, mix) || !is_confirmed(program, idiom, dependences))
      continue;
    rows.push_back(&idiom);
    is_decided = true;
  }
  return rows;
}

}  // namespace

std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const Dependences& dependences) {
  const std::vector<const Idiom*> rows = confirmed_rows(program, loop, mix, dependences);
  const InstructionMix whole = mix.mix(program, loop);
  const std::uint64_t references = whole.loads + whole.stores;
  std::vector<IdiomFacts> found;
  std::set<std::uint32_t> counted;
  for (const Idiom::Kind kind : kOrder) {
    IdiomFacts facts;
    facts.idiom = kIdiomNames[kind];
    bool is_found = false;
    for (const Idiom* row : rows) {
      if (row->kind != kind) continue;
      if (!is_found && row->site != kNone) {
        facts.file = program.name(program.sites[row->site].file);
        facts.line = program.sites[row->site].line;
        facts.code = program.name(row->code);
      }
      is_found = true;
      for (const std::uint32_t reference : program.references_of(*row)) {
        if (!counted.insert(reference).second) continue;
        const Instruction& instruction = program.instructions[reference];
        InstructionMix moved;
        if (words_of(instruction.op) > 1)  // a copy or fill
          moved = mix.moved_by(program, reference, loop);
        else
          moved.add(mix_of(instruction), mix.executions(program, reference, loop));
        facts.loads += moved.loads;
        facts.stores += moved.stores;
        facts.bytes += moved.loaded_bytes + moved.stored_bytes;
      }
    }
    if (!is_found) continue;
    if (references > 0)
      facts.share =
          static_cast<double>(facts.loads + facts.stores) / static_cast<double>(references);
    found.push_back(std::move(facts));
  }
  return found;
}

}  // namespace apmt::kernels
