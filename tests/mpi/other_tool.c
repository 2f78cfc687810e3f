// A second preloaded tool. Like many tools, it wraps a few functions and calls PMPI. Whether it is
// loaded before or after the recorder, it must see every MPI_Send of the program exactly once.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Finalize(void) {
  const char* const wanted = getenv("APMT_TEST_SENDS");
  if (wanted == NULL || atoi(wanted) != sends) {
    fprintf(stderr, "the other tool saw %d sends, not %s\n", sends,
            wanted == NULL ? "none" : wanted);
    _Exit(9);
  }
  return PMPI_Finalize();
}
