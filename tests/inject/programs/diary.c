/* diary FOLDER HOW [ROUNDS]: keeps a diary of its work in a mapped file, FOLDER/<pid>, which
 * remains however the program ends. Each round computes for about a millisecond and calls
 * MPI_Sendrecv once. After ROUNDS it ends as HOW says: finalize, exit, _exit; or only rank 0
 * ends, by abort, segv or mpi_abort, while the others go on. `stay`, and `stay_deaf` (which
 * ignores SIGTERM), go on for a minute of CPU time. */
#include "diary.h"

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct diary* diary;

static int64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void open_diary(const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
  if (fd < 0 || ftruncate(fd, sizeof *diary) != 0) exit(99);
  diary = mmap(NULL, sizeof *diary, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (diary == MAP_FAILED) exit(99);
  close(fd);
}

__attribute__((noinline)) static void compute(void) {
  volatile double x = 1;
  for (int i = 0; i < 300000; ++i) x = x * 1.0000001 + 1e-9;
}

static void end(const char* how, int rank) {
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (rank != 0) return;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "mpi_abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char** argv) {
  if (argc < 3) return 99;
  const char* how = argv[2];
  const long rounds = argc > 3 ? atol(argv[3]) : 50;
  open_diary(argv[1]);
  if (strcmp(how, "stay_deaf") == 0) signal(SIGTERM, SIG_IGN);
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  diary->main_cpu_ns = diary->cpu_ns = cpu_ns();
  __atomic_store_n(&diary->in_main, 1, __ATOMIC_RELEASE);
  for (long round = 0; cpu_ns() < 60000000000LL; ++round) {
    if (round == rounds && strcmp(how, "finalize") == 0) break;
    if (round == rounds) end(how, rank);
    compute();
    diary->cpu_ns = cpu_ns();
    long to_send = round, received;
    ++diary->entered;
    MPI_Sendrecv(&to_send, 1, MPI_LONG, (rank + 1) % size, 0, &received, 1, MPI_LONG,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++diary->returned;
    diary->cpu_ns = cpu_ns();
  }
  MPI_Finalize();
  return 0;
}
