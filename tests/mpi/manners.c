// Tests what must be the same with the recorder as without: error codes and handlers, errno, calls
// before MPI_Init and after MPI_Finalize, attribute functions that call MPI, MPI_Pcontrol, and
// error handlers that leave MPI with longjmp.
#include <errno.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>

#include "expect.h"

static int rank, size, handled;
static jmp_buf back;

static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}

static void jump_out(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(back, 1);
}

static void errors(void) {
  int value = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class, code = MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  expect_call("MPI_Send", 0, 0, 0);  // it failed: nothing was moved
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_RANK);
  code = MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);
  expect_call("MPI_Bcast", 0, 0, 0);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_COUNT);

  MPI_Errhandler counting, jumping;
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  expect_call("MPI_Send", 0, 0, 0);
  CHECK(handled == 1);
  MPI_Comm_create_errhandler(jump_out, &jumping);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumping);
  if (setjmp(back) == 0) {
    MPI_Send(&value, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);  // does not return: is not counted
    CHECK(0);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&counting);
  MPI_Errhandler_free(&jumping);
  // A call after the jump is the program's own; it does not count as nested in MPI.
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect_call("MPI_Bcast", size, rank == 0 ? 4 : 0, rank == 0 ? 0 : 4);
}

static void errno_is_kept(void) {
  int value = 0;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  errno = 4711;
  MPI_Bcast(&value, 1, MPI_INT, 0, copy);  // on a communicator that the recorder has not seen yet
  expect_call("MPI_Bcast", size, rank == 0 ? 4 : 0, rank == 0 ? 0 : 4);
  CHECK(errno == 4711);
  MPI_Comm_free(&copy);
}

static int delete_copy(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)extra;
  int number = 0;
  MPI_Comm* const held = value;
  MPI_Bcast(&number, 1, MPI_INT, 0, *held);  // inside MPI_Comm_free: not the program's own call
  MPI_Comm_free(held);
  return MPI_SUCCESS;
}

static void attribute_functions(void) {
  int key, value = 0;
  MPI_Comm outer;
  static MPI_Comm inner;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_copy, &key, NULL);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &outer);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &inner);
  MPI_Sendrecv(&value, 0, MPI_INT, 0, 0, &value, 0, MPI_INT, 0, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", 1, 0, 0);
  expect_sent(rank, 0);
  expect_received(rank, 0);
  MPI_Bcast(&value, 1, MPI_INT, 0, inner);  // shows the inner communicator to the recorder
  expect_call("MPI_Bcast", size, rank == size - 1 ? 4 : 0, rank == size - 1 ? 0 : 4);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Comm_free(&outer);
  // MPI may use the freed handles again for new communicators. This communicator has the ranks in
  // the order of the world, unlike the freed ones.
  MPI_Comm again;
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  MPI_Bcast(&value, 1, MPI_INT, 0, again);
  expect_call("MPI_Bcast", size, rank == 0 ? 4 : 0, rank == 0 ? 0 : 4);
  MPI_Comm_free(&again);
  MPI_Comm_free_keyval(&key);
}

static void paused(void) {
  int value = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  expect_call("MPI_Irecv", size, 0, 0);
  expect_unfinished("MPI_Irecv", size);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_Pcontrol(0, "a region");
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
}

int main(int argc, char** argv) {
  int flag, version, subversion;
  MPI_Initialized(&flag);
  CHECK(!flag);
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size >= 2);
  errors();
  errno_is_kept();
  attribute_functions();
  paused();
  MPI_Finalize();
  MPI_Finalized(&flag);
  CHECK(flag);
  expect_write(rank);
  return 0;
}
