// kernels NAME N REPEATS: runs a loop on data of size N and prints its median time in seconds. With OpenMP, all
// processors share the loop.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double *a, *b, *c;
static int* place;

__attribute__((noinline)) void triad(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
}
__attribute__((noinline)) void jacobi(long n) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < n - 1; ++j)
      a[i * n + j] = 0.25 * (b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] + b[i * n + j + 1]);
}
__attribute__((noinline)) void product(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j) a[i * n + j] += b[i * n + k] * c[k * n + j];
}
__attribute__((noinline)) void matvec(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long j = 0; j < n; ++j) sum += b[i * n + j] * c[j];
    a[i] = sum;
  }
}
__attribute__((noinline)) void lookup(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = b[place[i]] + c[i];
}
__attribute__((noinline)) void forces(long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double force = 0;
    for (long j = 0; j < n; ++j) {
      const double distance = b[j] - b[i];
      force += c[j] * distance / (distance * distance + 0.01);
    }
    a[i] = force;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int by_value(const void* x, const void* y) {
  const double p = *(const double*)x, q = *(const double*)y;
  return (p > q) - (p < q);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  static const struct {
    const char* name;
    void (*run)(long);
    int is_square;
  } kKernels[] = {{"triad", triad, 0},   {"jacobi", jacobi, 1}, {"product", product, 1},
                  {"matvec", matvec, 1}, {"lookup", lookup, 0}, {"forces", forces, 0}};
  const long n = atol(argv[2]), repeats = atol(argv[3]);
  for (size_t k = 0; k < sizeof kKernels / sizeof *kKernels; ++k) {
    if (strcmp(kKernels[k].name, argv[1]) != 0) continue;
    const long elements = kKernels[k].is_square ? n * n : n;
    a = malloc((size_t)elements * sizeof *a), b = malloc((size_t)elements * sizeof *b);
    c = malloc((size_t)elements * sizeof *c), place = malloc((size_t)elements * sizeof *place);
    double* times = malloc((size_t)repeats * sizeof *times);
    if (!a || !b || !c || !place || !times) return 1;
    for (long i = 0; i < elements; ++i) {
      a[i] = 0, b[i] = 1 + (double)(i % 97), c[i] = 1 + (double)(i % 89);
      place[i] = (int)((uint64_t)i * 2654435761u % (uint64_t)elements);
    }
    for (long r = 0; r < repeats; ++r) {
      const double begin = now();
      kKernels[k].run(n);
      times[r] = now() - begin;
    }
    qsort(times, (size_t)repeats, sizeof *times, by_value);
    printf("%.9g\n", times[repeats / 2]);
    return 0;
  }
  return 2;
}
