// Rank r works r + 1 times as much as rank 0, between messages. Square roots take long, so that
// there is much time to sample and few instructions to simulate.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static __attribute__((noinline)) double work(double x, int steps) {
  for (int i = 0; i < steps; ++i) x = sqrt(x + 1);
  return x;
}

int main(int argc, char** argv) {
  enum { kRounds = 10, kSteps = 400000 };
  int rank;
  double x = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < kRounds; ++round) {
    x = work(x, (rank + 1) * kSteps);
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum > 0 ? 0 : 1;
}
