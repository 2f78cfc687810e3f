// Calls that move no data: groups, communicators, topologies, attributes, info. The recorder's
// wrappers must pass on every argument unchanged. The program checks the results, and expects the
// recording to count some of the calls.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static int rank, size;

static void groups(void) {
  MPI_Group world, some, rest, both, none;
  int n, result, there, first = 0, range[1][3] = {{0, size - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &first, &some);
  MPI_Group_excl(world, 1, &first, &rest);
  MPI_Group_size(rest, &n);
  CHECK(n == size - 1);
  MPI_Group_rank(some, &n);
  CHECK(n == (rank == 0 ? 0 : MPI_UNDEFINED));
  MPI_Group_union(some, rest, &both);
  MPI_Group_compare(both, world, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&both);
  MPI_Group_intersection(some, rest, &none);
  MPI_Group_size(none, &n);
  CHECK(n == 0);
  MPI_Group_difference(world, some, &both);
  MPI_Group_compare(both, rest, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&both);
  MPI_Group_range_incl(world, 1, range, &both);
  MPI_Group_size(both, &n);
  CHECK(n == (size + 1) / 2);
  MPI_Group_free(&both);
  MPI_Group_range_excl(world, 1, range, &both);
  MPI_Group_size(both, &n);
  CHECK(n == size / 2);
  MPI_Group_free(&both);
  first = 1;
  MPI_Group_translate_ranks(world, 1, &first, rest, &there);
  CHECK(there == 0);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, rest, &comm);
  expect_call("MPI_Comm_create", size, 0, 0);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  if (rank > 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, rest, 7, &comm);
    expect_call("MPI_Comm_create_group", size, 0, 0);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&rest);
  MPI_Group_free(&world);
}

static int copied, deleted;
static int copy_attr(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)key;
  ++copied;
  CHECK(extra == &copied);
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_attr(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void communicators(void) {
  MPI_Comm comm, other;
  MPI_Request request;
  char name[MPI_MAX_OBJECT_NAME];
  int n, key, flag, result, value = 5, *found;
  MPI_Comm_create_keyval(copy_attr, delete_attr, &key, &copied);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  expect_call("MPI_Comm_dup", size, 0, 0);
  MPI_Comm_set_attr(comm, key, &value);
  MPI_Comm_get_attr(comm, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other);
  CHECK(copied == 1);
  MPI_Comm_disconnect(&other);
  CHECK(deleted == 1);
  MPI_Comm_delete_attr(comm, key);
  CHECK(deleted == 2);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_set_name(comm, "a name");
  MPI_Comm_get_name(comm, name, &n);
  CHECK(n == 6 && strcmp(name, "a name") == 0);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_idup(comm, &other, &request);
  expect_call("MPI_Comm_idup", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Bcast(&value, 1, MPI_INT, 0, other);
  expect_call("MPI_Bcast", size, rank == 0 ? 4 : 0, rank == 0 ? 0 : 4);
  MPI_Comm_free(&other);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &other);
  MPI_Comm_size(other, &n);
  CHECK(n == size);
  MPI_Comm_free(&other);
  MPI_Comm_test_inter(comm, &flag);
  CHECK(!flag);
  MPI_Info info;
  MPI_Comm_get_info(comm, &info);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  MPI_Comm_get_parent(&other);
  CHECK(other == MPI_COMM_NULL);
  MPI_Comm_free(&comm);
}

/// Functions with names of MPI-1, which every MPI still has.
static void old_attributes(void) {
  MPI_Comm comm;
  int key, flag, value = 5, *found;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  expect_call("MPI_Comm_dup", size, 0, 0);
  MPI_Keyval_create(copy_attr, delete_attr, &key, &copied);
  MPI_Attr_put(comm, key, &value);
  MPI_Attr_get(comm, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Attr_delete(comm, key);
  MPI_Attr_get(comm, key, &found, &flag);
  CHECK(!flag);
  MPI_Keyval_free(&key);
  MPI_Comm_free(&comm);
}

static void graphs(void) {
  int* const index = malloc((size_t)size * sizeof *index);
  int* const edges = malloc(2 * (size_t)size * sizeof *edges);
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  MPI_Comm graph;
  int nodes, links, there, n, neighbours[2];
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
  MPI_Graphdims_get(graph, &nodes, &links);
  CHECK(nodes == size && links == 2 * size);
  MPI_Graph_get(graph, nodes, links, index, edges);
  CHECK(index[size - 1] == 2 * size);
  MPI_Graph_neighbors_count(graph, rank, &n);
  CHECK(n == 2);
  MPI_Graph_neighbors(graph, rank, n, neighbours);
  CHECK(neighbours[1] == (rank + 1) % size);
  MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &there);
  MPI_Comm_free(&graph);
  free(index);
  free(edges);
}

static void topologies(void) {
  MPI_Comm grid, row;
  int dims[2] = {0, 2}, periods[2] = {1, 0}, coords[2], there, n, type, remain[2] = {1, 0};
  MPI_Dims_create(size, 2, dims);
  CHECK(dims[0] == size / 2);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  expect_call("MPI_Cart_create", size, 0, 0);
  MPI_Topo_test(grid, &type);
  CHECK(type == MPI_CART);
  MPI_Cartdim_get(grid, &n);
  CHECK(n == 2);
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_rank(grid, coords, &there);
  CHECK(there == rank);
  MPI_Cart_get(grid, 2, dims, periods, coords);
  CHECK(periods[0] == 1 && periods[1] == 0);
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &there);
  MPI_Cart_sub(grid, remain, &row);
  MPI_Comm_size(row, &n);
  CHECK(n == size / 2);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);

  MPI_Comm graph;
  const int right = (rank + 1) % size, one = 1;
  int in, out, weighted, source, target;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK(in == 1 && out == 1);
  MPI_Dist_graph_neighbors(graph, 1, &source, MPI_UNWEIGHTED, 1, &target, MPI_UNWEIGHTED);
  CHECK(target == right);
  MPI_Comm_free(&graph);
}

