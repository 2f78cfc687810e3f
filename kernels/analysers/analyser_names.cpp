#include "kernels/analysers/analyser_names.h"

namespace apmt::kernels {
namespace {

struct Named {
  const char* name;
  bool AnalyserChoice::*is_chosen;
};
constexpr Named kAnalysers[] = {
    {"mix", &AnalyserChoice::mix},
    {"parallelism", &AnalyserChoice::floating_point},
    {"all-operations", &AnalyserChoice::all_operations},
    {"synchronisation", &AnalyserChoice::synchronisation},
    {"aiwc", &AnalyserChoice::aiwc},
    {"aiwc-compat", &AnalyserChoice::aiwc_compatible},
    {"footprint", &AnalyserChoice::footprint},
    {"stack-distances", &AnalyserChoice::stack_distance},
    {"sampled-stack-distances", &AnalyserChoice::sampled_stack_distance},
};

}  // namespace

std::vector<std::string> analyser_names() {
  std::vector<std::string> names;
  for (const Named& analyser : kAnalysers) names.emplace_back(analyser.name);
  return names;
}

std::vector<std::string> usual_analysers() {
  std::vector<std::string> names;
  for (const Named& analyser : kAnalysers)
    if (AnalyserChoice().*analyser.is_chosen) names.emplace_back(analyser.name);
  return names;
}

AnalyserChoice analysers_named(std::span<const std::string> names) {
  AnalyserChoice choice;
  for (const Named& analyser : kAnalysers) choice.*analyser.is_chosen = false;
  for (const std::string& name : names)
    for (const Named& analyser : kAnalysers)
      if (name == analyser.name) choice.*analyser.is_chosen = true;
  choice.mix = true;
  // AIWC needs to know which loops are parallel; the synchronisation analyser finds this out.
  choice.aiwc |= choice.aiwc_compatible;
  choice.synchronisation |= choice.aiwc;
  return choice;
}

}  // namespace apmt::kernels
