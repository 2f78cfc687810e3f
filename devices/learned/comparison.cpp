#include "devices/learned/comparison.h"

#include <algorithm>
#include <cmath>

namespace apmt::learned {
namespace {

constexpr std::size_t kCauses = 3;
constexpr double kLeastEffect = 0.05;  // least change of a probability that is shown

std::optional<double> median_of(const DataSet& data, std::size_t feature) {
  std::vector<double> values;
  for (const KernelRun& run : data.runs)
    if (run.features[feature]) values.push_back(*run.features[feature]);
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double probability_of(const LearnedQuestion& each, const Row& x) {
  return each.trained->probabilities(each.trained->answer(x))[1];
}

/// The features that matter most: each feature alone is replaced by its median in the training
/// data, and those that move the probability furthest towards the analytical answer are returned.
std::vector<FeatureEffect> causes_of(const LearnedModel& model, const LearnedQuestion& each,
                                     const AskedKernel& kernel, bool is_faster) {
  const FeatureDefinitions& definitions = model.data.head.definitions;
  const double now = probability_of(each, *learned_values(definitions, kernel.features));
  std::vector<FeatureEffect> effects;
  for (std::size_t f = 0; f < definitions.features.size(); ++f) {
    const std::optional<double> typical = median_of(model.data, f);
    if (!typical || *typical == *kernel.features[f]) continue;
    std::vector<std::optional<double>> changed = kernel.features;
    changed[f] = typical;
    const double then = probability_of(each, *learned_values(definitions, changed));
    if ((is_faster ? then - now : now - then) >= kLeastEffect)
      effects.push_back({definitions.features[f].name, *kernel.features[f], *typical, then});
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [now](const FeatureEffect& a, const FeatureEffect& b) {
                     return std::abs(a.probability - now) > std::abs(b.probability - now);
                   });
  if (effects.size() > kCauses) effects.resize(kCauses);
  return effects;
}

DeviceComparison compare_on(const LearnedModel& model, const AskedKernel& kernel,
                            const Advice& advice, const std::string& device, double speed_up) {
  DeviceComparison out{.device = device, .speed_up = speed_up};
  for (const SpeedUpAdvice& learned : advice.speed_ups) {
    if (learned.device != device || !learned.probability) continue;
    out.is_compared = true;
    const bool is_faster = speed_up > learned.threshold;
    if (is_faster == (*learned.probability >= 0.5)) continue;
    if (out.disagreement && out.disagreement->threshold <= learned.threshold) continue;
    for (const LearnedQuestion& each : model.questions)
      if (each.question.device == device && each.question.threshold == learned.threshold)
        out.disagreement = Disagreement{learned.threshold, *learned.probability,
                                        causes_of(model, each, kernel, is_faster)};
  }
  return out;
}

Json json_of(const Comparison& comparison, const devices::DevicePrediction& prediction) {
  const auto compared =
      std::find_if(comparison.devices.begin(), comparison.devices.end(),
                   [&](const DeviceComparison& c) { return c.device == prediction.device; });
  Json speed_up, agrees, disagreement;
  if (compared != comparison.devices.end()) {
    speed_up = compared->speed_up;
    if (compared->is_compared) agrees = !compared->disagreement;
    if (const auto& differs = compared->disagreement) {
      Json causes = Json::array();
      for (const FeatureEffect& cause : differs->causes)
        causes.push_back({{"feature", cause.feature},
                          {"here", cause.here},
                          {"typical", cause.typical},
                          {"probability", cause.probability}});
      disagreement = {
          {"above", differs->threshold}, {"probability", differs->probability}, {"causes", causes}};
    }
  }
  return {{"device", prediction.device},
          {"seconds", prediction.time ? Json(prediction.time->total_s) : Json()},
          {"bottleneck", prediction.time ? Json(prediction.time->bottleneck()) : Json()},
          {"speed_up", speed_up},
          {"why_not", prediction.why_not.empty() ? Json() : Json(prediction.why_not)},
          {"notes", prediction.notes},
          {"agrees", agrees},
          {"disagreement", disagreement}};
}

}  // namespace

const devices::DevicePrediction* Comparison::prediction(const std::string& device) const {
  if (match)
    for (const devices::DevicePrediction& each : match->predictions)
      if (each.device == device && each.time) return &each;
  return nullptr;
}

Comparison compare(const LearnedModel& model, const AskedKernel& kernel, const Advice& advice,
                   const Cards& cards) {
  Comparison out;
  if (!kernel.analysis) {
    out.why_not = "the file has features only; match needs an analysis of apmt analyze";
    return out;
  }
  std::vector<devices::Device> known;
  for (const KnownDevice& device : model.data.head.devices) {
    const auto card = cards.find(device.name);
    if (card == cards.end()) {
      out.without_card.push_back(device.name);
      continue;
    }
    known.push_back(card->second);
    known.back().label = device.name;
  }
  if (known.empty()) {
    out.why_not = "no device of the model has a card";
    return out;
  }
  kernels::Analysis analysis;
  analysis.kernels.push_back(*kernel.analysis);
  out.match = devices::match(analysis, known, {}).kernels.front();
  const devices::DevicePrediction* reference = out.prediction(advice.reference);
  if (reference == nullptr) {
    out.why_no_speed_ups = cards.contains(advice.reference)
                               ? "match has no time for the reference, " + advice.reference
                               : "the reference, " + advice.reference + ", has no card";
    return out;
  }
  if (!reference->lacks.empty()) {
    out.why_no_speed_ups = "match's time on the reference, " + advice.reference +
                           ", lacks the cost of " + reference->lacks + ", which may be much of it";
    return out;
  }
  for (const devices::DevicePrediction& each : out.match->predictions)
    if (each.time && each.lacks.empty() && each.device != advice.reference)
      out.devices.push_back(compare_on(model, kernel, advice, each.device,
                                       reference->time->total_s / each.time->total_s));
  return out;
}

Json to_json(const Comparison& comparison) {
  Json all = Json::array();
  if (comparison.match)
    for (const devices::DevicePrediction& each : comparison.match->predictions)
      all.push_back(json_of(comparison, each));
  const auto text = [](const std::string& words) { return words.empty() ? Json() : Json(words); };
  return {{"why_not", text(comparison.why_not)},
          {"why_no_speed_ups", text(comparison.why_no_speed_ups)},
          {"without_card", comparison.without_card},
          {"devices", all}};
}

}  // namespace apmt::learned
