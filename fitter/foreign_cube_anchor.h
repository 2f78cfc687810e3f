// What anchor.xml of a Cube profile says: metrics, call tree, and the processes with their threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace apmt {

struct CubeMetric {
  std::string id;         // of its files
  std::string name;       // "time"
  std::string type;       // as the file says it
  std::size_t bytes = 0;  // of a value; 0: a type that is not a number
  bool is_integer = false;
  bool is_inclusive = false;  // of a call path with what it called
};

struct CubePath {
  std::string region;
  std::optional<std::size_t> parent;  // in CubeAnchor::paths
  std::vector<std::size_t> children;
};

/// A thread of a process, or something else that has values.
struct CubeLocation {
  std::size_t group = 0;
  bool is_of_process = false;
};

struct CubeAnchor {
  std::vector<CubeMetric> metrics;
  std::vector<CubePath> paths;  // as the file lists them: parents before their children
  std::vector<CubeLocation> locations;

  /// The call path that each number in a metric's index means: depth first for exclusive metrics,
  /// all children of one before their children for inclusive ones.
  std::vector<std::size_t> order_of(const CubeMetric& metric) const;
};

/// Throws InputError naming file and line.
CubeAnchor read_cube_anchor(const std::string& xml, const std::string& file);

}  // namespace apmt
