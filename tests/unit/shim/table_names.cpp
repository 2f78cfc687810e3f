// Prints every function in the table: "wrapped MPI_Send", "untouched MPI_Wtime".
#include <cstdio>

int main() {
#define APMT_CALL(name, ...) std::puts("wrapped MPI_" #name);
#define APMT_CALL_C(name, ...)     \
  std::puts("wrapped MPI_" #name); \
  std::puts("wrapped MPI_" #name "_c");
#define APMT_CALL_WIDE(name, ...) std::puts("wrapped MPI_" #name);
#define APMT_UNTOUCHED(name) std::puts("untouched MPI_" #name);
#include "pmpi-shim/mpi_calls.def"
}
