/* call_sites [ROUNDS]: each round has 1,000 barriers on MPI_COMM_SELF, each called from a
 * different address. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CALL MPI_Barrier(MPI_COMM_SELF);
#define TEN(x) x x x x x x x x x x

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; --round) {
    TEN(TEN(TEN(CALL)))
  }
  MPI_Finalize();
  puts("call_sites is done");
  return 0;
}
