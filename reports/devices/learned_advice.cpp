// The report of `apmt advise`: on which devices a kernel that has not been ported is likely to be
// faster than on the reference device.
#include <algorithm>
#include <cmath>

#include "reports/devices/learned.h"
#include "reports/devices/match.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using learned::Advice;
using learned::NearKernel;
using learned::SpeedUpAdvice;

std::string probability_text(const SpeedUpAdvice& each) {
  return each.probability ? format_share(*each.probability) : "abstains";
}

ReportTable probabilities_table(const Advice& advice) {
  ReportTable table{.id = "probabilities",
                    .caption = "Probability of a speed-up over " + advice.reference};
  table.columns = {{.id = "device", .title = "device", .is_code = true}};
  std::vector<std::string> devices;
  for (const SpeedUpAdvice& each : advice.speed_ups) {
    const std::string title = "above " + format_number(each.threshold);
    if (std::none_of(table.columns.begin(), table.columns.end(),
                     [&](const ReportColumn& column) { return column.title == title; }))
      table.columns.push_back({.id = title, .title = title});
    if (std::find(devices.begin(), devices.end(), each.device) == devices.end())
      devices.push_back(each.device);
  }
  for (const std::string& device : devices) {
    ReportRow row{.cells = {{.text = device}}};
    for (const SpeedUpAdvice& each : advice.speed_ups)
      if (each.device == device)
        row.cells.push_back({.text = probability_text(each), .value = each.probability});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The devices on which the known kernel was faster than on the reference, or the one that came
/// closest.
std::string best_of(const NearKernel& near, const std::string& reference) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [device, speed_up] : near.speed_ups) order.emplace_back(-speed_up, device);
  if (order.empty()) return "measured on no device but " + reference;
  std::sort(order.begin(), order.end());
  const auto text_of = [](const std::pair<double, std::string>& each) {
    return each.second + " " + format_factor(-each.first);
  };
  if (-order.front().first <= 1)
    return "on no device faster than on " + reference + " (best: " + text_of(order.front()) + ")";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.size() && i < kShown && -order[i].first > 1; ++i)
    texts.push_back(text_of(order[i]));
  return "fastest on " + join_list(texts);
}

std::string differences_of(const NearKernel& near) {
  std::vector<std::string> texts;
  for (const learned::FeatureDifference& each : near.differences)
    texts.push_back(each.feature + " (" + format_significant(each.here) + ", not " +
                    format_significant(each.there) + ")");
  return join_list(texts);
}

ReportSection nearest_section(const Advice& advice) {
  ReportSection section{.id = "nearest", .title = "Nearest known kernels"};
  for (const NearKernel& near : advice.nearest) {
    const std::string differs = differences_of(near);
    section.sentences.push_back(
        near.title + ", distance " + format_significant(near.distance, 2) + ": " +
        best_of(near, advice.reference) +
        (differs.empty() ? "; the same features." : "; differs in " + differs + "."));
  }
  return section;
}

const learned::DeviceComparison* comparison_on(const learned::Comparison& comparison,
                                               const std::string& device) {
  for (const learned::DeviceComparison& each : comparison.devices)
    if (each.device == device) return &each;
  return nullptr;
}

std::string learned_text(const learned::DeviceComparison& on) {
  if (!on.is_compared) return "none";
  if (!on.disagreement) return "agrees";
  return "differs: " + format_share(on.disagreement->probability) + " above " +
         format_number(on.disagreement->threshold);
}

