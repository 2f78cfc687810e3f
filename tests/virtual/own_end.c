/* Rank r works r milliseconds of simulated time at 1 Gflop/s, calls MPI_Finalize and then exit().
 * The parentheses around `exit` keep SMPI's macro from replacing this function, as in Fortran
 * programs, where the macro has no effect. With an argument, the last rank's exit code is that
 * number. Destructors run when the simulation is over. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>

__attribute__((destructor)) static void ask_mpi(void) {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  smpi_execute_flops(1e6 * rank);
  MPI_Finalize();
  (exit)(argc > 1 && rank == ranks - 1 ? atoi(argv[1]) : 0);
}
