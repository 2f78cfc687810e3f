// A loop that four threads share: each runs a part of one kernel.
#include <stdio.h>

static double from[4000], to[4000];

__attribute__((noinline)) static void scale(int n) {
#pragma omp parallel for num_threads(4) schedule(static)
  for (int i = 0; i < n; ++i) to[i] = 3 * from[i];
}

int main(void) {
  for (int i = 0; i < 4000; ++i) from[i] = i;
  for (int r = 0; r < 50; ++r) scale(4000);
  printf("%g\n", to[3999]);
}
