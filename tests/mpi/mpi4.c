// Tests what is new in MPI-4: persistent collectives, partitioned messages, non-blocking combined
// send and receive (MPI_Isendrecv), and a program that uses only sessions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

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

/// Starts the request once, waits for it and frees it. Expects these calls and that of `init`,
/// which made the request; only the start has bytes.
static void start_once(MPI_Request* r, const char* init, long long sent, long long received) {
  expect_call(init, size, 0, 0);
  MPI_Start(r);
  expect_call("MPI_Start", size, sent, received);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Request_free(r);
  expect_call("MPI_Request_free", 0, 0, 0);
}

static void other_persistent_collectives(MPI_Comm c) {
  MPI_Request r;
  const MPI_Info none = MPI_INFO_NULL;
  const int is_root = rank == 0;
  Count counts[16];
  Displ displs[16], places[16];
  MPI_Datatype types[16];
  for (int i = 0; i < size; ++i) {
    counts[i] = 2;
    displs[i] = 2 * i;
    places[i] = 8 * i;
    types[i] = MPI_INT;
  }
  MPI_Barrier_init(c, none, &r);
  start_once(&r, "MPI_Barrier_init", 0, 0);
  MPI_Reduce_init(out, in, 2, MPI_INT, MPI_SUM, 0, c, none, &r);
  start_once(&r, "MPI_Reduce_init", 8, is_root ? 8 : 0);
  MPI_Gather_init(out, 2, MPI_INT, in, 2, MPI_INT, 0, c, none, &r);
  start_once(&r, "MPI_Gather_init", 8, is_root ? 8 * size : 0);
  MPI_Gatherv_init(out, 2, MPI_INT, in, counts, displs, MPI_INT, 0, c, none, &r);
  start_once(&r, "MPI_Gatherv_init", 8, is_root ? 8 * size : 0);
  MPI_Scatter_init(out, 2, MPI_INT, in, 2, MPI_INT, 0, c, none, &r);
  start_once(&r, "MPI_Scatter_init", is_root ? 8 * size : 0, 8);
  MPI_Scatterv_init(out, counts, displs, MPI_INT, in, 2, MPI_INT, 0, c, none, &r);
  start_once(&r, "MPI_Scatterv_init", is_root ? 8 * size : 0, 8);
  MPI_Allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, c, none, &r);
  start_once(&r, "MPI_Allgather_init", 8, 8 * size);
  MPI_Allgatherv_init(out, 2, MPI_INT, in, counts, displs, MPI_INT, c, none, &r);
  start_once(&r, "MPI_Allgatherv_init", 8, 8 * size);
  MPI_Alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, c, none, &r);
  start_once(&r, "MPI_Alltoall_init", 8 * size, 8 * size);
  MPI_Alltoallv_init(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, c, none, &r);
  start_once(&r, "MPI_Alltoallv_init", 8 * size, 8 * size);
  MPI_Alltoallw_init(out, counts, places, types, in, counts, places, types, c, none, &r);
  start_once(&r, "MPI_Alltoallw_init", 8 * size, 8 * size);
  MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, c, none, &r);
  start_once(&r, "MPI_Reduce_scatter_init", 8 * size, 8);
  MPI_Reduce_scatter_block_init(out, in, 2, MPI_INT, MPI_SUM, c, none, &r);
  start_once(&r, "MPI_Reduce_scatter_block_init", 8 * size, 8);
  MPI_Scan_init(out, in, 2, MPI_INT, MPI_SUM, c, none, &r);
  start_once(&r, "MPI_Scan_init", 8, 8);
  MPI_Exscan_init(out, in, 2, MPI_INT, MPI_SUM, c, none, &r);
  start_once(&r, "MPI_Exscan_init", 8, is_root ? 0 : 8);
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
    MPI_Pready(0, r[1]);
    expect_call("MPI_Pready", 0, 0, 0);
    MPI_Pready_range(1, 2, r[1]);
    expect_call("MPI_Pready_range", 0, 0, 0);
    const int last = 3;
    MPI_Pready_list(1, &last, r[1]);
    expect_call("MPI_Pready_list", 0, 0, 0);
    for (int arrived = 0; !arrived;) {
      MPI_Parrived(r[0], 0, &arrived);
      expect_polled("MPI_Parrived", 0, 0, 0);
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
  // Nothing here depends on the status of MPI_Isendrecv, because some MPIs do not fill it in.
  MPI_Isendrecv(out, 3, MPI_INT, right, 1, in, 3, MPI_INT, left, 1, comm, &request);
  expect_call("MPI_Isendrecv", size, 12, 0);
  expect_sent(right, 12);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 12);
  expect_received(left, 12);
  MPI_Isendrecv_replace(out, 2, MPI_INT, right, 2, left, 2, comm, &request);
  expect_call("MPI_Isendrecv_replace", size, 8, 0);
  expect_sent(right, 8);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 8);
  expect_received(left, 8);
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
  other_persistent_collectives(comm);
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
