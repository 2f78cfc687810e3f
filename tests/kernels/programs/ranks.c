// Each rank runs its kernel with a different size; another kernel calls MPI.
#include <mpi.h>
#include <stdio.h>

static double values[2000];

__attribute__((noinline)) static void add(int n) {
  for (int i = 0; i < n; ++i) values[i] += 1.5;
}

/// What MPI executes is no part of the kernel that calls it.
__attribute__((noinline)) static double exchange(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    MPI_Allreduce(MPI_IN_PLACE, &values[100 * i], 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < 3; ++r) add(1000 * (rank + 1));
  double sum = 0;
  MPI_Reduce(&values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", sum);
  exchange(5);
  MPI_Finalize();
}
