// Starts two more processes of this program with MPI_Comm_spawn; they have a world of their own.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, others;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
    MPI_Barrier(others);
    MPI_Comm_disconnect(&others);
    puts("spawner is done");
  } else {
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
