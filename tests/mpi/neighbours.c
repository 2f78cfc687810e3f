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
/// Expects the call of `init` that made the request, starts the request once, waits for it and
/// frees it.
static void start_once(const char* init, long long sent, long long received) {
  expect_call(init, size, 0, 0);
  MPI_Start(&request);
  expect_call("MPI_Start", size, sent, received);
  finish();
  MPI_Request_free(&request);
  expect_call("MPI_Request_free", 0, 0, 0);
}
#endif

/// Calls every neighbourhood collective. `blocks` is the number of blocks in the buffers;
/// neighbours[i] is the rank to which block i belongs, or MPI_PROC_NULL.
static void exchange(MPI_Comm comm, int blocks, const int* neighbours) {
  Count counts[8], sends[8], receives[8];
  Displ displs[8];
  MPI_Aint places[8];
  MPI_Datatype types[8];
  int there = 0;
  long long gathered = 0, sent = 0, received = 0;
  for (int i = 0; i < blocks; ++i) {
    const int is_there = neighbours[i] != MPI_PROC_NULL;
    counts[i] = 3;
    sends[i] = 3 + rank;  // unlike what is received, so that swapped arguments are noticed
    receives[i] = is_there ? 3 + neighbours[i] : 0;
    displs[i] = 64 * i;
    places[i] = 4 * 64 * i;
    types[i] = MPI_INT;
    there += is_there;
    gathered += is_there ? 4 * 3 : 0;
    sent += is_there ? 4 * (3 + rank) : 0;
    received += is_there ? 4 * (3 + neighbours[i]) : 0;
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
  MPI_Neighbor_allgatherv(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm);
  expect_call("MPI_Neighbor_allgatherv", size, there > 0 ? 12 : 0, gathered);
  MPI_Neighbor_alltoallv(out, sends, displs, MPI_INT, in, receives, displs, MPI_INT, comm);
  expect_call("MPI_Neighbor_alltoallv", size, sent, received);
  MPI_Neighbor_alltoallw(out, sends, places, types, in, receives, places, types, comm);
  expect_call("MPI_Neighbor_alltoallw", size, sent, received);
  MPI_Ineighbor_alltoallv(out, sends, displs, MPI_INT, in, receives, displs, MPI_INT, comm,
                          &request);
  expect_call("MPI_Ineighbor_alltoallv", size, sent, received);
  finish();
  MPI_Ineighbor_allgatherv(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm, &request);
  expect_call("MPI_Ineighbor_allgatherv", size, there > 0 ? 12 : 0, gathered);
  finish();
  MPI_Ineighbor_alltoallw(out, sends, places, types, in, receives, places, types, comm, &request);
  expect_call("MPI_Ineighbor_alltoallw", size, sent, received);
  finish();
#if MPI_VERSION >= 4
  const MPI_Info none = MPI_INFO_NULL;
  MPI_Neighbor_allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_allgather_init", there > 0 ? 8 : 0, 8 * there);
  MPI_Neighbor_allgatherv_init(out, 3, MPI_INT, in, counts, displs, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_allgatherv_init", there > 0 ? 12 : 0, gathered);
  MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, comm, none, &request);
  start_once("MPI_Neighbor_alltoall_init", 8 * there, 8 * there);
  MPI_Neighbor_alltoallv_init(out, sends, displs, MPI_INT, in, receives, displs, MPI_INT, comm,
                              none, &request);
  start_once("MPI_Neighbor_alltoallv_init", sent, received);
  MPI_Neighbor_alltoallw_init(out, sends, places, types, in, receives, places, types, comm, none,
                              &request);
  start_once("MPI_Neighbor_alltoallw_init", sent, received);
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // First a line of ranks, then a ring: grids of two dimensions, of which the second has length 1.
  for (int periodic = 0; periodic < 2; ++periodic) {
    MPI_Comm grid;
    const int dims[2] = {size, 1}, periods[2] = {periodic, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    int before, behind;
    MPI_Cart_shift(grid, 0, 1, &before, &behind);
    const int neighbours[4] = {before, behind, MPI_PROC_NULL, MPI_PROC_NULL};
    exchange(grid, 4, neighbours);
    MPI_Comm_free(&grid);
  }

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
  exchange(graph, 2, (const int[]){left, right});
  MPI_Comm_free(&graph);
  const int sources[2] = {left, right}, targets[2] = {left, right};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &distributed);
  exchange(distributed, 2, sources);
  MPI_Comm_free(&distributed);
  free(index);
  free(edges);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
