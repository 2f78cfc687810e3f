#include "cli/scenarios.h"

#include "cli/verbs.h"

namespace apmt {
namespace {

/// What a report shows unasked: powers of two from the smallest profiled count to 16 times the
/// largest.
std::vector<int> default_procs(const Model& model) {
  constexpr int kFactor = 16;
  std::vector<int> procs;
  for (int p = model.min_procs(); p <= model.max_procs() * kFactor; p *= 2) procs.push_back(p);
  return procs;
}

}  // namespace

CLI::Option* add_scenario_options(CLI::App& verb, ScenarioOptions* options,
                                  const std::string& procs) {
  verb.add_option("--set", options->sizes, "Problem sizes, e.g. n=4096 [those of the runs]")
      ->allow_extra_args(false);
  verb.add_option("--scaling", options->scaling,
                  "strong: sizes stay; weak: work per process stays [as recorded]")
      ->check(CLI::IsMember({"strong", "weak"}));
  verb.add_option("--confidence", options->confidence_percent,
                  "Nominal coverage of the interval in percent")
      ->check(CLI::Range(1.0, 99.0))
      ->capture_default_str();
  return verb.add_option(procs, options->procs, "Process counts, e.g. 64,256,1024")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1 << 24));
}

std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options) {
  std::vector<Prediction> predictions;
  for (const int procs : options.procs.empty() ? default_procs(model) : options.procs) {
    Scenario scenario;
    scenario.procs = procs;
    scenario.params = parse_sizes(options.sizes);
    scenario.confidence = options.confidence_percent / 100;
    if (!options.scaling.empty())
      scenario.scaling = options.scaling == "weak" ? Scaling::kWeak : Scaling::kStrong;
    predictions.push_back(predict(model, scenario));
  }
  return predictions;
}

}  // namespace apmt
