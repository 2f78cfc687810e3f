// An error handler of C++ throws through MPI, and so through a preloaded library.
#include <mpi.h>

#include <stdexcept>

#include "expect.h"

static void throw_it(MPI_Comm*, int*, ...) { throw std::runtime_error("from MPI"); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, value = 0, caught = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(throw_it, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (int i = 0; i < 3; ++i) {
    try {
      MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);  // never returns: is not counted
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  CHECK(caught == 3);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
