// Calls that move nothing: groups, communicators, topologies, attributes, info, datatypes, packing.
// They must hand every argument on unchanged; results are checked, and a few are counted.
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

static void datatypes(void) {
  MPI_Datatype type, again;
  MPI_Aint lb, extent, address;
  MPI_Count size_x, lb_x, extent_x;
  int bytes, integers, addresses, types, combiner, n;
  const int lengths[2] = {1, 2}, places[2] = {0, 4}, sizes[2] = {4, 4}, part[2] = {2, 2},
            zero[2] = {0, 0};
  const MPI_Aint offsets[2] = {0, 16};
  const MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
  char name[MPI_MAX_OBJECT_NAME];

  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 12);
  MPI_Type_dup(type, &again);
  MPI_Type_size_x(again, &size_x);
  CHECK(size_x == 12);
  MPI_Type_free(&again);
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_INDEXED && integers == 5);
  int* const contents = malloc((size_t)integers * sizeof *contents);
  MPI_Type_get_contents(type, integers, addresses, types, contents, NULL, &again);
  CHECK(contents[0] == 2 && again == MPI_INT);
  free(contents);
  MPI_Type_set_name(type, "indexed");
  MPI_Type_get_name(type, name, &n);
  CHECK(strcmp(name, "indexed") == 0);
  MPI_Type_free(&type);
  MPI_Type_create_struct(2, lengths, offsets, members, &type);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(lb == 0 && extent == 32);
  MPI_Type_get_true_extent_x(type, &lb_x, &extent_x);
  CHECK(extent_x == 32);
  MPI_Type_create_resized(type, 0, 64, &again);
  MPI_Type_get_extent_x(again, &lb_x, &extent_x);
  CHECK(extent_x == 64);
  MPI_Type_free(&again);
  MPI_Type_free(&type);
  MPI_Type_create_subarray(2, sizes, part, zero, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 16);
  MPI_Type_get_true_extent(type, &lb, &extent);
  CHECK(extent == 24);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT, &type);
  MPI_Type_free(&type);
  MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed_block(2, 2, offsets, MPI_INT, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 16);
  MPI_Type_free(&type);
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 8);
  MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 4);
  MPI_Get_address(&bytes, &address);
  CHECK((char*)address == (char*)&bytes);

  int values[3] = {1, 2, 3}, back[3] = {0}, position = 0;
  char buffer[64];
  MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &bytes);
  CHECK(bytes >= 12);
  MPI_Pack(values, 3, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(buffer, sizeof buffer, &position, back, 3, MPI_INT, MPI_COMM_WORLD);
  CHECK(back[2] == 3);
  MPI_Aint external = 0;
  MPI_Pack_external("external32", values, 3, MPI_INT, buffer, sizeof buffer, &external);
  CHECK(external == 12);
  external = 0;
  MPI_Unpack_external("external32", buffer, sizeof buffer, &external, back, 2, MPI_INT);
  CHECK(back[1] == 2);
}

static void add_up(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void the_rest(void) {
  MPI_Info info, copy;
  MPI_Op op;
  char text[MPI_MAX_ERROR_STRING + MPI_MAX_PROCESSOR_NAME], key[MPI_MAX_INFO_KEY];
  int n, flag, a[2] = {1, 2}, b[2] = {3, 4}, level;
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
  MPI_Info_delete(copy, "key");
  MPI_Info_free(&copy);
  MPI_Info_free(&info);
  MPI_Op_create(add_up, 1, &op);
  MPI_Op_commutative(op, &flag);
  CHECK(flag);
  MPI_Reduce_local(a, b, 2, MPI_INT, op);
  CHECK(b[1] == 6);
  MPI_Allreduce(a, b, 2, MPI_INT, op, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, 8, 8);
  CHECK(b[0] == size);
  MPI_Op_free(&op);
  int class, code;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "an error");
  MPI_Error_string(code, text, &n);
  CHECK(strcmp(text, "an error") == 0);
  MPI_Get_processor_name(text, &n);
  CHECK(n > 0);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&flag);
  CHECK(flag);
  void* memory;
  MPI_Alloc_mem(100, MPI_INFO_NULL, &memory);
  memset(memory, 1, 100);
  MPI_Free_mem(memory);
  MPI_Status status;
  MPI_Count elements;
  MPI_Status_set_elements(&status, MPI_INT, 3);
  MPI_Get_elements(&status, MPI_INT, &n);
  MPI_Get_elements_x(&status, MPI_INT, &elements);
  CHECK(n == 3 && elements == 3);
  MPI_Status_set_cancelled(&status, 0);
  MPI_Test_cancelled(&status, &flag);
  CHECK(!flag);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size % 2 == 0);
  int variables;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&variables);
  CHECK(variables > 0);
  MPI_T_finalize();
  groups();
  communicators();
  topologies();
  datatypes();
  the_rest();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
