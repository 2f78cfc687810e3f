/* pieces MILLISECONDS SECONDS: spends SECONDS of CPU time outside MPI, in pieces of about
 * MILLISECONDS with a barrier after each. Rank 0 prints the seconds that all ranks really spent
 * outside MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void compute(double until_s) {
  volatile double x = 1;
  while (cpu_s() < until_s)
    for (int i = 0; i < 5000; ++i) x = x * 1.0000001 + 1e-9;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const double piece_s = 1e-3 * atof(argv[1]);
  const long pieces = (long)(atof(argv[2]) / piece_s);
  double spent = 0, all = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < pieces; ++i) {
    const double begin = cpu_s();
    compute(begin + piece_s);
    spent += cpu_s() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&spent, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf("%.3f\n", all);
  return 0;
}
