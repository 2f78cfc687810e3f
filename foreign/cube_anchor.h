// The content of a Cube profile's anchor.xml: metrics, call tree, processes with their threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct CubeMetric {
  std::string id;         // names the metric's files
  std::string name;       // "time"
  std::string type;       // as in the file
  std::size_t bytes = 0;  // size of a value; 0: its type is not a number
  bool is_integer = false;
  bool is_inclusive = false;  // a value includes the call paths below
};

struct CubePath {
  std::string region;
  std::optional<std::size_t> parent;  // in CubeAnchor::paths
  std::vector<std::size_t> children;
};

/// A thread of a process, or anything else that has values.
struct CubeLocation {
  std::size_t group = 0;
  bool is_of_process = false;
};

struct CubeAnchor {
  std::vector<CubeMetric> metrics;
  std::vector<CubePath> paths;  // in the file's order: parents precede children
  std::vector<CubeLocation> locations;

  /// For each number in a metric's index, the call path (position in `paths`) that it refers to. In
  /// exclusive metrics, call paths are numbered depth first. In inclusive ones, the children of a
  /// path have consecutive numbers, before all paths below these children.
  std::vector<std::size_t> order_of(const CubeMetric& metric) const;
};

/// Throws InputError that names file and line.
CubeAnchor read_cube_anchor(const std::string& xml, const std::string& file);

}  // namespace apmt
