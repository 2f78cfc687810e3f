// A shared library that calls MPI's Fortran bindings as compiled Fortran does. private_mpi.c loads it
// with RTLD_LOCAL, as interpreters load their extensions, so that only this library sees the
// bindings.
#include <mpi.h>

#include "expect.h"

extern void mpi_waitall_(int* count, MPI_Fint* requests, MPI_Fint* statuses, int* error);
extern void mpi_testall_(int* count, MPI_Fint* requests, int* flag, MPI_Fint* statuses, int* error);

int work(void) {
  int rank, size, flag = 0, error = 0, none = 0, two = 2;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Fint statuses[2 * sizeof(MPI_Status) / sizeof(MPI_Fint)];
  MPI_Fint handles[2];
  mpi_waitall_(&none, handles, statuses, &error);
  expect_call("MPI_Waitall", 0, 0, 0);
  mpi_testall_(&none, handles, &flag, statuses, &error);
  expect_call("MPI_Testall", 0, 0, 0);

  int sent = rank, received = -1;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  expect_call("MPI_Isend", size, 4, 0);
  expect_sent((rank + 1) % size, 4);
  for (int i = 0; i < 2; ++i) handles[i] = MPI_Request_c2f(requests[i]);
  mpi_waitall_(&two, handles, statuses, &error);
  expect_call("MPI_Waitall", size, 0, 4);
  expect_received((rank + size - 1) % size, 4);
  MPI_Finalize();
  expect_write(rank);
  return error == 0 && flag && received == (rank + size - 1) % size ? 0 : 1;
}