static void the_rest(void) {
  MPI_Info info, copy;
  char text[MPI_MAX_PROCESSOR_NAME + MPI_MAX_LIBRARY_VERSION_STRING], key[MPI_MAX_INFO_KEY];
  int n, flag, level;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_dup(info, &copy);
  MPI_Info_get(copy, "key", 60, text, &flag);
  CHECK(flag && strcmp(text, "value") == 0);
  MPI_Info_get_valuelen(copy, "key", &n, &flag);
  CHECK(n == 5);
  MPI_Info_get_nkeys(copy, &n);
  CHECK(n == 1);
  MPI_Info_get_nthkey(copy, 0, key);
  CHECK(strcmp(key, "key") == 0);
#if MPI_VERSION >= 4
  MPI_Comm other;
  MPI_Request request;
  n = 60;
  MPI_Info_get_string(copy, "key", &n, text, &flag);
  CHECK(flag && strcmp(text, "value") == 0);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, copy, &other, &request);
  expect_call("MPI_Comm_idup_with_info", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Comm_free(&other);
  MPI_Info environment;
  MPI_Info_create_env(0, NULL, &environment);
  MPI_Info_free(&environment);
#endif
  MPI_Info_delete(copy, "key");
  MPI_Info_free(&copy);
  MPI_Info_free(&info);
  MPI_Get_processor_name(text, &n);
  CHECK(n > 0);
  MPI_Get_library_version(text, &n);
  CHECK(n > 0);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&flag);
  CHECK(flag);
  void* memory;
  MPI_Alloc_mem(100, MPI_INFO_NULL, &memory);
  memset(memory, 1, 100);
  MPI_Free_mem(memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size % 2 == 0);
  groups();
  communicators();
  old_attributes();
  topologies();
  graphs();
  the_rest();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
