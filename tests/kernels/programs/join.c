/* Functions that gcc clones, outlines or inlines, and that clang treats differently. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSize = 20000, kSteps = 30 };

static double flux(double x) { return x * x * 0.25 + 1; }

/* Always called with the same factor, which is a constant in gcc's clone. */
__attribute__((noinline)) static void scale(double* a, int n, double by) {
  for (int i = 0; i < n; i++) a[i] = flux(a[i]) * by;
}

/* An outlined region. It is long and rare, because OpenMP spends time of its own on entering it. */
void spread(double* a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double x = a[i];
    for (int k = 0; k < kSteps; k++) x = x * 0.5 + 2;
    a[i] = x;
  }
}

/* Called once: gcc inlines it into main. */
static double total(const double* a, int n) {
  double sum = 0;
  for (int i = 1; i < n; i++) sum += a[i] * a[i - 1];
  return sum;
}

static double roots(double* a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += pow(a[i], 1.37);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = atoi(argv[1]);
  const int with_roots = argc > 2;
  double* a = malloc(kSize * sizeof *a);
  for (int i = 0; i < kSize; i++) a[i] = 1e-3 * i;
  double sum = 0;
  for (int r = 0; r < rounds; r++) {
    scale(a, kSize, 0.125);
    if (r % 100 == 0) spread(a, kSize);
    sum += total(a, kSize);
    if (with_roots) sum += roots(a, kSize);
  }
  printf("%d\n", sum > 0);
  free(a);
  MPI_Finalize();
  return 0;
}
