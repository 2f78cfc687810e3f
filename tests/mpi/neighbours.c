// Neighbourhood collectives on four topologies: a grid with borders, a periodic grid, a graph and a
// distributed graph.
#include <stdlib.h>

#include "counts.h"

static int rank, size;
static int out[1024], in[1024];
static MPI_Request request;

static void finish(void) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
}

#if MPI_VERSION >= 4
/// Starts a persistent collective once and checks the bytes of the start and the wait.
static void start_once(const char* init, long long sent, long long received) {
  expect_call(init, size, 0, 0);
  MPI_Start(&request);
  expect_call("MPI_Start", size, sent, received);
  finish();
  MPI_Request_free(&request);
  expect_call("MPI_Request_free", 0, 0, 0);
}
#endif

/// `blocks` is the number of places in the buffers; present[i] says whether place i has a
/// neighbour.
static void exchange(MPI_Comm comm, int blocks, const int* present) {
  Count counts[8];
  Displ displs[8];
  MPI_Aint places[8];
  MPI_Datatype types[8];
  int there = 0;
  long long varied = 0;
  for (int i = 0; i < blocks; ++i) {
    counts[i] = 1 + rank;  // different on every rank, the same for all of its neighbours
    displs[i] = 64 * i;
    places[i] = 4 * 64 * i;
    types[i] = MPI_INT;
    there += present[i];
    varied += present[i] ? 4 * 3 : 0;
  }
  MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  expect_call("MPI_Neighbor_allgather", size, there > 0 ? 8 : 0, 8 * there);
  MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request);
  expect_call("MPI_Ineighbor_allgather", size, there > 0 ? 8 : 0, 8 * there);
  finish();
  MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  expect_call("MPI_Neighbor_alltoall", size, 8 * there, 8 * there);
  MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request);
  expect_call("MPI_Ineighbor_alltoall", size, 8 * there, 8 * there);
  finish();
  for (int i = 0; i < blocks; ++i) counts[i] = 3;  // now the same everywhere
  MPI_Neighbor_allgatherv(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm);
  expect_call("MPI_Neighbor_allgatherv", size, there > 0 ? 12 : 0, varied);
  MPI_Neighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm);
  expect_call("MPI_Neighbor_alltoallv", size, varied, varied);
  MPI_Neighbor_alltoallw(out, counts, places, types, in, counts, places, types, comm);
  expect_call("MPI_Neighbor_alltoallw", size, varied, varied);
  MPI_Ineighbor_alltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm,
                          &request);
  expect_call("MPI_Ineighbor_alltoallv", size, varied, varied);
  finish();
  MPI_Ineighbor_allgatherv(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm, &request);
  expect_call("MPI_Ineighbor_allgatherv", size, there > 0 ? 12 : 0, varied);
  finish();
  MPI_Ineighbor_alltoallw(out, counts, places, types, in, counts, places, types, comm, &request);
  expect_call("MPI_Ineighbor_alltoallw", size, varied, varied);
  finish();
#if MPI_VERSION >= 4
  const MPI_Info none = MPI_INFO_NULL;
  MPI_Neighbor_allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_allgather_init", there > 0 ? 8 : 0, 8 * there);
  MPI_Neighbor_allgatherv_init(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_allgatherv_init", there > 0 ? 12 : 0, varied);
  MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_alltoall_init", 8 * there, 8 * there);
  MPI_Neighbor_alltoallv_init(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, comm, none,
                              &request);
  start_once("MPI_Neighbor_alltoallv_init", varied, varied);
  MPI_Neighbor_alltoallw_init(out, counts, places, types, in, counts, places, types, comm, none,
                              &request);
  start_once("MPI_Neighbor_alltoallw_init", varied, varied);
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // First a line with two ends, then a ring: grids of two dimensions, one of which has length 1.
  for (int periodic = 0; periodic < 2; ++periodic) {
    MPI_Comm grid;
    const int dims[2] = {size, 1}, periods[2] = {periodic, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    int before, behind;
    MPI_Cart_shift(grid, 0, 1, &before, &behind);
    const int present[4] = {before != MPI_PROC_NULL, behind != MPI_PROC_NULL, 0, 0};
    exchange(grid, 4, present);
    MPI_Comm_free(&grid);
  }

  const int all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  int* const index = malloc((size_t)size * sizeof *index);
  int* const edges = malloc(2 * (size_t)size * sizeof *edges);
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Comm graph, distributed;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
  exchange(graph, 2, all);
  MPI_Comm_free(&graph);
  const int sources[2] = {left, right}, targets[2] = {left, right};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &distributed);
  exchange(distributed, 2, all);
  MPI_Comm_free(&distributed);
  free(index);
  free(edges);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
