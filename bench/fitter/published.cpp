#include "bench/fitter/published.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace apmt::bench {

/// series,set,variant,procs,time_s,runs
std::map<std::string, Series> published_series() {
  const auto file = std::filesystem::path(APMT_SOURCE_DIR) / "bench" / "series" / "series.csv";
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::map<std::string, Series> all;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::vector<std::string> cell(6);
    for (std::string& c : cell) std::getline(cells, c, ',');
    Series& s = all[cell[0]];
    s.set = cell[1];
    s.points.push_back({std::stoi(cell[3]), std::stod(cell[4])});
  }
  if (all.empty()) throw std::runtime_error("no series in " + file.string());
  return all;
}

}  // namespace apmt::bench
