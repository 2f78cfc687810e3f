// The published series of bench/series.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace apmt::bench {

constexpr std::size_t kTrained = 3;  // the smallest process counts of each
constexpr double kFarthest = 16;     // times the largest of these is the last that is asked

struct Point {
  int procs;
  double time_s;
};

struct Series {
  std::string set;  // "development" or "held-out"
  std::vector<Point> points;
};

std::map<std::string, Series> published_series();

}  // namespace apmt::bench
