// Calls that move more than 2 GiB, so that bytes must be counted in 64 bits. The program itself
// stays small: its datatype is large but covers only 1 MiB of memory, and messages to MPI_PROC_NULL
// need no memory.
#include <mpi.h>
#include <stdlib.h>

#include "expect.h"

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size >= 2);

  // The datatype `huge` has 1000 blocks of 1 MiB with stride 0, so all blocks cover the same 1 MiB
  // of memory. Five elements of this datatype have about 5 GB of data, but use only this memory.
  enum { kMiB = 1 << 20 };
  static char memory[kMiB];
  MPI_Datatype block, huge;
  MPI_Type_contiguous(kMiB, MPI_CHAR, &block);
  MPI_Type_create_hvector(1000, 1, 0, block, &huge);
  MPI_Type_commit(&huge);
  const long long kHuge = 1000LL * kMiB;

  // A message to MPI_PROC_NULL moves nothing, whatever its size.
  MPI_Send(memory, 5, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  expect_call("MPI_Send", size, 0, 0);

  // A broadcast in a communicator of one rank: its bytes are counted although nothing is moved.
  MPI_Bcast(memory, 5, huge, 0, MPI_COMM_SELF);
  expect_call("MPI_Bcast", 1, 5 * kHuge, 0);
  MPI_Request request;
  // The receive has room for more than 4 GiB, but the message is 12 bytes long.
  MPI_Irecv(memory, 5, huge, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
  expect_call("MPI_Irecv", 1, 0, 0);
  MPI_Send("hello world", 12, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  expect_call("MPI_Send", 1, 12, 0);
  expect_sent(rank, 12);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", 1, 0, 12);
  expect_received(rank, 12);

  MPI_Type_free(&huge);
  MPI_Type_free(&block);
#if MPI_VERSION >= 4
  MPI_Bcast_c(memory, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect_call("MPI_Bcast_c", size, rank == 0 ? 100 : 0, rank == 0 ? 0 : 100);
  const MPI_Count counts[2] = {3, 3};
  const MPI_Aint displs[2] = {0, 10};
  if (size == 2) {
    MPI_Alltoallv_c(memory, counts, displs, MPI_CHAR, memory + 100, counts, displs, MPI_CHAR,
                    MPI_COMM_WORLD);
    expect_call("MPI_Alltoallv_c", size, 6, 6);
  }
  MPI_Sendrecv_c(memory, 7, MPI_CHAR, (rank + 1) % size, 0, memory + 50, 7, MPI_CHAR,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv_c", size, 7, 7);
  expect_sent((rank + 1) % size, 7);
  expect_received((rank + size - 1) % size, 7);
#endif
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
