// meanwhile COMMAND: calls MPI from 1,000 addresses, runs a shell command on rank 0, and calls MPI
// from the same addresses again. Before the command, sync() writes the touched pages of the
// recording to disk.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALL MPI_Barrier(MPI_COMM_SELF);
#define TEN(x) x x x x x x x x x x

static void call_from_everywhere(void) { TEN(TEN(TEN(CALL))) }

int main(int argc, char** argv) {
  int rank, failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  call_from_everywhere();
  sync();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 1) failed = system(argv[1]) != 0;
  MPI_Barrier(MPI_COMM_WORLD);
  call_from_everywhere();
  MPI_Finalize();
  if (rank == 0) puts("meanwhile is done");
  return failed;
}
