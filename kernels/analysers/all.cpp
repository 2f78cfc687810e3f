#include "kernels/analysers/all.h"

#include "kernels/analysers/aiwc.h"
#include "kernels/analysers/asap.h"
#include "kernels/analysers/footprint.h"
#include "kernels/analysers/instruction_mix.h"
#include "kernels/analysers/stack_distance.h"
#include "kernels/analysers/synchronisation.h"

namespace apmt::kernels {

bool may_skip(const AnalyserChoice& c) {
  return c.floating_point || c.all_operations || c.synchronisation || c.aiwc || c.footprint;
}

bool need_only_counts(const AnalyserChoice& c, bool is_skipped) {
  return !c.stack_distance && !c.sampled_stack_distance && (is_skipped || !may_skip(c));
}

std::vector<std::unique_ptr<Analyser>> make_analysers(const AnalyserChoice& choice) {
  std::vector<std::unique_ptr<Analyser>> made;
  const auto add = [&](bool is_chosen, auto make) {
    if (is_chosen) made.push_back(make());
  };
  add(choice.mix, make_instruction_mix);
  add(choice.floating_point, [] { return make_asap_of_floating_point(); });
  add(choice.all_operations, [] { return make_asap_of_all_operations(); });
  add(choice.all_operations, [] { return make_load_chain(); });
  // The synchronisation analyser must finish before AIWC: it finds out which loops are parallel,
  // and the iterations of a parallel loop are AIWC's work-items.
  add(choice.synchronisation, make_synchronisation);
  add(choice.aiwc, [&] { return make_aiwc(choice.aiwc_compatible); });
  add(choice.footprint, make_footprint);
  add(choice.stack_distance, [] { return make_stack_distance(); });
  add(choice.sampled_stack_distance, [&] { return make_stack_distance(choice.stack_sample_log2); });
  return made;
}

}  // namespace apmt::kernels
