// A program that is linked but never run: ldd shows which MPI library it needs. (It calls
// PMPI_Finalize because MPI_Finalize is weak in SMPI and would not make the linker add the
// library.)
#include <mpi.h>
int main(void) { return PMPI_Finalize(); }
