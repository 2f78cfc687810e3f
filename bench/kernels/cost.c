// cost KERNEL N M SECONDS [INVOCATIONS]: calls one kernel of tests/kernels/suite.c with vectors of
// N elements and matrices of M x M elements, and prints the number of invocations and the CPU
// seconds of one invocation. The kernel is called until it has used SECONDS of CPU time, or
// INVOCATIONS times if that is sooner. M is a power of two.
#define main suite_main
#include "tests/kernels/suite.c"
#undef main

#include <math.h>
#include <string.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int n, m, side;  // side: length of the side of stencil27's cube
static double *x, *y, *z, result;
static int *where, *first, bin[16], end;

static void fill(void) {
  const int large = n > m * m ? n : m * m;
  x = malloc(sizeof *x * (size_t)large);
  y = malloc(sizeof *y * (size_t)large);
  z = malloc(sizeof *z * (size_t)large);
  where = malloc(sizeof *where * (size_t)large);
  first = malloc(sizeof *first * (size_t)large);
  for (int i = 0; i < large; ++i) {
    x[i] = 1 + i % 7 * 0.125;
    y[i] = 2 - i % 5 * 0.25;
    z[i] = 0;
    where[i] = (int)((i * 7919LL + 3) % n);
    first[i] = 5 * i;
  }
}

static int run(const char* name) {
#define IS(kernel, ...) \
  if (strcmp(name, #kernel) == 0) return kernel(__VA_ARGS__), 1
  IS(copy, n, x, z);
  IS(triad, n, 3.0, x, y, z);
  IS(dot, n, x, y, &result);
  IS(stencil5, m, x, z);
  IS(stencil27, side, x, z);
  IS(transpose, m, x, z);
  IS(gather, n, where, x, z);
  IS(scatter, n, where, x, z);
  IS(product_ijk, m, x, y, z);
  IS(product_ikj, m, x, y, z);
  IS(matrix_vector, m, x, y, z);
  IS(sparse, n / 5 - 1, first, where, x, y, z);
  IS(prefix_sum, n, x);
  IS(jacobi, n, 3, x, z);
  IS(gauss_seidel, n, x);
  IS(wavefront, m, x);
  IS(reduction_tree, m * m, x);
  IS(chase, n, where, &end);
  if (strcmp(name, "histogram") == 0) {
    for (int i = 0; i < n; ++i) where[i] &= 15;
    return histogram(n, where, bin), 1;
  }
  if (strcmp(name, "lu") == 0) {
    for (int i = 0; i < m; ++i) x[i * m + i] += 100;
    return lu(m, x), 1;
  }
  if (strcmp(name, "bitonic") == 0) {
    for (int i = 0; i < m * m; ++i) x[i] = i * 37 % (m * m);
    return bitonic(m * m, x), 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  n = atoi(argv[2]), m = atoi(argv[3]), side = (int)cbrt(n > m * m ? n : m * m);
  fill();
  const double enough_s = atof(argv[4]);
  const long most = argc > 5 ? atol(argv[5]) : -1;
  long invocations = 0;
  const double start_s = cpu_s();
  double used_s = 0;
  do {
    if (!run(argv[1])) return fprintf(stderr, "no kernel is called %s\n", argv[1]), 2;
    ++invocations;
    used_s = cpu_s() - start_s;
  } while (used_s < enough_s && invocations != most);
  printf("%ld %.9g\n", invocations, used_s / (double)invocations);
  return isnan(result);
}
