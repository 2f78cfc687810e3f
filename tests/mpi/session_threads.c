// A program that uses only sessions. Two threads of every rank post and complete requests at the
// same time. All sessions and threads share the recorder's table of open requests. The recorder
// never asks a session for its thread level, so the table must always be safe for threads.
#include <mpi.h>
#include <stdio.h>

#include "expect.h"

#if MPI_VERSION >= 4
#include <pthread.h>

enum { kThreads = 2, kRounds = 4000, kOpen = 8 };

static int rank, size, right, left;
static MPI_Comm comms[kThreads];

static void* exchange(void* argument) {
  const MPI_Comm comm = *(MPI_Comm*)argument;
  double out[kOpen] = {0}, in[kOpen];
  MPI_Request requests[2 * kOpen];
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kOpen; ++i) MPI_Irecv(in + i, 1, MPI_DOUBLE, left, i, comm, requests + i);
    for (int i = 0; i < kOpen; ++i)
      MPI_Isend(out + i, 1, MPI_DOUBLE, right, i, comm, requests + kOpen + i);
    MPI_Waitall(2 * kOpen, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

static void expect_exchange(void) {
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kOpen; ++i) {
      expect_call("MPI_Irecv", size, 0, 0);
      expect_call("MPI_Isend", size, 8, 0);
      expect_sent(right, 8);
      expect_received(left, 8);
      expect_request("MPI_Irecv", size, 0, 8);
      expect_request("MPI_Isend", size, 8, 0);
    }
    expect_call("MPI_Waitall", size, 0, 8 * kOpen);
  }
}

static MPI_Session open_session(MPI_Comm* comm, const char* name) {
  MPI_Session session;
  MPI_Info info;
  MPI_Group world;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
  MPI_Comm_create_from_group(world, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm);
  MPI_Group_free(&world);
  return session;
}

int main(void) {
  pthread_t threads[kThreads];
  MPI_Session sessions[kThreads];
  for (int t = 0; t < kThreads; ++t)
    sessions[t] = open_session(&comms[t], t == 0 ? "first" : "second");
  MPI_Comm_rank(comms[0], &rank);
  MPI_Comm_size(comms[0], &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, exchange, &comms[t]);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t) {
    expect_exchange();
    MPI_Comm_free(&comms[t]);
    MPI_Session_finalize(&sessions[t]);
  }
  expect_write(rank);
  return 0;
}

#else
int main(void) {
  fprintf(stderr, "this MPI is older than MPI-4\n");
  return 77;
}
#endif
