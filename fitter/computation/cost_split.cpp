#include "fitter/computation/cost_split.h"

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "fitter/times/law_frame.h"

namespace apmt {
namespace {

/// If the posterior weights of all count families add up to less than this, no count explains the
/// time.
constexpr double kUnexplained = 0.01;
constexpr double kDoubtful = 0.5;
constexpr double kAlike = 1.1;  // counts whose ratio varies by less cannot be told apart

/// Whether the ratio of the two counts hardly varies over the points. If so, their costs cannot be
/// told apart.
bool grow_alike(const CountFamily& family, const std::vector<FitPoint>& points) {
  if (family.features.size() < 2) return false;
  double low = INFINITY;
  double high = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FitPoint& p = points[i];
    const double ratio = family.features[1].at_point(i, p.procs, p.work) /
                         family.features[0].at_point(i, p.procs, p.work);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  return high <= kAlike * low;
}

}  // namespace

const CountFamily* likeliest_family(const TimeLaw& law) {
  const auto best = std::ranges::max_element(law.families, {}, &CountFamily::posterior);
  return best == law.families.end() ? nullptr : &*best;
}

CostSplit cost_split(Part part, const LawOfPart& its) {
  const TimeLaw& law = *its.law;
  CostSplit split{.by = CostSplit::By::kCounts, .why_not = {}, .hint = {}, .doubt = {}};
  if (law.kind == TimeLaw::Kind::kZero) return split;
  const CountFamily* family = likeliest_family(law);
  double share = 0;  // of the posterior that all families of counts have
  for (const CountFamily& f : law.families) share += f.posterior;
  if (family == nullptr || share < kUnexplained) {
    split.by = CostSplit::By::kNobody;
    split.why_not = std::string("no message count explains the time in ") + its.words_of(part);
    split.hint = "profile at more process counts, and without other load on the machine";
    return split;
  }
  if (grow_alike(*family, law.points)) {
    split.by = CostSplit::By::kProfile;
    split.why_not = std::string("calls and bytes grow alike in these runs, so in ") +
                    its.words_of(part) + " latency and bandwidth cannot be separated";
    split.hint =
        "profile another problem size, or give the profile of the machine of the runs (apmt "
        "calibrate) with --profiled-on";
  }
  if (law.kind == TimeLaw::Kind::kRecipe && share < kDoubtful)
    split.doubt = std::string("the split of ") + its.words_of(part) +
                  " into latency and bandwidth is uncertain: message counts explain the time with "
                  "a probability of only " +
                  percent(share);
  return split;
}

std::optional<double> latency_share(Part part, const LawOfPart& its, double procs, double work) {
  const CountFamily* family = likeliest_family(*its.law);
  const CostSplit split = cost_split(part, its);
  if (family == nullptr || split.by != CostSplit::By::kCounts || !split.doubt.empty())
    return std::nullopt;
  return LawFrame(*its.law).share_of("alpha", *family, procs, work);
}

const char* origin_of_cost(const std::string& feature) {
  return feature == "alpha" ? "a call as fitted, including software and waiting" : "as fitted";
}

double fitted_cost(const TimeLaw& law, const std::string& feature) {
  const CountFamily* family = likeliest_family(law);
  if (family == nullptr) return 0;
  for (const Feature& f : family->features)
    if (f.name == feature && f.costs_something()) return f.cost;
  return 0;
}

}  // namespace apmt
