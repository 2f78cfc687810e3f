// crowd FOLDER [PIECE]: computes, in pieces of PIECE ms (default 10) with a barrier after each.
// Writes the CPU time of the computation alone, by the clock of its thread, to FOLDER/<pid>. (In a
// barrier, some MPIs wait busily and others do not.)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu_work.h"

WORK(crowd_work)

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int piece_ms = argc > 2 ? atoi(argv[2]) : 10;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", argv[1], (int)getpid());
  MPI_Init(&argc, &argv);
  long long computing_ns = 0;
  for (int round = 0; round < 40; ++round) {
    computing_ns -= cpu_ns();
    crowd_work(piece_ms);
    computing_ns += cpu_ns();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  FILE* const file = fopen(path, "w");
  if (file == NULL) return 3;
  fprintf(file, "%lld\n", computing_ns);
  return fclose(file);
}
