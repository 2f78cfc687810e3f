// Only linked, to find out where its MPI library is. (SMPI declares MPI_X weak: no reason to link.)
#include <mpi.h>
int main(void) { return PMPI_Finalize(); }
