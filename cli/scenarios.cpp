#include "cli/scenarios.h"

#include <tuple>

#include "cli/arguments.h"
#include "cli/installation.h"
#include "cli/verbs.h"
#include "reports/process_counts.h"

namespace apmt {
namespace {

void add_what_ifs(Verb verb, ScenarioOptions* options) {
  const char* kGroup = "What if";
  verb.add_option("--latency", options->latency, "Of messages: a value such as 2us, or x0.5")
      .group(kGroup);
  verb.add_option("--bandwidth", options->bandwidth, "Of messages: 12.5GB/s, 100Gbit/s, or x2")
      .group(kGroup);
  verb.add_option("--frequency", options->frequency, "Of the cores: 2.6GHz, or x1.2").group(kGroup);
  verb.add_option("--mem-latency", options->memory_latency, "Of memory: 90ns, or x1.5")
      .group(kGroup);
  verb.add_option("--mem-bandwidth", options->memory_bandwidth,
                  "Of memory, for each process: 8GB/s, or x1.5")
      .group(kGroup);
  verb.add_option("--cores-per-node", options->cores_per_node, "Processes that a node can hold")
      .check(whole_number(1, 1 << 20))
      .group(kGroup);
  verb.add_option("--machine", options->machine,
                  "Machine profile for all of these: a file of apmt calibrate, or a name such as "
                  "archer2")
      .group(kGroup);
  verb.add_option("--profiled-on", options->profiled_on,
                  "Machine profile of the runs (a file or a name), to compare with [fitted costs]")
      .group(kGroup);
}

std::optional<MachineFigures> figures_of(const std::filesystem::path& file) {
  if (file.empty()) return std::nullopt;
  return read_machine_figures(machine_profile(file));
}

}  // namespace

Argument add_scenario_options(Verb verb, ScenarioOptions* options, const std::string& procs) {
  verb.add_option("--set", options->sizes, "Problem sizes, e.g. n=4096 [those of the runs]")
      .one_word();
  verb.add_option("--scaling", options->scaling,
                  "strong: constant sizes; weak: constant work per process [as recorded]")
      .check(one_of({"strong", "weak"}));
  verb.add_option("--confidence", options->confidence_percent,
                  "Nominal coverage of the interval in percent")
      .check(number(1.0, 99.0))
      .shows_default();
  add_what_ifs(verb, options);
  return verb.add_option(procs, options->procs, "Process counts, e.g. 64,256,1024")
      .comma_separated()
      .check(whole_number(1, 1 << 24));
}

std::optional<MachineFigures> profiled_on(const ScenarioOptions& options) {
  return figures_of(options.profiled_on);
}

std::vector<Scenario> scenarios_of(const Model& model, const ScenarioOptions& options) {
  WhatIf what_if;
  for (const auto& [knob, text, option] : {
           std::tuple{Knob::kLatency, &options.latency, "--latency"},
           {Knob::kBandwidth, &options.bandwidth, "--bandwidth"},
           {Knob::kFrequency, &options.frequency, "--frequency"},
           {Knob::kMemoryLatency, &options.memory_latency, "--mem-latency"},
           {Knob::kMemoryBandwidth, &options.memory_bandwidth, "--mem-bandwidth"},
       })
    if (!text->empty()) what_if.of(knob) = parse_change(knob, *text, option);
  what_if.cores_per_node = options.cores_per_node;
  const std::optional<MachineFigures> machine = figures_of(options.machine);
  const std::optional<MachineFigures> here = profiled_on(options);
  std::vector<Scenario> scenarios;
  for (const int procs : options.procs.empty() ? default_procs(model) : options.procs) {
    Scenario scenario;
    scenario.procs = procs;
    scenario.params = parse_sizes(options.sizes, SizeNames::kImportedToo);
    scenario.confidence = options.confidence_percent / 100;
    if (!options.scaling.empty())
      scenario.scaling = options.scaling == "weak" ? Scaling::kWeak : Scaling::kStrong;
    scenario.what_if = on_machine(what_if, procs, machine, here);
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

std::vector<Prediction> predict_all(const Predictor& predictor,
                                    const std::vector<Scenario>& scenarios) {
  std::vector<Prediction> predictions;
  for (const Scenario& scenario : scenarios) predictions.push_back(predictor.predict(scenario));
  return predictions;
}

std::vector<Prediction> predict_all(const Model& model, const ScenarioOptions& options) {
  return predict_all(Predictor(model), scenarios_of(model, options));
}

std::vector<Prediction> predictions_for_laws(const Model& model) {
  constexpr int kFarthest = 8;
  if (model.kernels.empty() || knows_only_wholes(model)) return {};
  ScenarioOptions options;
  options.procs = curve_procs(model, {kFarthest * model.max_procs()});
  return predict_all(model, options);
}

}  // namespace apmt
