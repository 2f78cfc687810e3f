#include "service/track_record.h"

#include <algorithm>
#include <cmath>

#include "reports/numbers.h"

namespace apmt::service {
namespace {

constexpr double kFactors[] = {1, 2, 4, 8};

/// The position of a forecast's group: repeats, inside, then extrapolations by their factors.
std::size_t group_of(const Forecast& forecast) {
  if (forecast.is_repeat) return 0;
  std::size_t group = 1;
  for (const double factor : kFactors) group += forecast.factor > factor ? 1 : 0;
  return group;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

TrackGroup empty_group(std::size_t position) {
  if (position == 0) return {.kind = "repeat"};
  if (position == 1) return {.kind = "inside"};
  TrackGroup group{.kind = "extrapolation"};
  group.above = kFactors[position - 2];
  if (position - 1 < std::size(kFactors)) group.up_to = kFactors[position - 1];
  return group;
}

}  // namespace

TrackRecord track_record(const std::vector<Forecast>& forecasts) {
  TrackRecord record;
  std::vector<std::vector<const Forecast*>> groups(2 + std::size(kFactors));
  for (const Forecast& forecast : forecasts) {
    if (forecast.measured_s && forecast.predicted_s)
      groups[group_of(forecast)].push_back(&forecast);
    else
      ++record.unmeasured;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) continue;
    TrackGroup group = empty_group(i);
    std::vector<double> errors;
    for (const Forecast* f : groups[i]) {
      ++group.forecasts;
      group.covered += f->is_covered ? 1 : 0;
      group.claimed += f->confidence;
      errors.push_back(std::abs(*f->predicted_s / *f->measured_s - 1));
    }
    group.claimed /= group.forecasts;
    group.median_error = median_of(errors);
    group.worst_error = *std::max_element(errors.begin(), errors.end());
    record.groups.push_back(group);
  }
  return record;
}

Json to_json(const TrackRecord& record) {
  Json groups = Json::array();
  for (const TrackGroup& g : record.groups)
    groups.push_back({{"kind", g.kind},
                      {"factor_above", g.above > 0 ? Json(g.above) : Json()},
                      {"factor_up_to", g.up_to > 0 ? Json(g.up_to) : Json()},
                      {"forecasts", g.forecasts},
                      {"covered", g.covered},
                      {"claimed_coverage", g.claimed},
                      {"observed_coverage", static_cast<double>(g.covered) / g.forecasts},
                      {"median_error", g.median_error},
                      {"worst_error", g.worst_error}});
  return {{"groups", std::move(groups)}, {"unmeasured", record.unmeasured}};
}

std::string words(const TrackGroup& group) {
  if (group.kind == "repeat") return "repeats of a fitted point";
  if (group.kind == "inside") return "new points up to the largest fitted count";
  if (group.up_to > 0)
    return format_number(group.above) + " to " + format_number(group.up_to) +
           " times the largest fitted count";
  return "more than " + format_number(group.above) + " times the largest fitted count";
}

}  // namespace apmt::service
