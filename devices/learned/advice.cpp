#include "devices/learned/advice.h"

#include <algorithm>
#include <cmath>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "devices/learned/aiwc_features.h"
#include "devices/learned/learner.h"

namespace apmt::learned {
namespace {

constexpr std::size_t kNearest = 3;
constexpr std::size_t kDifferences = 3;

std::vector<FeatureDifference> differences_of(const LearnedModel& model, const Outside& outside,
                                              const AskedKernel& kernel, const Row& x,
                                              const KernelRun& run, const Row& there) {
  std::vector<FeatureDifference> all;
  for (std::size_t f = 0; f < x.size(); ++f)
    if (x[f] != there[f])
      all.push_back({model.data.head.definitions.features[f].name, *kernel.features[f],
                     *run.features[f], outside.difference(x, there, f)});
  std::stable_sort(all.begin(), all.end(),
                   [](const FeatureDifference& a, const FeatureDifference& b) {
                     return std::abs(a.deviations) > std::abs(b.deviations);
                   });
  if (all.size() > kDifferences) all.resize(kDifferences);
  return all;
}

std::map<std::string, double> speed_ups_of(const DataSet& data, const KernelRun& run) {
  std::map<std::string, double> speed_ups;
  const auto& reference_s = run.times_s[data.reference_index()];
  for (std::size_t d = 0; d < data.head.devices.size(); ++d)
    if (d != data.reference_index() && reference_s && run.times_s[d])
      speed_ups[data.head.devices[d].name] = *reference_s / *run.times_s[d];
  return speed_ups;
}

SpeedUpAdvice advice_of(const LearnedQuestion& each, const Row& x) {
  SpeedUpAdvice advice{.device = each.question.device, .threshold = each.question.threshold};
  if (!each.trained)
    advice.abstains = each.unknown.empty() ? "nothing was learned" : each.unknown;
  else if (!each.is_answered())
    advice.abstains = each.brier
                          ? "no better than the base rate for an application not learned from"
                          : "not validated";
  else
    advice.probability = each.trained->probabilities(each.trained->answer(x))[1];
  return advice;
}

/// Makes the probabilities of one device consistent: a speed-up above 5 is also above 2, so it must
/// not have the higher probability.
void make_consistent(std::vector<SpeedUpAdvice>* all) {
  for (SpeedUpAdvice& each : *all)
    for (const SpeedUpAdvice& lower : *all)
      if (each.device == lower.device && lower.threshold < each.threshold && each.probability &&
          lower.probability)
        each.probability = std::min(*each.probability, *lower.probability);
}

AskedKernel kernel_of_features(const Json& json, const std::filesystem::path& file,
                               const FeatureDefinitions& definitions) {
  const JsonAt root(json, file.string());
  FeatureDefinitions met = definitions;
  met.name = root.at("definitions").at("name").string();
  met.version = root.at("definitions").at("version").string();
  require_same_definitions(definitions, met, file.string());
  AskedKernel kernel{.title = root.at("kernel").string(), .features = {}};
  for (const FeatureDefinition& feature : definitions.features) {
    const auto value = root.at("features").find(feature.name);
    kernel.features.push_back(value ? std::optional(value->number()) : std::nullopt);
    if (value && std::abs(value->number()) > kLargestNumber)
      value->fail("a number from -1e100 to 1e100");
  }
  return kernel;
}

/// The kernel's name or, if it is empty or another kernel has the same name (as in two OpenCL
/// programs), its linkage name.
std::string title_of(const kernels::KernelAnalysis& kernel, const kernels::Analysis& analysis) {
  const auto same =
      std::count_if(analysis.kernels.begin(), analysis.kernels.end(),
                    [&](const kernels::KernelAnalysis& each) { return each.name == kernel.name; });
  return same == 1 && !kernel.name.empty() ? kernel.name : kernel.function;
}

/// All kernels of an analysis, or the one with this name.
std::vector<AskedKernel> analysed_kernels(const std::filesystem::path& file,
                                          const FeatureDefinitions& definitions,
                                          const std::string& name) {
  const kernels::Analysis analysis = kernels::read_analysis(file);
  if (analysis.kernels.empty())
    throw InputError(file.string(), "the analysis has no kernel",
                     "apmt analyze names kernels with --kernel");
  std::vector<AskedKernel> all;
  for (const kernels::KernelAnalysis& kernel : analysis.kernels) {
    const std::string title = title_of(kernel, analysis);
    if (name.empty() || name == title || name == kernel.function)
      all.push_back({title, aiwc_features(kernel, definitions, file), kernel});
  }
  return all;
}

std::vector<AskedKernel> kernels_of_data(const std::filesystem::path& file,
                                         const FeatureDefinitions& definitions) {
  const DataSet data = read_data_set(file);
  require_same_definitions(definitions, data.head.definitions, file.string());
  std::vector<AskedKernel> kernels;
  for (const KernelRun& run : data.runs) kernels.push_back({title_of(run), run.features});
  return kernels;
}

std::vector<AskedKernel> kernels_in(const std::filesystem::path& file,
                                    const FeatureDefinitions& definitions,
                                    const std::string& name) {
  if (file.extension() != ".json") return kernels_of_data(file, definitions);
  const Json json = parse_json(read_whole_file(file), file.string());
  if (json.is_object() && json.value("format", Json()) == "apmt-analysis")
    return analysed_kernels(file, definitions, name);
  return {kernel_of_features(read_json_file(file, "apmt-kernel-features", 1), file, definitions)};
}

}  // namespace

std::vector<AskedKernel> read_kernels(const std::filesystem::path& file,
                                      const FeatureDefinitions& definitions,
                                      const std::string& name) {
  std::vector<AskedKernel> kernels = kernels_in(file, definitions, name);
  if (!name.empty())
    std::erase_if(kernels, [&](const AskedKernel& kernel) {
      return kernel.title != name && !(kernel.analysis && kernel.analysis->function == name);
    });
  if (kernels.empty())
    throw InputError(file.string(), "there is no kernel '" + name + "' in it",
                     "kernels of a data set are named application/kernel/input, those of an "
                     "analysis by apmt analyze");
  return kernels;
}

Advice advise(const LearnedModel& model, const AskedKernel& kernel) {
  const FeatureDefinitions& definitions = model.data.head.definitions;
  const std::optional<Row> x = learned_values(definitions, kernel.features);
  if (!x) {
    std::string missing;
    for (std::size_t f = 0; f < kernel.features.size(); ++f)
      if (!kernel.features[f])
        missing += (missing.empty() ? "" : ", ") + definitions.features[f].name;
    throw InputError(
        kernel.title, "features are missing: " + missing,
        "analyse the kernel with all of " + definitions.name + ", version " + definitions.version);
  }
  const AskedLesson known = known_kernels(model.data);
  const Outside outside(known.lesson.x, known.lesson.groups);
  Advice advice{.kernel = kernel.title,
                .reference = model.data.head.reference,
                .is_outside = outside.is_outside(*x),
                .distance = outside.distance(*x),
                .limit = outside.limit(),
                .speed_ups = {},
                .nearest = {}};
  if (!advice.is_outside)
    for (const LearnedQuestion& each : model.questions)
      advice.speed_ups.push_back(advice_of(each, *x));
  make_consistent(&advice.speed_ups);
  for (const auto& [distance, i] : outside.nearest(*x, kNearest)) {
    const KernelRun& run = model.data.runs[known.run_of[i]];
    advice.nearest.push_back(
        {.title = title_of(run),
         .distance = distance,
         .speed_ups = speed_ups_of(model.data, run),
         .differences = differences_of(model, outside, kernel, *x, run, known.lesson.x[i])});
  }
  return advice;
}

Json to_json(const Advice& advice) {
  Json speed_ups = Json::array();
  for (const SpeedUpAdvice& each : advice.speed_ups)
    speed_ups.push_back({{"device", each.device},
                         {"above", each.threshold},
                         {"probability", json_or_null(each.probability)},
                         {"abstains", each.abstains.empty() ? Json() : Json(each.abstains)}});
  Json nearest = Json::array();
  for (const NearKernel& near : advice.nearest) {
    Json differences = Json::array();
    for (const FeatureDifference& d : near.differences)
      differences.push_back({{"feature", d.feature},
                             {"here", d.here},
                             {"there", d.there},
                             {"standard_deviations", d.deviations}});
    nearest.push_back({{"kernel", near.title},
                       {"distance", near.distance},
                       {"speed_ups", near.speed_ups},
                       {"differences", differences}});
  }
  return {{"kernel", advice.kernel},
          {"reference", advice.reference},
          {"outside", advice.is_outside},
          {"distance", advice.distance},
          {"limit", advice.limit},
          {"speed_ups", speed_ups},
          {"nearest", nearest}};
}

}  // namespace apmt::learned
