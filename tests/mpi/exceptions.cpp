// An error handler leaves MPI, and with it the recorder's wrapper, by an exception or by longjmp.
// The recorder must not mistake later calls for calls inside the abandoned one, wherever they are
// on the stack. A call that a callback makes is inside the call that runs the callback.
#include <mpi.h>
#include <setjmp.h>

#include <stdexcept>

#include "expect.h"

static int rank, size;
static bool by_exception = true;
static jmp_buf back;

static void leave(MPI_Comm*, int*, ...) {
  if (by_exception) throw std::runtime_error("from MPI");
  longjmp(back, 1);
}

/// Calls MPI from a frame farther down the stack. The frame leaves most of its memory unwritten, so
/// that the remains of the abandoned call stay there.
template <int kBytes>
__attribute__((noinline)) static void barrier_from_below() {
  volatile char untouched[kBytes];
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  untouched[0] = 0;
}

__attribute__((noinline)) static void fail(int depth) {
  volatile char room[256];
  room[0] = 0;
  int value = 0;
  if (depth > 0)
    fail(depth - 1);
  else
    MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);  // does not return, is not counted
  room[1] = 0;
}

static void afterwards() {
  barrier_from_below<16>();
  barrier_from_below<1 << 16>();
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
}

static void sum(void* a, void* b, int* count, MPI_Datatype*) {
  int value;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);  // not counted as the program's own call
  for (int i = 0; i < *count; ++i) static_cast<int*>(b)[i] += static_cast<int*>(a)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expect_call("MPI_Comm_rank", 0, 0, 0);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  volatile int caught = 0;
  for (int depth = 0; depth < 4; ++depth) {
    try {
      fail(depth);
    } catch (const std::runtime_error&) {
      caught = caught + 1;
    }
    if (depth < 2)
      barrier_from_below<1 << 16>();  // right after the jump
    else
      afterwards();
  }
  by_exception = false;
  for (volatile int depth = 0; depth < 4; depth = depth + 1) {
    if (setjmp(back) == 0)
      fail(depth);
    else
      caught = caught + 1;
    barrier_from_below<1 << 16>();
    afterwards();
  }
  CHECK(caught == 8);

  MPI_Op op;
  int one = 1, total = 0;
  MPI_Op_create(sum, 1, &op);
  MPI_Allreduce(&one, &total, 1, MPI_INT, op, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, 4, 4);
  CHECK(total == size);
  MPI_Op_free(&op);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
