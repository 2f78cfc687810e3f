// Collectives on intra-communicators: blocking, non-blocking, in place, and with a different count
// for each rank. The expected bytes are those of this rank's buffers, including the block that it
// sends to itself.
#include <stdlib.h>

#include "counts.h"

enum { kMaxRanks = 16, kN = 6 };  // elements of a block; MPI_INT is 4 bytes

static int rank, size;
static int out[kMaxRanks * 32], in[kMaxRanks * 32];
static Count counts[kMaxRanks];
static Displ displs[kMaxRanks], byte_displs[kMaxRanks];
static MPI_Datatype types[kMaxRanks];
static long long all_counts;  // sum of counts, in bytes

static const long long kBlock = 4 * kN;

static void finish(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
}

static void one_to_all(int root) {
  MPI_Request r;
  const int is_root = rank == root;
  MPI_Bcast(out, kN, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Bcast", size, is_root ? kBlock : 0, is_root ? 0 : kBlock);
  MPI_Ibcast(out, kN, MPI_INT, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ibcast", size, is_root ? kBlock : 0, is_root ? 0 : kBlock);
  finish(&r);
  MPI_Scatter(out, kN, MPI_INT, in, kN, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Scatter", size, is_root ? kBlock * size : 0, kBlock);
  MPI_Scatter(out, kN, MPI_INT, is_root ? MPI_IN_PLACE : in, kN, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Scatter", size, is_root ? kBlock * size : 0, kBlock);
  MPI_Iscatter(out, kN, MPI_INT, in, kN, MPI_INT, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iscatter", size, is_root ? kBlock * size : 0, kBlock);
  finish(&r);
  // Arguments that only the root uses may have any value on the other ranks.
  MPI_Scatterv(is_root ? out : NULL, is_root ? counts : NULL, is_root ? displs : NULL, MPI_INT, in,
               counts[rank], MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Scatterv", size, is_root ? all_counts : 0, 4 * counts[rank]);
  MPI_Scatterv(out, counts, displs, MPI_INT, is_root ? MPI_IN_PLACE : in, counts[rank], MPI_INT,
               root, MPI_COMM_WORLD);
  expect_call("MPI_Scatterv", size, is_root ? all_counts : 0, 4 * counts[rank]);
  MPI_Iscatterv(out, counts, displs, MPI_INT, in, counts[rank], MPI_INT, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iscatterv", size, is_root ? all_counts : 0, 4 * counts[rank]);
  finish(&r);
}

static void all_to_one(int root) {
  MPI_Request r;
  const int is_root = rank == root;
  MPI_Reduce(out, in, kN, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  expect_call("MPI_Reduce", size, kBlock, is_root ? kBlock : 0);
  MPI_Reduce(is_root ? MPI_IN_PLACE : out, is_root ? in : NULL, kN, MPI_INT, MPI_SUM, root,
             MPI_COMM_WORLD);
  expect_call("MPI_Reduce", size, kBlock, is_root ? kBlock : 0);
  MPI_Ireduce(out, in, kN, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ireduce", size, kBlock, is_root ? kBlock : 0);
  finish(&r);
  MPI_Gather(out, kN, MPI_INT, in, kN, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Gather", size, kBlock, is_root ? kBlock * size : 0);
  MPI_Gather(is_root ? MPI_IN_PLACE : out, kN, MPI_INT, in, kN, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Gather", size, kBlock, is_root ? kBlock * size : 0);
  MPI_Igather(out, kN, MPI_INT, in, kN, MPI_INT, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Igather", size, kBlock, is_root ? kBlock * size : 0);
  finish(&r);
  MPI_Gatherv(out, counts[rank], MPI_INT, is_root ? in : NULL, is_root ? counts : NULL,
              is_root ? displs : NULL, MPI_INT, root, MPI_COMM_WORLD);
  expect_call("MPI_Gatherv", size, 4 * counts[rank], is_root ? all_counts : 0);
  MPI_Gatherv(is_root ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in, counts, displs, MPI_INT,
              root, MPI_COMM_WORLD);
  expect_call("MPI_Gatherv", size, 4 * counts[rank], is_root ? all_counts : 0);
  MPI_Igatherv(out, counts[rank], MPI_INT, in, counts, displs, MPI_INT, root, MPI_COMM_WORLD, &r);
  expect_call("MPI_Igatherv", size, 4 * counts[rank], is_root ? all_counts : 0);
  finish(&r);
}

static void all_to_all(void) {
  MPI_Request r;
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  expect_call("MPI_Ibarrier", size, 0, 0);
  finish(&r);
  MPI_Allgather(out, kN, MPI_INT, in, kN, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Allgather", size, kBlock, kBlock * size);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, kN, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Allgather", size, kBlock, kBlock * size);
  MPI_Iallgather(out, kN, MPI_INT, in, kN, MPI_INT, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iallgather", size, kBlock, kBlock * size);
  finish(&r);
  MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Allgatherv", size, 4 * counts[rank], all_counts);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Allgatherv", size, 4 * counts[rank], all_counts);
  MPI_Iallgatherv(out, counts[rank], MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iallgatherv", size, 4 * counts[rank], all_counts);
  finish(&r);

  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Alltoall", size, 8 * size, 8 * size);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Alltoall", size, 8 * size, 8 * size);
  MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ialltoall", size, 8 * size, 8 * size);
  finish(&r);

  // Rank i sends i + 1 elements to everyone.
  Count mine[kMaxRanks];
  for (int i = 0; i < size; ++i) mine[i] = rank + 1;
  const long long sent = 4LL * (rank + 1) * size;
  MPI_Alltoallv(out, mine, displs, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  expect_call("MPI_Alltoallv", size, sent, all_counts);
  MPI_Ialltoallv(out, mine, displs, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ialltoallv", size, sent, all_counts);
  finish(&r);
  MPI_Alltoallw(out, mine, byte_displs, types, in, counts, byte_displs, types, MPI_COMM_WORLD);
  expect_call("MPI_Alltoallw", size, sent, all_counts);
  MPI_Ialltoallw(out, mine, byte_displs, types, in, counts, byte_displs, types, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ialltoallw", size, sent, all_counts);
  finish(&r);
  for (int i = 0; i < size; ++i) mine[i] = 3;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, mine, displs, MPI_INT,
                MPI_COMM_WORLD);
  expect_call("MPI_Alltoallv", size, 12 * size, 12 * size);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, mine, byte_displs, types, MPI_COMM_WORLD);
  expect_call("MPI_Alltoallw", size, 12 * size, 12 * size);
}

static void reductions(void) {
  MPI_Request r;
  MPI_Allreduce(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, kBlock, kBlock);
  MPI_Allreduce(MPI_IN_PLACE, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, kBlock, kBlock);
  MPI_Allreduce(out, in, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, 0, 0);
  MPI_Iallreduce(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iallreduce", size, kBlock, kBlock);
  finish(&r);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Reduce_scatter", size, all_counts, 4 * counts[rank]);
  MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Reduce_scatter", size, all_counts, 4 * counts[rank]);
  MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ireduce_scatter", size, all_counts, 4 * counts[rank]);
  finish(&r);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Reduce_scatter_block", size, 8 * size, 8);
  MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  expect_call("MPI_Ireduce_scatter_block", size, 8 * size, 8);
  finish(&r);
  MPI_Scan(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Scan", size, kBlock, kBlock);
  MPI_Iscan(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iscan", size, kBlock, kBlock);
  finish(&r);
  MPI_Exscan(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Exscan", size, kBlock, rank == 0 ? 0 : kBlock);
  MPI_Iexscan(out, in, kN, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  expect_call("MPI_Iexscan", size, kBlock, rank == 0 ? 0 : kBlock);
  finish(&r);
}

static void add_up(void* in, void* inout, Count* n, MPI_Datatype* type) {
  (void)type;
  for (Count i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void an_operation_of_our_own(void) {
  MPI_Op op;
  int flag, a[2] = {1, 2}, b[2] = {3, 4};
  MPI_Op_create(add_up, 1, &op);
  MPI_Op_commutative(op, &flag);
  CHECK(flag);
  MPI_Reduce_local(a, b, 2, MPI_INT, op);
  CHECK(b[1] == 6);
  MPI_Allreduce(a, b, 2, MPI_INT, op, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, 8, 8);
  CHECK(b[0] == size);
  MPI_Op_free(&op);
}

static void smaller_communicator(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Allreduce(out, in, kN, MPI_INT, MPI_SUM, half);
  expect_call("MPI_Allreduce", size / 2, kBlock, kBlock);
  MPI_Bcast(out, kN, MPI_INT, 0, half);
  expect_call("MPI_Bcast", size / 2, rank < 2 ? kBlock : 0, rank < 2 ? 0 : kBlock);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size % 2 == 0 && size <= kMaxRanks);
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    displs[i] = 32 * i;
    byte_displs[i] = 4 * 32 * i;
    types[i] = MPI_INT;
    all_counts += 4 * counts[i];
  }
  for (int root = 0; root < 2; ++root) {
    one_to_all(root);
    all_to_one(root);
  }
  all_to_all();
  reductions();
  an_operation_of_our_own();
  smaller_communicator();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
