// This program only has to be linked, to find its MPI library. (It calls PMPI_X because MPI_X is
// weak in SMPI and would not cause the library to be linked.)
#include <mpi.h>
int main(void) { return PMPI_Finalize(); }
