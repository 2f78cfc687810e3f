// kernels NAME N REPEATS: runs a loop on data of size N and prints the median of its times in seconds, and their
// quartiles. With OpenMP, all processors share the loop.
#include "data.h"

#define DATA double *restrict a, const double *restrict b, const double *restrict c, const int *restrict place, long n
typedef void kernel(DATA);

__attribute__((noinline)) void triad(DATA) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
}
__attribute__((noinline)) void jacobi(DATA) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < n - 1; ++j)
      a[i * n + j] = 0.25 * (b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] + b[i * n + j + 1]);
}
__attribute__((noinline)) void product(DATA) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j) a[i * n + j] += b[i * n + k] * c[k * n + j];
}
__attribute__((noinline)) void matvec(DATA) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long j = 0; j < n; ++j) sum += b[i * n + j] * c[j];
    a[i] = sum;
  }
}
__attribute__((noinline)) void lookup(DATA) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = b[place[i]] + c[i];
}
__attribute__((noinline)) void forces(DATA) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double force = 0;
#pragma omp simd reduction(+ : force)
    for (long j = 0; j < n; ++j) {
      const double distance = b[j] - b[i];
      force += c[j] * distance / (distance * distance + 0.01);
    }
    a[i] = force;
  }
}

static kernel* chosen;
static void run(long n) { chosen(a, b, c, place, n); }

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  static const struct {
    const char* name;
    kernel* run;
  } kKernels[] = {{"triad", triad},   {"jacobi", jacobi}, {"product", product},
                  {"matvec", matvec}, {"lookup", lookup}, {"forces", forces}};
  const long n = atol(argv[2]);
  for (size_t k = 0; k < sizeof kKernels / sizeof *kKernels; ++k) {
    if (strcmp(kKernels[k].name, argv[1]) != 0) continue;
    make_data(elements_of(argv[1], n));
    chosen = kKernels[k].run;
    print_time(run, n, (size_t)atol(argv[3]));
    return 0;
  }
  return 2;
}