ReportTable analytical_table(const Advice& advice, const learned::Comparison& comparison) {
  ReportTable table{.id = "analytical",
                    .caption = "At the best that a port can reach (apmt match)"};
  table.columns = {
      {.id = "device", .title = "device", .is_code = true},
      {.id = "time", .title = "time", .quantity = Quantity::kSeconds, .source = Source::kDerived},
      {.id = "speed-up",
       .title = "speed-up",
       .quantity = Quantity::kFactor,
       .source = Source::kDerived},
      {.id = "bottleneck", .title = "bound by"},
      {.id = "learned", .title = "learned answer"}};
  for (const devices::DevicePrediction& each : comparison.match->predictions) {
    if (!each.time) continue;
    const learned::DeviceComparison* compared = comparison_on(comparison, each.device);
    ReportRow row{.cells = {{.text = each.device},
                            {.value = each.time->total_s},
                            {},
                            {.text = each.time->bottleneck()},
                            {.text = each.device == advice.reference ? "reference" : "none"}}};
    if (compared != nullptr) {
      row.cells[2].value = compared->speed_up;
      row.cells[4].text = learned_text(*compared);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Devices on which the learned and the analytical answer differ in the same way and for the same
/// reasons.
using Differing = std::vector<const learned::DeviceComparison*>;

bool differ_alike(const learned::Comparison& comparison, const learned::DeviceComparison& a,
                  const learned::DeviceComparison& b) {
  const auto same_feature = [](const learned::FeatureEffect& x, const learned::FeatureEffect& y) {
    return x.feature == y.feature;
  };
  const auto bound_of = [&](const learned::DeviceComparison& on) {
    return comparison.prediction(on.device)->time->bottleneck();
  };
  const learned::Disagreement &x = *a.disagreement, &y = *b.disagreement;
  return x.threshold == y.threshold && x.is_above() == y.is_above() && bound_of(a) == bound_of(b) &&
         std::equal(x.causes.begin(), x.causes.end(), y.causes.begin(), y.causes.end(),
                    same_feature);
}

std::vector<Differing> differing_groups(const learned::Comparison& comparison) {
  std::vector<Differing> groups;
  for (const learned::DeviceComparison& each : comparison.devices) {
    if (!each.disagreement) continue;
    const auto alike = std::find_if(groups.begin(), groups.end(), [&](const Differing& group) {
      return differ_alike(comparison, *group.front(), each);
    });
    if (alike == groups.end())
      groups.push_back({&each});
    else
      alike->push_back(&each);
  }
  return groups;
}

/// Explains why the answers differ: what bounds the time according to `apmt match`, and which
/// features determine the learned answer.
std::string disagreement_text(const Advice& advice, const learned::Comparison& comparison,
                              const Differing& group) {
  const std::string& first = group.front()->device;
  const learned::Disagreement& differs = *group.front()->disagreement;
  std::vector<std::string> devices;
  for (const learned::DeviceComparison* each : group) devices.push_back(each->device);
  std::string text = "On " + join_list(devices) + ", a speed-up above " +
                     format_number(differs.threshold) + " is " +
                     (differs.is_above() ? "likely by the learned answer but not possible by match"
                                         : "possible by match but unlikely by the learned answer") +
                     ". match: bound by " + comparison.prediction(first)->time->bottleneck() +
                     " there and by " +
                     comparison.prediction(advice.reference)->time->bottleneck() + " on " +
                     advice.reference + ". ";
  if (differs.causes.empty()) return text + "No feature alone makes the learned answer.";
  std::vector<std::string> causes;
  for (const learned::FeatureEffect& cause : differs.causes)
    causes.push_back(cause.feature + " (" + format_significant(cause.here) + "; with the median, " +
                     format_significant(cause.typical) + ", the probability on " + first +
                     " would be " + format_share(cause.probability) + ", not " +
                     format_share(differs.probability) + ")");
  return text + "The learned answer follows from " + join_list(causes) + ".";
}

ReportSection analytical_section(const Advice& advice, const learned::Comparison& comparison) {
  ReportSection section{.id = "analytical", .title = "Analytical answer"};
  if (!comparison.why_not.empty()) {
    section.sentences.push_back("There is none: " + comparison.why_not + ".");
    return section;
  }
  const std::vector<Differing> groups = differing_groups(comparison);
  if (!groups.empty())
    section.sentences.push_back(
        "match gives the time of the best possible port, and the learned answer comes from "
        "measured "
        "ports.");
  for (const Differing& group : groups)
    section.sentences.push_back(disagreement_text(advice, comparison, group));
  if (!comparison.why_no_speed_ups.empty())
    section.sentences.push_back("There are no speed-ups: " + comparison.why_no_speed_ups + ".");
  if (!comparison.without_card.empty())
    section.sentences.push_back("No card: " + join_list(comparison.without_card) +
                                " (--card DEVICE=CARD names one).");
  for (std::string& gap : gaps_of(*comparison.match)) section.sentences.push_back(std::move(gap));
  if (comparison.match->timed() > 0) section.tables.push_back(analytical_table(advice, comparison));
  return section;
}

std::string headline_of(const Advice& advice) {
  if (advice.is_outside)
    return advice.kernel +
           " is outside what was learned: its distance from the nearest kernel is " +
           format_significant(advice.distance, 2) + ", and the limit " +
           format_significant(advice.limit, 2) + ".";
  const SpeedUpAdvice* likeliest = nullptr;
  for (const SpeedUpAdvice& each : advice.speed_ups)
    if (each.threshold == 1 && each.probability &&
        (likeliest == nullptr || *each.probability > *likeliest->probability))
      likeliest = &each;
  if (likeliest == nullptr)
    return "No answer for " + advice.kernel +
           ": for applications that were not learned from, no probability of a speed-up is better "
           "than the base rate.";
  if (*likeliest->probability < 0.5)
    return "No device is likely to run " + advice.kernel + " faster than " + advice.reference +
           ": the highest probability is " + format_share(*likeliest->probability) + ", on " +
           likeliest->device + ".";
  return advice.kernel + " is faster than on " + advice.reference +
         " with the highest probability on " + likeliest->device + ": " +
         format_share(*likeliest->probability) + ".";
}

}  // namespace

Report make_advice_report(const Advice& advice, const learned::Comparison& comparison) {
  Report report;
  report.title = advice.kernel;
  report.headline = headline_of(advice);
  if (!advice.speed_ups.empty())
    report.sections.push_back({.id = "speed-ups",
                               .title = "Speed-ups",
                               .sentences = {},
                               .tables = {probabilities_table(advice)}});
  const auto abstained = std::count_if(advice.speed_ups.begin(), advice.speed_ups.end(),
                                       [](const SpeedUpAdvice& each) { return !each.probability; });
  if (abstained > 0)
    report.reasons.push_back(
        "apmt abstains from " + plural(static_cast<double>(abstained), "question", "questions") +
        ": for applications left out of the training, its answers were no better than "
        "the base rate, or nothing could be learned.");
  report.sections.push_back(analytical_section(advice, comparison));
  report.sections.push_back(nearest_section(advice));
  if (!advice.nearest.empty() && advice.nearest.front().distance == 0)
    report.warnings.push_back(
        "The training data contain a kernel with the same features: look at its measured times.");
  return report;
}

}  // namespace apmt
