// Nanoseconds per MPI call of a single rank, the quickest of many batches: run it with and without
// a preloaded library, the difference is what the library adds. Messages go to the rank itself, so
// that nothing waits for a scheduler.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kBatches = 60, kCalls = 5000 };

static char out[64], in[64];
static MPI_Request requests[2];

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
  MPI_Init(&argc, &argv);
  measure("Comm_rank", 1, comm_rank);
  measure("Send_to_PROC_NULL", 1, send_to_nobody);
  measure("Irecv+Send+Wait", 3, irecv_send_wait);
  measure("Irecv+Isend+Waitall", 3, irecv_isend_waitall);
  measure("Allreduce_of_one", 1, allreduce);
  measure("Iprobe", 1, iprobe);
  MPI_Finalize();
  return 0;
}
