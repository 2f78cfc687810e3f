#include "base/process_grid.h"

namespace apmt {

std::array<int, 3> process_grid(int procs, int dimensions) {
  std::array<int, 3> best = {procs, 1, 1};
  if (dimensions == 2) {
    for (int a = 1; a * a <= procs; ++a)
      if (procs % a == 0) best = {procs / a, a, 1};
    return best;
  }
  // Chooses the a x b x c grid with the smallest sum a + b + c, which is the one closest to a cube.
  // If a cube is cut into one block for each process, this sum is proportional to the surface of
  // one block.
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

}  // namespace apmt
