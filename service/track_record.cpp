#include "service/track_record.h"

#include <algorithm>
#include <cmath>

#include "reports/numbers.h"

namespace apmt::service {
namespace {

constexpr double kFactors[] = {1, 2, 4, 8};

/// The index of a forecast's group. The groups are, in this order: repeats, "inside" (TrackGroup),
/// and extrapolations by ascending factors.
std::size_t group_of(const JudgedPoint& point) {
  if (point.is_repeat) return 0;
  std::size_t group = 1;
  for (const double factor : kFactors) group += point.factor > factor ? 1 : 0;
  return group;
}

double median_of(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return values.size() % 2 == 1 ? *half : (*std::max_element(values.begin(), half) + *half) / 2;
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

TrackTally::TrackTally() : groups_(2 + std::size(kFactors)) {}

void TrackTally::add(const JudgedPoint& point) {
  // A time of 0 has no relative error.
  if (!point.predicted_s || !point.measured_s || *point.measured_s <= 0) {
    ++unmeasured_;
    return;
  }
  Group& group = groups_[group_of(point)];
  group.covered += point.is_covered ? 1 : 0;
  group.claimed += point.confidence;
  group.errors.push_back(std::abs(*point.predicted_s / *point.measured_s - 1));
}

TrackRecord TrackTally::record() const {
  TrackRecord record;
  record.unmeasured = unmeasured_;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::vector<double>& errors = groups_[i].errors;
    if (errors.empty()) continue;
    TrackGroup group = empty_group(i);
    group.forecasts = static_cast<int>(errors.size());
    group.covered = groups_[i].covered;
    group.claimed = groups_[i].claimed / group.forecasts;
    group.median_error = median_of(errors);
    group.worst_error = *std::max_element(errors.begin(), errors.end());
    record.groups.push_back(group);
  }
  return record;
}

TrackRecord track_record(const std::vector<Forecast>& forecasts) {
  TrackTally tally;
  for (const Forecast& f : forecasts)
    tally.add({f.is_repeat, f.factor, f.confidence, f.is_covered, f.predicted_s, f.measured_s});
  return tally.record();
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
