#include "kernels/analysers/entries.h"

namespace apmt::kernels {

KernelAnalysis& entry_of(Analysis* analysis, const Program& program, std::uint32_t function,
                         const Invocations& invocations) {
  const Function& f = program.functions[function];
  const std::string& linkage_name = program.name(f.linkage_name);
  const auto add_difference = [&](KernelAnalysis* kernel) {
    if (kernel->followed_invocations && invocations.instructions > 0)
      kernel->skipped_difference =
          static_cast<double>(invocations.unlike) / static_cast<double>(invocations.instructions);
  };
  for (KernelAnalysis& kernel : analysis->kernels)
    if (kernel.function == linkage_name) {
      add_difference(&kernel);
      return kernel;
    }
  KernelAnalysis kernel;
  kernel.function = linkage_name;
  kernel.name = program.name(f.name);
  kernel.file = program.name(f.file);
  kernel.line = f.line;
  kernel.invocations = invocations.all;
  if (invocations.followed < invocations.all) kernel.followed_invocations = invocations.followed;
  add_difference(&kernel);
  return analysis->kernels.emplace_back(std::move(kernel));
}

LoopFacts& loop_of(KernelAnalysis* kernel, const Program& program, std::uint32_t loop) {
  for (LoopFacts& facts : kernel->loops)
    if (facts.id == loop) return facts;
  const Loop& l = program.loops[loop];
  LoopFacts facts;
  facts.id = loop;
  if (l.parent != kNone) facts.parent = l.parent;
  facts.function = program.name(program.functions[l.function].name);
  if (l.site != kNone) {
    facts.file = program.name(program.sites[l.site].file);
    facts.line = program.sites[l.site].line;
  }
  return kernel->loops.emplace_back(std::move(facts));
}

}  // namespace apmt::kernels
