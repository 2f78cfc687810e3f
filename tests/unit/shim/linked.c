// This program only has to be linked, to find out its MPI library. (It calls PMPI_X because MPI_X
// is weak in SMPI and would not make the linker add the library.)
#include <mpi.h>
int main(void) { return PMPI_Finalize(); }
