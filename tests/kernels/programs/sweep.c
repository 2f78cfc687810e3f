/* sweep LINES ROUNDS: ROUNDS sweeps over LINES cache lines (64 bytes), divided among the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void sweep(double* a, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + 2;
}

int main(int argc, char** argv) {
  int ranks, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int n = 8 * atoi(argv[1]) / ranks, rounds = atoi(argv[2]);
  double* a = aligned_alloc(64, (size_t)n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i;
  for (int r = 0; r < rounds; r++) sweep(a, n);
  if (rank == 0) printf("%d\n", a[n - 1] > 0);
  free(a);
  MPI_Finalize();
  return 0;
}
