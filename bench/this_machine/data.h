// Makes the data of the six loops and measures their times, in the same way for threads (kernels.c)
// and OpenCL (launches.c).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double *a, *b, *c;
static int* place;

/// The number of elements of each array for data of size n.
static size_t elements_of(const char* name, long n) {
  const int is_square =
      !strcmp(name, "jacobi") || !strcmp(name, "product") || !strcmp(name, "matvec");
  return (size_t)(is_square ? n * n : n);
}

static void make_data(size_t elements) {
  a = malloc(elements * sizeof *a), b = malloc(elements * sizeof *b);
  c = malloc(elements * sizeof *c), place = malloc(elements * sizeof *place);
  if (!a || !b || !c || !place) exit(1);
  for (size_t i = 0; i < elements; ++i) {
    a[i] = 0, b[i] = 1 + (double)(i % 97), c[i] = 1 + (double)(i % 89);
    place[i] = (int)((uint64_t)i * 2654435761u % (uint64_t)elements);
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

/// Prints the median and the quartiles of the seconds that a call of `run` takes.
static void print_time(void (*run)(long), long n, size_t repeats) {
  double* times = malloc(repeats * sizeof *times);
  if (!times) exit(1);
  for (size_t r = 0; r < repeats; ++r) {
    const double begin = now();
    run(n);
    times[r] = now() - begin;
  }
  qsort(times, repeats, sizeof *times, by_value);
  printf("%.9g %.9g %.9g\n", times[repeats / 2], times[repeats / 4], times[3 * repeats / 4]);
}
