// Only linked, to find out where its MPI library is.
#include <mpi.h>
int main(void) { return MPI_Finalize(); }
