#include "cli/size_lists.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <set>

#include "base/input_error.h"
#include "base/listed.h"
#include "cli/verbs.h"
#include "fitter/runs/point_words.h"
#include "fitter/runs/work.h"

namespace apmt {
namespace {

/// The factor by which all sizes in `work` must grow to make `work` `ratio` times as large.
double growth(const WorkExpression& work, const std::map<std::string, double>& sizes,
              double ratio) {
  const double target = ratio * work.value(sizes);
  double low = 0;  // bounds of ln s, where s is the factor
  double high = std::log(ratio);
  const auto work_at = [&](double ln_s) {
    std::map<std::string, double> grown = sizes;
    for (const std::string& name : work.names()) grown[name] *= std::exp(ln_s);
    return work.value(grown);
  };
  for (int i = 0; i < 8 && work_at(high) < target; ++i) high *= 2;
  if (work_at(high) < target)
    throw InputError("--work", "'" + work.text() + "' does not grow with its sizes");
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (work_at(middle) < target ? low : high) = middle;
  }
  return std::exp(high);
}

std::string number_text(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

}  // namespace

std::map<std::string, std::vector<SizeValue>> parse_size_lists(
    const std::vector<std::string>& items) {
  std::map<std::string, std::vector<SizeValue>> lists;
  for (const std::string& item : items) {
    std::string name;
    for (std::size_t at = 0; at <= item.size();) {
      const std::size_t end = std::min(item.find(',', at), item.size());
      std::string value = item.substr(at, end - at);
      const std::size_t equals = value.find('=');
      if (equals != std::string::npos) {
        name = value.substr(0, equals);
        value = value.substr(equals + 1);
      }
      const double number = parse_sizes({name + "=" + value}).at(name);
      if (name == "p") throw InputError("--set", "p is the process count", "give it with --procs");
      lists[name].push_back({value, number});
      at = end + 1;
    }
  }
  return lists;
}

std::vector<CampaignPoint> campaign_points(
    const std::vector<int>& procs, const std::map<std::string, std::vector<SizeValue>>& sizes) {
  std::vector<std::map<std::string, SizeValue>> combinations = {{}};
  for (const auto& [name, values] : sizes) {
    std::vector<std::map<std::string, SizeValue>> next;
    for (const auto& before : combinations)
      for (const SizeValue& value : values) {
        next.push_back(before);
        next.back()[name] = value;
      }
    combinations = std::move(next);
  }
  std::vector<CampaignPoint> points;
  for (const auto& combination : combinations) {
    std::set<int> added;  // a count that was given twice is one point
    for (const int count : procs)
      if (added.insert(count).second) points.push_back({count, combination});
  }
  return points;
}

void scale_weakly(const std::string& work, std::vector<CampaignPoint>* points) {
  if (points->empty()) return;
  if (points->front().sizes.empty()) {
    if (!work.empty())
      throw InputError("--work", "no size is given on which the work could depend",
                       "name it, and put it into the command: --set n=1000 ... ./app {n}");
    for (CampaignPoint& point : *points)
      point.sizes[kWorkOfProcesses] = {std::to_string(point.procs),
                                       static_cast<double>(point.procs)};
    return;
  }
  const WorkExpression expression(work.empty() ? listed(points->front().sizes, "*") : work);
  const int smallest =
      std::min_element(points->begin(), points->end(), [](const auto& a, const auto& b) {
        return a.procs < b.procs;
      })->procs;
  for (CampaignPoint& point : *points) {
    if (point.procs == smallest) continue;
    const double s =
        growth(expression, point.params(), static_cast<double>(point.procs) / smallest);
    for (auto& [name, size] : point.sizes) {
      if (!expression.names().contains(name)) continue;
      const bool is_whole = size.value == std::round(size.value);
      size.value = is_whole ? std::round(size.value * s) : size.value * s;
      size.text = number_text(size.value);
    }
  }
}

std::string assumed_work(const std::vector<CampaignPoint>& points) {
  std::string where;
  int counts = 0;
  for (const CampaignPoint& point : points) {
    if (point.sizes.empty() || point.sizes.contains(kWorkOfProcesses)) return {};
    // Other combinations of sizes follow; one shows how they grow.
    if (counts > 0 && point.procs == points.front().procs) break;
    where += (counts++ > 0 ? "; " : "") + sizes_words(point.params()) +
             " at P = " + std::to_string(point.procs);
  }
  if (counts < 2) return {};
  const std::string name = std::prev(points.front().sizes.end())->first;
  return "without --work, the work is taken as " + listed(points.front().sizes, " * ") +
         ", and weak scaling keeps it per process (" + where +
         "); if the work grows otherwise, name it, for example --work '" + name + "^2'";
}

}  // namespace apmt
