/* fits ITEMS STEPS: divides ITEMS among the ranks. In every step, each rank reads its items in an order without a
 * pattern (walk), and smooths an array of as many numbers (smooth), 20 times each. With enough ranks, the data of a
 * rank fit into its caches. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 20 };

__attribute__((noinline)) static double walk(const uint32_t *next, long steps) {
  uint32_t at = 0;
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    at = next[at];
    sum += at;
  }
  return sum;
}

__attribute__((noinline)) static double smooth(double *value, long n) {
  double sum = 0;
  for (long i = 1; i + 1 < n; ++i) {
    value[i] = 0.5 * value[i] + 0.25 * (value[i - 1] + value[i + 1]);
    sum += value[i];
  }
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 1);
  const long n = atol(argv[1]) / ranks;
  uint32_t *next = malloc((size_t)n * sizeof *next);
  double *value = calloc((size_t)n, sizeof *value);
  if (n < 3 || next == NULL || value == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (long i = 0; i < n; ++i) next[i] = (uint32_t)i;
  uint64_t random = 88172645463325252u + (uint64_t)rank;
  for (long i = n - 1; i > 0; --i) { /* one cycle through all items (Sattolo's algorithm) */
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const long j = (long)(random % (uint64_t)i);
    const uint32_t other = next[i];
    next[i] = next[j];
    next[j] = other;
  }
  double sum = 0, all = 0;
  for (int step = atoi(argv[2]); step > 0; --step) {
    for (int round = 0; round < kRounds; ++round) sum += walk(next, n);
    for (int round = 0; round < kRounds; ++round) sum += smooth(value, n);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%g\n", all);
  MPI_Finalize();
}
