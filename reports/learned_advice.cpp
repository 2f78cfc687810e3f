// The advice about a kernel that was not ported yet.
#include <algorithm>
#include <cmath>

#include "reports/learned.h"
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

/// The devices on which a kernel was fastest.
std::string best_of(const NearKernel& near) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [device, speed_up] : near.speed_ups) order.emplace_back(-speed_up, device);
  std::sort(order.begin(), order.end());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.size() && i < kShown; ++i)
    texts.push_back(order[i].second + " " + format_factor(-order[i].first));
  return join_list(texts);
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
        near.title + ", distance " + format_significant(near.distance, 2) + ": fastest on " +
        best_of(near) +
        (differs.empty() ? "; the same features." : "; differs in " + differs + "."));
  }
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

Report make_advice_report(const Advice& advice) {
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
  report.sections.push_back(nearest_section(advice));
  if (!advice.nearest.empty() && advice.nearest.front().distance == 0)
    report.warnings.push_back(
        "The training data contain a kernel with the same features: look at its measured times.");
  return report;
}

}  // namespace apmt
