/* call_sites: 1,000 barriers on MPI_COMM_SELF, each called from a place of its own. */
#include <mpi.h>
#include <stdio.h>

#define CALL MPI_Barrier(MPI_COMM_SELF);
#define TEN(x) x x x x x x x x x x

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  TEN(TEN(TEN(CALL)))
  MPI_Finalize();
  puts("call_sites is done");
  return 0;
}
