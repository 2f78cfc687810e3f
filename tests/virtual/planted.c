/* A program with planted times. It tells the simulator how many operations it computes. On the
 * cluster of planted.yaml, no other computation takes simulated time, so the program's time is
 * exact at any number of processes. Usage: planted halo|tree|ring|all-to-all|serial|bend. With
 * bend, each iteration takes additional time on more than eight processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kIterations = 4, kBytes = 1 << 16 };
static const double kWork = 4e9; /* operations of one iteration, summed over all ranks */

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const law = argc > 1 ? argv[1] : "";
  char* const mine = calloc(kBytes, 1);
  char* const all = calloc((size_t)kBytes, (size_t)size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < kIterations; ++i) {
    smpi_execute_flops(kWork / size);
    if (strcmp(law, "halo") == 0) {
      MPI_Sendrecv(mine, kBytes, MPI_BYTE, right, 0, all, kBytes, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(mine, kBytes, MPI_BYTE, left, 1, all, kBytes, MPI_BYTE, right, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else if (strcmp(law, "tree") == 0) {
      MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(law, "ring") == 0) {
      MPI_Allgather(mine, 64, MPI_BYTE, all, 64, MPI_BYTE, MPI_COMM_WORLD);
    } else if (strcmp(law, "all-to-all") == 0) {
      MPI_Alltoall(all, 64, MPI_BYTE, all + (size_t)kBytes / 2 * size, 64, MPI_BYTE,
                   MPI_COMM_WORLD);
    } else if (strcmp(law, "serial") == 0) {
      if (rank == 0) smpi_execute_flops(kWork / 100);
      MPI_Bcast(mine, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else if (strcmp(law, "bend") == 0) {
      if (size > 8) smpi_execute_flops(kWork / 50);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      fprintf(stderr, "planted: unknown law '%s'\n", law);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  free(all);
  free(mine);
  MPI_Finalize();
  return 0;
}
