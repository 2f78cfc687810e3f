// Prints the simulated time of each collective for calls of 8 bytes to argv[1] bytes, each four times as large as the
// one before: operation, processes, bytes, seconds of the slowest rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBcast, kReduce, kAllreduce, kAllgather, kAlltoall, kOperations };
static const char* const kNames[] = {"Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall"};

static void call(int operation, long bytes, char* in, char* out) {
  const int doubles = (int)(bytes / 8);
  switch (operation) {
    case kBcast:
      MPI_Bcast(in, doubles, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      break;
    case kReduce:
      MPI_Reduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    case kAllreduce:
      MPI_Allreduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case kAllgather:
      MPI_Allgather(in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
      break;
    case kAlltoall:
      MPI_Alltoall(in, doubles, MPI_DOUBLE, out, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
      break;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, procs;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  const long most = argc > 1 ? atol(argv[1]) : 8;
  char* const in = calloc((size_t)procs, (size_t)most);
  char* const out = calloc((size_t)procs, (size_t)most);
  for (int operation = 0; operation < kOperations; ++operation)
    for (long bytes = 8; bytes <= most; bytes *= 4) {
      if (operation >= kAllgather && bytes * procs > 4 * most) break;
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      call(operation, bytes, in, out);
      const double mine = MPI_Wtime() - begin;
      double slowest = 0;
      MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (rank == 0) printf("%s %d %ld %.9f\n", kNames[operation], procs, bytes, slowest);
    }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
