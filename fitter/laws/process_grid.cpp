#include "fitter/laws/process_grid.h"

#include <cmath>

namespace apmt {

double grid_shape(GridShape shape, double procs) {
  const bool whole = procs == std::floor(procs) && procs >= 1 && procs <= 1e9;
  const int dimensions = shape == GridShape::kSides2 || shape == GridShape::kAround2 ? 2 : 3;
  double x = std::pow(procs, 1.0 / dimensions);
  double y = x;
  double z = dimensions == 3 ? x : 1;
  if (whole) {
    const std::array<int, 3> g = process_grid(static_cast<int>(procs), dimensions);
    x = g[0];
    y = g[1];
    z = g[2];
  }
  switch (shape) {
    case GridShape::kSides2:
      return x + y;
    case GridShape::kSides3:
      return x + y + z;
    case GridShape::kFaces3:
      return x * y + y * z + x * z;
    case GridShape::kAround2:
    case GridShape::kAround3:  // in two dimensions z is 1
      return (3 * x - 2) * (3 * y - 2) * (3 * z - 2);
    case GridShape::kNone:
      break;
  }
  return 1;
}

}  // namespace apmt
