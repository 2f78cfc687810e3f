// Inter-communicators: a peer is a rank of the other group. In a collective with a root, the other
// ranks of the root's group do not take part.
#include <mpi.h>
#include <stdlib.h>

#include "expect.h"

static int rank, size, side, here, locals, remotes;
static int out[256], in[256];
static MPI_Comm bridge;

/// The world rank of a rank of the other side; one side has the even ranks, the other the odd.
static int world_of(int remote_rank) { return 2 * remote_rank + (1 - side); }

static void messages(void) {
  MPI_Request request;
  const int mate = here;
  MPI_Irecv(in, 10, MPI_INT, MPI_ANY_SOURCE, 0, bridge, &request);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Send(out, 10, MPI_INT, mate, 0, bridge);
  expect_call("MPI_Send", size, 40, 0);
  expect_sent(world_of(mate), 40);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 40);
  expect_received(world_of(mate), 40);
}

static void collectives(void) {
  // The root is rank 0 of the even side.
  const int root = side == 0 ? (here == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  const int gives = root == MPI_ROOT, takes = side == 1;
  MPI_Bcast(out, 5, MPI_INT, root, bridge);
  expect_call("MPI_Bcast", size, gives ? 20 : 0, takes ? 20 : 0);
  MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge);
  expect_call("MPI_Scatter", size, gives ? 8 * remotes : 0, takes ? 8 : 0);
  MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge);
  expect_call("MPI_Gather", size, takes ? 8 : 0, gives ? 8 * remotes : 0);
  MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, root, bridge);
  expect_call("MPI_Reduce", size, takes ? 12 : 0, gives ? 12 : 0);
  MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, bridge);
  expect_call("MPI_Allgather", size, 8, 8 * remotes);
  expect_unkept("MPI_Allgather", size);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, bridge);
  expect_call("MPI_Alltoall", size, 8 * remotes, 8 * remotes);
  expect_unkept("MPI_Alltoall", size);
  MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, bridge);
  expect_call("MPI_Allreduce", size, 16, 16);
  expect_unkept("MPI_Allreduce", size);
  MPI_Barrier(bridge);
  expect_call("MPI_Barrier", size, 0, 0);
  expect_unkept("MPI_Barrier", size);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size % 2 == 0);
  MPI_Group others;
  MPI_Comm half, merged;
  side = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Comm_rank(half, &here);
  MPI_Comm_size(half, &locals);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 5, &bridge);
  MPI_Comm_remote_size(bridge, &remotes);
  MPI_Comm_remote_group(bridge, &others);
  int count;
  MPI_Group_size(others, &count);
  CHECK(count == remotes);
  MPI_Group_free(&others);
  messages();
  collectives();

  // The merged communicator has first the even world ranks, then the odd ones, so its world ranks
  // do not form an arithmetic sequence.
  MPI_Intercomm_merge(bridge, side, &merged);
  int there;
  MPI_Comm_rank(merged, &there);
  const int to = (there + 1) % size, from = (there + size - 1) % size;
  const int world_to = to < locals ? 2 * to : 2 * (to - locals) + 1;
  const int world_from = from < locals ? 2 * from : 2 * (from - locals) + 1;
  MPI_Sendrecv(out, 6, MPI_INT, to, 1, in, 6, MPI_INT, from, 1, merged, MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", size, 24, 24);
  expect_sent(world_to, 24);
  expect_received(world_from, 24);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&half);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
