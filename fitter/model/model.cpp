#include "fitter/model/model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/words.h"

namespace apmt {

bool knows_only_wholes(const Model& model) {
  return model.grade == Grade::kD && model.counts.empty();
}

std::string coverage_warning(const FitSummary& summary) {
  constexpr double kLowCoverage = 0.8;
  if (summary.functions == 0 || summary.min_coverage >= kLowCoverage) return {};
  return "coverage is low: only " + percent(summary.min_coverage) +
         " of compute time is in kernels that have their own law; apmt fit with a lower "
         "--threshold gives more kernels one";
}

double OwnCalls::share(const std::string& part, const std::string& group) const {
  for (const Share& s : shares)
    if (s.part == part && s.group == group) return s.share;
  return 0;
}

std::optional<double> Model::one_sample_s(int procs) const {
  const ModelPoint* nearest = nullptr;
  for (const ModelPoint& point : points) {
    const auto distance = [&](const ModelPoint* p) { return std::abs(p->procs - procs); };
    if (!point.parts.one_sample_s()) continue;
    if (nearest == nullptr || distance(&point) < distance(nearest)) nearest = &point;
  }
  return nearest == nullptr ? std::nullopt : nearest->parts.one_sample_s();
}

int Model::max_procs() const {
  int procs = 0;
  for (const ModelPoint& p : points) procs = std::max(procs, p.procs);
  return procs;
}

int Model::min_procs() const {
  int procs = max_procs();
  for (const ModelPoint& p : points) procs = std::min(procs, p.procs);
  return procs;
}

std::vector<int> Model::process_counts() const {
  std::set<int> distinct;
  for (const ModelPoint& p : points) distinct.insert(p.procs);
  return {distinct.begin(), distinct.end()};
}

std::vector<FitPoint> Model::comm_points(const std::string& part) const {
  std::vector<FitPoint> sums;
  for (const CommModel& c : comm) {
    if (c.part != part) continue;
    if (sums.empty()) {
      sums = c.points;
      continue;
    }
    // The groups of a part have the same points.
    for (std::size_t i = 0; i < std::min(sums.size(), c.points.size()); ++i) {
      const double sum = sums[i].value + c.points[i].value;
      if (sum > 0)
        sums[i].rel_sigma = std::hypot(sums[i].rel_sigma * sums[i].value,
                                       c.points[i].rel_sigma * c.points[i].value) /
                            sum;
      sums[i].value = sum;
    }
  }
  return sums;
}

}  // namespace apmt
