// What MPI-4 adds: persistent collectives, partitioned messages, combined non-blocking exchange,
// and a program that knows only sessions.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#if MPI_VERSION >= 4

static int rank, size, right, left;
static int out[64], in[64];

static void persistent_collectives(MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Allreduce_init(out, in, 4, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r[0]);
  expect_call("MPI_Allreduce_init", size, 0, 0);
  MPI_Bcast_init(out, 5, MPI_INT, 0, comm, MPI_INFO_NULL, &r[1]);
  expect_call("MPI_Bcast_init", size, 0, 0);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, r);
    expect_call("MPI_Startall", size, 16 + (rank == 0 ? 20 : 0), 16 + (rank == 0 ? 0 : 20));
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    expect_call("MPI_Waitall", size, 0, 0);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&r[i]);
    expect_call("MPI_Request_free", 0, 0, 0);
  }
}

static void partitioned(MPI_Comm comm) {
  MPI_Request r[2];
  MPI_Precv_init(in, 4, 2, MPI_INT, left, 0, comm, MPI_INFO_NULL, &r[0]);
  expect_call("MPI_Precv_init", size, 0, 0);
  MPI_Psend_init(out, 4, 2, MPI_INT, right, 0, comm, MPI_INFO_NULL, &r[1]);
  expect_call("MPI_Psend_init", size, 0, 0);
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(2, r);
    expect_call("MPI_Startall", size, 32, 0);
    expect_sent(right, 32);
    expect_received(left, 32);
    for (int i = 0; i < 4; ++i) {
      MPI_Pready(i, r[1]);
      expect_call("MPI_Pready", 0, 0, 0);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    expect_call("MPI_Waitall", size, 0, 32);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&r[i]);
    expect_call("MPI_Request_free", 0, 0, 0);
  }
}

static void combined(MPI_Comm comm) {
  MPI_Request request;
  // Its status is not filled by every MPI, so nothing here depends on it.
  MPI_Isendrecv(out, 3, MPI_INT, right, 1, in, 3, MPI_INT, left, 1, comm, &request);
  expect_call("MPI_Isendrecv", size, 12, 0);
  expect_sent(right, 12);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 12);
  expect_received(left, 12);
}

int main(int argc, char** argv) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  const int sessions_only = argc > 1 && strcmp(argv[1], "sessions") == 0;
  if (sessions_only) {
    MPI_Group world;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&world);
  } else {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  persistent_collectives(comm);
  partitioned(comm);
  combined(comm);
  MPI_Comm_free(&comm);
  if (sessions_only)
    MPI_Session_finalize(&session);
  else
    MPI_Finalize();
  expect_write(rank);
  return 0;
}

#else

int main(void) {
  fprintf(stderr, "this MPI is older than MPI-4\n");
  return 77;
}

#endif
