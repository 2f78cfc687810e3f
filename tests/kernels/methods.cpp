#include "methods.h"

// The called methods are known only after the loop over them is unrolled, late in the compiler's
// pipeline.
double sum(Field& field, int n, int parts) {
  double& (Field::* methods[3])(int) = {&Field::at, &Field::last, &Field::at};
  int offsets[3] = {0, 0, 0};
  double total = 0;
  for (int part = 0; part < parts; ++part)
    for (int m = 0; m < 3; ++m) {
      double& (Field::*method)(int) = methods[m];
      for (int i = 0; i < n; ++i) total += (field.*method)(offsets[m] + i);
      offsets[m] += n;
    }
  return total;
}
