// Reads what the tables of law_fields.h cannot say, and checks it.
#include <algorithm>

#include "fitter/laws/law_fields.h"

namespace apmt {

Json ways_to_json(const MemorySplit& split) {
  Json ways = Json::array();
  for (const MemorySplit::Costs& c : split.ways)
    ways.push_back({c.core_s, c.blocked, c.streamed, c.exposed, c.fits_below});
  return ways;
}

Json sharing_to_json(const MemorySplit& split) {
  Json sharing = Json::array();
  for (const auto& [procs, factor] : split.sharing) sharing.push_back({procs, factor});
  return sharing;
}

void finish_reading(const JsonAt& json, MemorySplit& split) {
  json.at("ways").for_each([&](const JsonAt& way) {
    const std::vector<double> costs = way.non_negative_numbers();
    if (costs.size() != 5)
      way.fail("four costs, and the work per process below which data fit into caches");
    split.ways.push_back({costs[0], costs[1], costs[2], costs[3], costs[4]});
  });
  if (split.ways.empty()) json.at("ways").fail("at least one");
  json.at("sharing").for_each([&](const JsonAt& at) {
    const std::vector<double> pair = at.non_negative_numbers();
    const double before = split.sharing.empty() ? 0 : split.sharing.rbegin()->first;
    if (pair.size() != 2 || !(pair[0] > before))
      at.fail("a process count and a factor, in increasing order");
    split.sharing[pair[0]] = pair[1];
  });
}

void finish_reading(const JsonAt& json, const TimeLaw& law) {
  for (const CountFamily& family : law.families) {
    if (family.features.empty() || family.features.size() > 2)
      json.at("families").fail("one or two features");
    for (const Feature& f : family.features)
      if (!f.seen.empty() && f.seen.size() != law.points.size())
        json.at("families").fail("as many counts in 'seen' as the law has points");
  }
  if (law.kind != TimeLaw::Kind::kZero && law.points.empty())
    json.at("points").fail("at least one point");
  if (law.kind == TimeLaw::Kind::kRecipe &&
      std::ranges::any_of(law.points, [](const FitPoint& p) { return p.value == 0; }))
    json.at("points").fail("positive times");
  if (law.kind == TimeLaw::Kind::kExact && law.exact.hypotheses.empty())
    json.at("exact").fail("at least one law");
  if (law.kind == TimeLaw::Kind::kUnitCosts && law.families.empty())
    json.at("families").fail("at least one family of counts");
}

}  // namespace apmt
