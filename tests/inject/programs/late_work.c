// Works between MPI_Init and MPI_Finalize, while recording is paused, and after MPI_Finalize; its
// first thread then ends by itself. Writes to FOLDER/<pid> how much CPU time counts: that between
// MPI_Init and MPI_Finalize less that of the pause.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

#define WORK(name)                                        \
  __attribute__((noinline)) static void name(int ms) {    \
    const long long until_ns = cpu_ns() + ms * 1000000LL; \
    volatile double x = 1;                                \
    while (cpu_ns() < until_ns)                           \
      for (int i = 0; i < 20000; ++i) x = x * 0.999 + 1;  \
  }
WORK(counted_work)
WORK(paused_work)
WORK(late_work)

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", argv[1], (int)getpid());
  MPI_Init(&argc, &argv);
  long long counted_ns = -cpu_ns();
  for (int round = 0; round < 40; ++round) {
    counted_work(2);
    MPI_Barrier(MPI_COMM_WORLD);
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
