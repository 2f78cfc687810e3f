// An error handler leaves MPI by switching to another stack, so the MPI call never returns. Then
// the stack on which it was called is unmapped. The recorder must not mistake later MPI calls for
// calls inside the one that never returned, whether their stack is near the unmapped one or far
// from it.
#include <mpi.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "expect.h"

enum { kStackBytes = 256 << 10 };

static int size;
static ucontext_t main_context, fiber;

static void leave(MPI_Comm* comm, int* error, ...) { setcontext(&main_context); }

static void fail(void) {
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);  // does not return: it is not counted
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
}

/// Runs the function on the given stack until it returns or switches away.
static void run_on(char* stack, void (*function)(void)) {
  volatile int is_back = 0;
  getcontext(&main_context);
  if (is_back) return;
  is_back = 1;
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = kStackBytes;
  fiber.uc_link = &main_context;
  makecontext(&fiber, function, 0);
  setcontext(&fiber);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (int next_is_near = 0; next_is_near < 2; ++next_is_near) {
    char* const stacks =
        mmap(NULL, 2 * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stacks != MAP_FAILED);
    run_on(stacks + kStackBytes, fail);
    CHECK(munmap(stacks + kStackBytes, kStackBytes) == 0);
    if (next_is_near) run_on(stacks, barrier);
    barrier();
    run_on(stacks, barrier);
    CHECK(munmap(stacks, kStackBytes) == 0);
  }
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
