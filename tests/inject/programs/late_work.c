// late_work FOLDER: works at three times: between MPI_Init and MPI_Finalize, while recording is
// paused, and after MPI_Finalize. Then its first thread ends. Writes to FOLDER/<pid> the CPU time
// that the recorder should count: that between MPI_Init and MPI_Finalize without the pause. For a
// while the other ranks sleep, so the first rank has a core to itself.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "cpu_work.h"

WORK(counted_work)
WORK(paused_work)
WORK(late_work)

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char path[4096];
  int rank;
  snprintf(path, sizeof path, "%s/%d", argv[1], (int)getpid());
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long long counted_ns = -cpu_ns();
  for (int round = 0; round < 40; ++round) {
    counted_work(2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 10 && rank == 0) counted_work(200);
    if (round == 10 && rank != 0) usleep(250000);
    if (round != 20) continue;
    MPI_Pcontrol(0);
    counted_ns += cpu_ns();
    paused_work(150);
    counted_ns -= cpu_ns();
    MPI_Pcontrol(1);
  }
  counted_ns += cpu_ns();
  MPI_Finalize();
  late_work(150);
  FILE* const file = fopen(path, "w");
  if (file == NULL) return 3;
  fprintf(file, "%lld\n", counted_ns);
  fclose(file);
  pthread_exit(NULL);
}
