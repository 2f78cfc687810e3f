/* Rank r works r milliseconds of simulated time at 1 Gflop/s, calls MPI_Finalize and then exit(). The parentheses keep
 * SMPI's macro from replacing the function, which it cannot do in Fortran programs. With an argument, the last rank's
 * exit code is that number. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  smpi_execute_flops(1e6 * rank);
  MPI_Finalize();
  (exit)(argc > 1 && rank == ranks - 1 ? atoi(argv[1]) : 0);
}
