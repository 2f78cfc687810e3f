/* early_rounds [TIMES]: first a hundred rounds of set-up, each with an MPI_Allreduce, then a long
 * computation without MPI calls. So a simulation of the rounds alone misses most of the time. TIMES
 * is the number of set-ups in each round. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 100, kCells = 1 << 14, kSweeps = 5000 };

static double cells[kCells];

__attribute__((noinline)) static void set_up(int round) {
  for (int i = round; i < kCells; i += kRounds) cells[i] = i;
}

__attribute__((noinline)) static void solve(void) {
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int i = 1; i < kCells; ++i) cells[i] = 0.5 * (cells[i] + cells[i - 1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  double sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < times; ++i) set_up(round);
    MPI_Allreduce(cells + round, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  solve();
  MPI_Finalize();
  printf("%g %g\n", sum, cells[kCells - 1]);
  return 0;
}
