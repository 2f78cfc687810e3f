/* Measures messages: ping-pong within and between nodes, collectives over growing numbers of ranks,
   and how much of a transfer can be hidden behind computation. apmt calibrate compiles this
   program, and reads the lines that rank 0 prints (see the calls of say). */
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBatch = 11, kMostBatches = 5, kLargest = 1 << 22, kSizes = 45, kCollectives = 17 };

static char* out_buffer;
static char* in_buffer;
static int rank, size;

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Prints a line of results without delay, because apmt calibrate shows the progress. */
static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

/* Sorts the values. Returns the median; *spread is the distance of the quartiles relative to it. */
static double median(double* values, int n, double* spread) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  *spread = values[n / 2] > 0 ? (values[3 * n / 4] - values[n / 4]) / values[n / 2] : 0;
  return values[n / 2];
}

static double half_round_trip(int bytes, int other, int rounds) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Send(out_buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(in_buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in_buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out_buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin) / (2.0 * rounds);
}

/* Measures messages of all sizes between ranks 0 and `other`, each until its spread is small. */
static void ping_pong(const char* scope, int other) {
  if (rank != 0 && rank != other) return;
  for (int step = 0; step < kSizes; ++step) {
    /* 0, 1, and two sizes per octave from 2 to kLargest. */
    const int bytes = step < 2 ? step : (int)(pow(2.0, step / 2.0) + 0.5);
    const int rounds = bytes < 4096 ? 50 : bytes < 65536 ? 20 : 4;
    double times[kBatch * kMostBatches], spread = 1, middle = 0;
    int n = 0, again = 1;
    half_round_trip(bytes, other, rounds);
    while (again) {
      for (int i = 0; i < kBatch; ++i) times[n++] = half_round_trip(bytes, other, rounds);
      if (rank == 0) {
        middle = median(times, n, &spread);
        again = spread > 0.02 && n < kBatch * kMostBatches;
        MPI_Send(&again, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
      } else {
        MPI_Recv(&again, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    if (rank == 0) say("p2p %s %d %.9g %.4g\n", scope, bytes, middle, spread);
  }
}

/* Works for this many seconds in a way that the compiler cannot remove. */
static void work(double seconds) {
#ifdef SMPI_H
  smpi_execute(seconds); /* only this makes simulated time pass */
#else
  static volatile double sink = 1;
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < seconds)
    for (int i = 0; i < 200; ++i) sink = sink * 1.0000001 + 1e-9;
#endif
}

static double exchange(int bytes, int other, double compute_s) {
  MPI_Request requests[2];
  const int peer = rank == 0 ? other : 0;
  MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, 3, NULL, 0, MPI_BYTE, peer, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const double begin = MPI_Wtime();
  MPI_Irecv(in_buffer, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out_buffer, bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &requests[1]);
  if (compute_s > 0) work(compute_s);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return MPI_Wtime() - begin;
}

/* The share of a transfer's time that is hidden behind computation of the same duration. */
static void overlap(const char* scope, int other) {
  const int bytes = 1 << 20;
  if (rank != 0 && rank != other) return;
  double alone[kBatch], shares[kBatch], spread;
  exchange(bytes, other, 0);
  for (int i = 0; i < kBatch; ++i) alone[i] = exchange(bytes, other, 0);
  double transfer = median(alone, kBatch, &spread);
  if (rank == 0)
    MPI_Send(&transfer, 1, MPI_DOUBLE, other, 5, MPI_COMM_WORLD);
  else
    MPI_Recv(&transfer, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < kBatch; ++i) {
    const double both = exchange(bytes, other, transfer);
    shares[i] = (2 * transfer - both) / transfer;
  }
  double share = median(shares, kBatch, &spread);
  if (share < 0) share = 0;
  if (share > 1) share = 1;
  if (rank == 0) say("overlap %s %.3g %.3g\n", scope, share, spread);
}

static void call(const char* op, int bytes, MPI_Comm comm, int procs) {
  const int doubles = bytes / (int)sizeof(double);
  if (strcmp(op, "Barrier") == 0) MPI_Barrier(comm);
  if (strcmp(op, "Bcast") == 0) MPI_Bcast(out_buffer, bytes, MPI_BYTE, 0, comm);
  if (strcmp(op, "Reduce") == 0)
    MPI_Reduce(out_buffer, in_buffer, doubles, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (strcmp(op, "Allreduce") == 0)
    MPI_Allreduce(out_buffer, in_buffer, doubles, MPI_DOUBLE, MPI_SUM, comm);
  if (strcmp(op, "Allgather") == 0)
    MPI_Allgather(out_buffer, bytes / procs, MPI_BYTE, in_buffer, bytes / procs, MPI_BYTE, comm);
  if (strcmp(op, "Alltoall") == 0)
    MPI_Alltoall(out_buffer, bytes / procs, MPI_BYTE, in_buffer, bytes / procs, MPI_BYTE, comm);
}

/* The numbers of ranks that are measured: 2, 4, 8, ... and, at last, all ranks. */
static int next_count(int procs) { return procs * 2 < size ? procs * 2 : size; }
static int counts_of_ranks(void) {
  int n = 1;
  for (int procs = 2; procs < size; procs = next_count(procs)) ++n;
  return n;
}

/* Measures an operation by the time of the slowest rank. */
static void collective(const char* op, int bytes) {
  for (int procs = 2;; procs = next_count(procs)) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < procs ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
      double times[kBatch], spread;
      call(op, bytes, comm, procs);
      for (int i = 0; i < kBatch; ++i) {
        MPI_Barrier(comm);
        const double begin = MPI_Wtime();
        call(op, bytes, comm, procs);
        const double mine = MPI_Wtime() - begin;
        MPI_Reduce(&mine, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, comm);
      }
      if (rank == 0) {
        const double middle = median(times, kBatch, &spread);
        say("coll %s %d %d %.9g %.4g\n", op, procs, bytes, middle, spread);
      }
      MPI_Comm_free(&comm);
    }
    if (procs >= size) break;
  }
}

int main(int argc, char** argv) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(name, &length);
  MPI_Get_library_version(version, &length);
  if (size < 2) {
    if (rank == 0) fprintf(stderr, "two ranks or more are needed\n");
    MPI_Finalize();
    return 1;
  }
  out_buffer = calloc(1, kLargest);
  in_buffer = calloc(1, kLargest);
  char* names = malloc((size_t)size * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  int near = 0, far = 0;
  for (int i = size - 1; i > 0; --i)
    *(strcmp(names + (size_t)i * sizeof name, names) == 0 ? &near : &far) = i;
  if (rank == 0) {
    version[strcspn(version, "\n")] = 0;
    say("mpi %s\n", version);
    say("ranks %d\n", size);
    say("steps %d\n", ((near > 0) + (far > 0)) * (kSizes + 1) + kCollectives * counts_of_ranks());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (near > 0) ping_pong("node", near);
  MPI_Barrier(MPI_COMM_WORLD);
  if (far > 0) ping_pong("network", far);
  MPI_Barrier(MPI_COMM_WORLD);
  if (near > 0) overlap("node", near);
  MPI_Barrier(MPI_COMM_WORLD);
  if (far > 0) overlap("network", far);
  MPI_Barrier(MPI_COMM_WORLD);
  collective("Barrier", 0);
  static const char* const ops[] = {"Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall"};
  static const int sizes[] = {1 << 10, 1 << 15, 1 << 20};
  collective("Allreduce", 8);
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k) collective(ops[i], sizes[k]);
  if (rank == 0) say("end\n");
  MPI_Finalize();
  free(names);
  free(out_buffer);
  free(in_buffer);
  return 0;
}
