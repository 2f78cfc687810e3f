// MPI I/O: written bytes count as sent, read bytes as received. A read at the end of the file gets
// fewer bytes than it requested.
#include <stdio.h>
#include <stdlib.h>

#include "counts.h"

static int rank, size;
static int out[64], in[64];

/// Individual file pointers and an ordered write, in a file that is long enough for all reads.
static void pointers(MPI_File file) {
  MPI_Request request;
  MPI_Offset position;
  MPI_File_seek(file, 40 * rank, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_write(file, out, 5, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write", size, 20, 0);
  MPI_File_write_all(file, out, 5, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_all", size, 20, 0);
  MPI_File_get_position(file, &position);
  expect_call("MPI_File_get_position", 0, 0, 0);
  CHECK(position == 40 * rank + 40);
  MPI_File_seek(file, 40 * rank, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_read(file, in, 5, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read", size, 0, 20);
  MPI_File_read_all(file, in, 5, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_all", size, 0, 20);
  MPI_File_seek(file, 40 * rank, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_iread(file, in, 5, MPI_INT, &request);
  expect_call("MPI_File_iread", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 20);
  MPI_File_iwrite(file, out, 5, MPI_INT, &request);
  expect_call("MPI_File_iwrite", size, 20, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_File_write_ordered(file, out, 3, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_ordered", size, 12, 0);
}

/// The file pointer that all ranks share. The order of the ranks is random, so all of them write
/// the same data.
static void shared_pointer(MPI_File file) {
  MPI_Request request;
  MPI_Offset position;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek_shared", size, 0, 0);
  MPI_File_write_shared(file, out, 2, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_shared", size, 8, 0);
  MPI_File_iwrite_shared(file, out, 2, MPI_INT, &request);
  expect_call("MPI_File_iwrite_shared", size, 8, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_File_get_position_shared(file, &position);
  expect_call("MPI_File_get_position_shared", 0, 0, 0);
  CHECK(position == 16 * size);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek_shared", size, 0, 0);
  MPI_File_read_shared(file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_shared", size, 0, 8);
  MPI_File_iread_shared(file, in, 2, MPI_INT, &request);
  expect_call("MPI_File_iread_shared", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 8);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek_shared", size, 0, 0);
  MPI_File_read_ordered(file, in, 3, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_ordered", size, 0, 12);
}

/// Collectives that are split into begin and end calls, and those that return a request.
static void in_two_steps(MPI_File file) {
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_write_all_begin(file, out, 4, MPI_INT);
  expect_call("MPI_File_write_all_begin", size, 16, 0);
  MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_all_end", size, 0, 0);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_read_all_begin(file, in, 4, MPI_INT);
  expect_call("MPI_File_read_all_begin", size, 0, 0);
  MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_all_end", size, 0, 16);
  MPI_File_write_ordered_begin(file, out, 3, MPI_INT);
  expect_call("MPI_File_write_ordered_begin", size, 12, 0);
  MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_ordered_end", size, 0, 0);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek_shared", size, 0, 0);
  MPI_File_read_ordered_begin(file, in, 3, MPI_INT);
  expect_call("MPI_File_read_ordered_begin", size, 0, 0);
  MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_ordered_end", size, 0, 12);

  MPI_Request request;
  MPI_File_iwrite_at_all(file, 40 * rank, out, 10, MPI_INT, &request);
  expect_call("MPI_File_iwrite_at_all", size, 40, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_File_iread_at_all(file, 40 * rank, in, 10, MPI_INT, &request);
  expect_call("MPI_File_iread_at_all", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 40);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_iwrite_all(file, out, 4, MPI_INT, &request);
  expect_call("MPI_File_iwrite_all", size, 16, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  expect_call("MPI_File_seek", 0, 0, 0);
  MPI_File_iread_all(file, in, 4, MPI_INT, &request);
  expect_call("MPI_File_iread_all", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 16);
}

/// Queries and settings of a file.
static void properties(MPI_File file) {
  MPI_Offset bytes;
  MPI_Group group;
  MPI_Info info;
  MPI_Datatype element, view;
  Extent extent;
  char name[MPI_MAX_DATAREP_STRING];
  int n;
  MPI_File_set_size(file, 4000);
  expect_call("MPI_File_set_size", size, 0, 0);
  MPI_File_get_size(file, &bytes);
  expect_call("MPI_File_get_size", size, 0, 0);
  CHECK(bytes > 0);                  // with Open MPI, another rank may still be writing
  MPI_File_preallocate(file, 8000);  // some MPIs allocate whole blocks
  expect_call("MPI_File_preallocate", size, 0, 0);
  MPI_File_get_group(file, &group);
  expect_call("MPI_File_get_group", 0, 0, 0);
  MPI_Group_size(group, &n);
  CHECK(n == size);
  MPI_Group_free(&group);
  MPI_File_get_amode(file, &n);
  expect_call("MPI_File_get_amode", 0, 0, 0);
  CHECK(n == (MPI_MODE_CREATE | MPI_MODE_RDWR));
  MPI_File_get_info(file, &info);
  expect_call("MPI_File_get_info", 0, 0, 0);
  MPI_File_set_info(file, info);
  expect_call("MPI_File_set_info", 0, 0, 0);
  MPI_Info_free(&info);
  MPI_File_set_atomicity(file, 0);
  expect_call("MPI_File_set_atomicity", size, 0, 0);
  MPI_File_get_atomicity(file, &n);
  expect_call("MPI_File_get_atomicity", 0, 0, 0);
  CHECK(n == 0);
  MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  expect_call("MPI_File_set_view", size, 0, 0);
  MPI_File_get_view(file, &bytes, &element, &view, name);
  expect_call("MPI_File_get_view", 0, 0, 0);
  CHECK(bytes == 8);
  MPI_File_get_byte_offset(file, 3, &bytes);
  expect_call("MPI_File_get_byte_offset", 0, 0, 0);
  CHECK(bytes == 20);
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  expect_call("MPI_File_get_type_extent", 0, 0, 0);
  CHECK(extent == 4);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  expect_call("MPI_File_set_view", size, 0, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const directory = getenv("APMT_TEST_DIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/file", directory == NULL ? "." : directory);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  expect_call("MPI_File_open", size, 0, 0);
  const MPI_Offset mine = 40 * rank;
  MPI_File_write_at(file, mine, out, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_at", size, 40, 0);
  MPI_File_write_at_all(file, mine, out, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_at_all", size, 40, 0);
  MPI_File_sync(file);
  expect_call("MPI_File_sync", size, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_File_read_at(file, mine, in, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_at", size, 0, 40);
  MPI_File_read_at_all(file, mine, in, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_at_all", size, 0, 40);
  // Only two elements are left before the end.
  MPI_File_read_at(file, 40 * size - 8, in, 10, MPI_INT, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_at", size, 0, 8);
  MPI_Request request;
  MPI_File_iwrite_at(file, mine, out, 10, MPI_INT, &request);
  expect_call("MPI_File_iwrite_at", size, 40, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_File_iread_at(file, mine, in, 10, MPI_INT, &request);
  expect_call("MPI_File_iread_at", size, 0, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 40);
  MPI_File_write_at_all_begin(file, mine, out, 10, MPI_INT);
  expect_call("MPI_File_write_at_all_begin", size, 40, 0);
  MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
  expect_call("MPI_File_write_at_all_end", size, 0, 0);
  MPI_File_read_at_all_begin(file, mine, in, 10, MPI_INT);
  expect_call("MPI_File_read_at_all_begin", size, 0, 0);
  MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
  expect_call("MPI_File_read_at_all_end", size, 0, 40);
  pointers(file);
  shared_pointer(file);
  in_two_steps(file);
  properties(file);
  MPI_File_close(&file);
  expect_call("MPI_File_close", 0, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  if (rank == 0) {
    MPI_File_delete(path, MPI_INFO_NULL);
    expect_call("MPI_File_delete", 0, 0, 0);
  }
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
