// Datatypes, packing, addresses: the results must be the same as without the recorder. The program
// sends nothing.
#include <stdlib.h>
#include <string.h>

#include "counts.h"

static MPI_Datatype type, again;
static Count bytes;

static void check_bytes(Count expected) {
  MPI_Type_size(type, &bytes);
  CHECK(bytes == expected);
  MPI_Type_free(&type);
}

static const Count lengths[2] = {1, 2}, places[2] = {0, 4}, sizes[2] = {4, 4}, part[2] = {2, 2},
                   zero[2] = {0, 0};
static const Extent offsets[2] = {0, 16};

static void constructors(void) {
  const MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
  const int block[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
  const int whole[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, one[2] = {1, 1};
  Extent lb, extent;
  MPI_Count lb_x, extent_x;
  MPI_Type_create_struct(2, lengths, offsets, members, &type);
  MPI_Type_get_extent(type, &lb, &extent);
  CHECK(lb == 0 && extent == 32);
  MPI_Type_get_true_extent_x(type, &lb_x, &extent_x);
  CHECK(extent_x == 32);
  MPI_Type_create_resized(type, 0, 64, &again);
  MPI_Type_get_extent_x(again, &lb_x, &extent_x);
  CHECK(extent_x == 64);
  MPI_Type_free(&again);
  check_bytes(20);
  MPI_Type_create_subarray(2, sizes, part, zero, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_get_true_extent(type, &lb, &extent);
  CHECK(extent == 24);
  check_bytes(16);
  MPI_Type_create_darray(1, 0, 2, sizes, block, whole, one, MPI_ORDER_C, MPI_INT, &type);
  check_bytes(64);
  MPI_Type_contiguous(3, MPI_INT, &type);
  check_bytes(12);
  MPI_Type_vector(2, 1, 4, MPI_INT, &type);
  check_bytes(8);
  MPI_Type_create_hvector(2, 1, 16, MPI_INT, &type);
  check_bytes(8);
  MPI_Type_create_hindexed(2, lengths, offsets, MPI_INT, &type);
  check_bytes(12);
  MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type);
  check_bytes(16);
  MPI_Type_create_hindexed_block(2, 2, offsets, MPI_INT, &type);
  check_bytes(16);
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 8);
  MPI_Type_create_f90_complex(12, MPI_UNDEFINED, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 16);
  MPI_Type_create_f90_integer(4, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 2 || bytes == 4);
  MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 4);
}

static void what_a_type_is_made_of(void) {
  MPI_Count size_x;
  char name[MPI_MAX_OBJECT_NAME];
  int n, combiner;
  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_dup(type, &again);
  MPI_Type_size_x(again, &size_x);
  CHECK(size_x == 12);
  MPI_Type_free(&again);
#ifdef APMT_LARGE_COUNTS
  MPI_Count integers, addresses, larges, types, counts[8];
  MPI_Type_get_envelope_c(type, &integers, &addresses, &larges, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_INDEXED && integers + larges == 5 && larges <= 8);
  int contents[8];
  MPI_Type_get_contents_c(type, integers, addresses, larges, types, contents, NULL, counts, &again);
  CHECK(again == MPI_INT);
#else
  int integers, addresses, types, contents[8];
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_INDEXED && integers == 5);
  MPI_Type_get_contents(type, integers, addresses, types, contents, NULL, &again);
  CHECK(contents[0] == 2 && again == MPI_INT);
#endif
  MPI_Type_set_name(type, "indexed");
  MPI_Type_get_name(type, name, &n);
  CHECK(strcmp(name, "indexed") == 0);
  check_bytes(12);
}

static int forget(MPI_Datatype of, int key, void* value, void* extra) {
  (void)of;
  (void)key;
  (void)value;
  (void)extra;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, flag, value = 5, *found;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &key, NULL);
  MPI_Type_set_attr(type, key, &value);
  MPI_Type_get_attr(type, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Type_delete_attr(type, key);
  MPI_Type_get_attr(type, key, &found, &flag);
  CHECK(!flag);
  MPI_Type_free_keyval(&key);
  MPI_Type_free(&type);
}

static void packing(void) {
  int values[3] = {1, 2, 3}, back[3] = {0};
  char buffer[64];
  Count position = 0;
  Extent external = 0;
  MPI_Aint address;
  MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &bytes);
  CHECK(bytes >= 12);
  MPI_Pack(values, 3, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(buffer, sizeof buffer, &position, back, 3, MPI_INT, MPI_COMM_WORLD);
  CHECK(back[2] == 3);
  MPI_Pack_external_size("external32", 3, MPI_INT, &external);
  CHECK(external == 12);
  external = 0;
  MPI_Pack_external("external32", values, 3, MPI_INT, buffer, sizeof buffer, &external);
  CHECK(external == 12);
  external = 0;
  MPI_Unpack_external("external32", buffer, sizeof buffer, &external, back, 2, MPI_INT);
  CHECK(back[1] == 2);
  MPI_Get_address(back, &address);
  CHECK((char*)address == (char*)back);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constructors();
  what_a_type_is_made_of();
  attributes();
  packing();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
