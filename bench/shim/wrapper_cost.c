// Prints the nanoseconds per MPI call in the fastest of many batches. The difference between a run
// with a preloaded library and one without is the cost of the library. A single rank sends to
// itself, so that nothing waits for a scheduler. Two ranks do a ping-pong, each on its own core.
// With the argument "multiple", MPI is initialised for threads (MPI_THREAD_MULTIPLE).
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kBatches = 60, kCalls = 5000 };

static char out[64], in[64];
static MPI_Request requests[2];
static MPI_Request polled[64];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void comm_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
static void send_to_nobody(void) { MPI_Send(out, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }
static void irecv_send_wait(void) {
  MPI_Irecv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(out, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}
static void irecv_isend_waitall(void) {
  MPI_Irecv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void allreduce(void) {
  double a = 1, b;
  MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void iprobe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/// Polls 64 requests, none of which ever completes.
static void poll_64(void) {
  int index, flag;
  MPI_Testany(64, polled, &index, &flag, MPI_STATUS_IGNORE);
}
static void first(void) {
  MPI_Send(out, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(in, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void second(void) {
  MPI_Recv(in, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void measure(const char* name, int calls, void (*run)(void)) {
  double best = 1e30;
  for (int batch = 0; batch < kBatches; ++batch) {
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) run();
    const double each = (now_ns() - begin) / kCalls / calls;
    if (each < best) best = each;
  }
  printf("%s %.1f\n", name, best);
}

int main(int argc, char** argv) {
  int rank, size, provided;
  const int multiple = argc > 1 && strcmp(argv[1], "multiple") == 0;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 2) {  // a round trip takes four calls, two on each rank
    if (rank != 0) freopen("/dev/null", "w", stdout);
    measure("Ping-pong_of_8_bytes", 4, rank == 0 ? first : second);
    MPI_Finalize();
    return 0;
  }
  measure("Comm_rank", 1, comm_rank);
  measure("Send_to_PROC_NULL", 1, send_to_nobody);
  measure("Irecv+Send+Wait", 3, irecv_send_wait);
  measure("Irecv+Isend+Waitall", 3, irecv_isend_waitall);
  measure("Allreduce_of_one", 1, allreduce);
  measure("Iprobe", 1, iprobe);
  for (int i = 0; i < 64; ++i) MPI_Irecv(in, 8, MPI_CHAR, 0, 1000 + i, MPI_COMM_WORLD, &polled[i]);
  measure("Testany_of_64", 1, poll_64);
  for (int i = 0; i < 64; ++i) {
    MPI_Cancel(&polled[i]);
    MPI_Wait(&polled[i], MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
