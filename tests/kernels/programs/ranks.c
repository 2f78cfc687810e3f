// Each rank runs its kernel with a different size.
#include <mpi.h>
#include <stdio.h>

static double values[2000];

__attribute__((noinline)) static void add(int n) {
  for (int i = 0; i < n; ++i) values[i] += 1.5;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < 3; ++r) add(1000 * (rank + 1));
  double sum = 0;
  MPI_Reduce(&values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", sum);
  MPI_Finalize();
}
