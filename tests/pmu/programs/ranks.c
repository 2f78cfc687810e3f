/* Rank r computes (r + 1) * 50 million instructions between two barriers; the other ranks wait
 * in MPI. */
#include <mpi.h>
#include <stdio.h>

#include "loops.h"

__attribute__((noinline)) void rank_loop(unsigned long turns) { KNOWN_LOOP(turns); }

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  rank_loop(5000000UL * (unsigned long)(rank + 1));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
