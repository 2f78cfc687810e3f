// MPI I/O: written is sent, read is received, at the end of the file less than asked.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

static int rank, size;
static int out[64], in[64];

/// Individual, shared and ordered file pointers, on a file that is long enough.
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
  MPI_File_close(&file);
  expect_call("MPI_File_close", 0, 0, 0);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
