#include "bench/fitter/published.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/paths.h"

namespace apmt::bench {
namespace {

std::vector<RecipePoint> trained(const Series& s) {
  const double max_procs = s.points[kTrained - 1].procs;
  std::vector<RecipePoint> points;
  for (std::size_t i = 0; i < kTrained; ++i) {
    const double l = std::log(s.points[i].procs / max_procs);
    points.push_back(
        {.l = l, .l_procs = l, .max_procs = max_procs, .y = std::log(s.points[i].time_s)});
  }
  return points;
}

RecipeTarget target(double procs, double max_procs) {
  const double l = std::log(procs / max_procs);
  return {.l = l, .l_procs = l, .max_procs = max_procs, .distance = l, .counts = {}};
}

}  // namespace

/// The file has the columns series,set,variant,procs,time_s,runs.
std::vector<Series> published_series(const std::string& set) {
  const auto file = std::filesystem::path(source_dir()) / "bench" / "series" / "series.csv";
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<Series> all;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::vector<std::string> cell(6);
    for (std::string& c : cell) std::getline(cells, c, ',');
    if (set != "all" && cell[1].find(set) == std::string::npos) continue;
    if (all.empty() || all.back().name != cell[0]) all.push_back({cell[0], cell[1], {}});
    all.back().points.push_back({std::stoi(cell[3]), std::stod(cell[4])});
  }
  if (all.empty()) throw std::runtime_error("no series of set " + set + " in " + file.string());
  std::sort(all.begin(), all.end(),
            [](const Series& a, const Series& b) { return a.name < b.name; });
  return all;
}

std::vector<Point> asked(const Series& series, std::size_t trained) {
  if (series.points.size() <= trained) return {};
  std::vector<Point> points(series.points.begin() + static_cast<std::ptrdiff_t>(trained),
                            series.points.end());
  const double farthest = kFarthest * series.points[trained - 1].procs;
  std::erase_if(points, [&](const Point& p) { return p.procs > farthest; });
  return points;
}

RecipeOfTotal::RecipeOfTotal(const Series& series, const RecipePriors& priors)
    : max_procs_(series.points[kTrained - 1].procs),
      nodes_(RecipePosterior(trained(series), priors, priors.noise),
             target(RecipeNodes::kFarAhead * max_procs_, max_procs_)) {}

Draws RecipeOfTotal::at(double procs) const {
  return nodes_.draw(target(procs, max_procs_), draw_places(0, 0));
}

}  // namespace apmt::bench
