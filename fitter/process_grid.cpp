#include "fitter/process_grid.h"

#include <cmath>

namespace apmt {

std::array<int, 3> process_grid(int procs, int dimensions) {
  std::array<int, 3> best = {procs, 1, 1};
  if (dimensions == 2) {
    for (int a = 1; a * a <= procs; ++a)
      if (procs % a == 0) best = {procs / a, a, 1};
    return best;
  }
  // Smallest surface wins: the most cubic grid.
  long best_surface = -1;
  for (int a = 1; a <= procs / a / a; ++a) {
    if (procs % a != 0) continue;
    const int rest = procs / a;
    for (int b = a; b <= rest / b; ++b) {
      if (rest % b != 0) continue;
      const int c = rest / b;
      const long surface = long{a} + b + c;
      if (best_surface < 0 || surface < best_surface) {
        best_surface = surface;
        best = {c, b, a};
      }
    }
  }
  return best;
}

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
    case GridShape::kAround3:  // z is 1 in two dimensions
      return (3 * x - 2) * (3 * y - 2) * (3 * z - 2);
    case GridShape::kNone:
      break;
  }
  return 1;
}

}  // namespace apmt
