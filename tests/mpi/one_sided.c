// One-sided communication: the bytes that the origin puts and gets, under every kind of
// synchronisation.
#include <stdlib.h>

#include "counts.h"

static int rank, size, right;
static double out[64], in[64];

static void fences(MPI_Win win) {
  MPI_Win_fence(0, win);
  expect_call("MPI_Win_fence", size, 0, 0);
  MPI_Put(out, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, win);
  expect_call("MPI_Put", size, 32, 0);
  MPI_Put(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, 4, MPI_DOUBLE, win);
  expect_call("MPI_Put", size, 0, 0);
  MPI_Win_fence(0, win);
  expect_call("MPI_Win_fence", size, 0, 0);
  MPI_Get(in, 3, MPI_DOUBLE, right, 0, 3, MPI_DOUBLE, win);
  expect_call("MPI_Get", size, 0, 24);
  MPI_Win_fence(0, win);
  expect_call("MPI_Win_fence", size, 0, 0);
  MPI_Accumulate(out, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, MPI_SUM, win);
  expect_call("MPI_Accumulate", size, 16, 0);
  MPI_Win_fence(0, win);
  expect_call("MPI_Win_fence", size, 0, 0);
}

static void locks(MPI_Win win) {
  long long value = 1, compare = 0, result = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  expect_call("MPI_Win_lock", size, 0, 0);
  MPI_Get_accumulate(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, MPI_SUM, win);
  expect_call("MPI_Get_accumulate", size, 16, 16);
  MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, in, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, MPI_NO_OP,
                     win);
  expect_call("MPI_Get_accumulate", size, 0, 16);
  // With MPI_NO_OP, the call only fetches; it ignores the origin's buffer.
  MPI_Get_accumulate(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, MPI_NO_OP,
                     win);
  expect_call("MPI_Get_accumulate", size, 0, 16);
  MPI_Fetch_and_op(NULL, &result, MPI_LONG_LONG, right, 32, MPI_NO_OP, win);
  expect_call("MPI_Fetch_and_op", size, 0, 8);
#ifndef SMPI_H
  MPI_Get_accumulate(NULL, 2, MPI_DATATYPE_NULL, in, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE,
                     MPI_NO_OP, win);
  expect_call("MPI_Get_accumulate", size, 0, 16);
#endif
  MPI_Fetch_and_op(&value, &result, MPI_LONG_LONG, right, 32, MPI_SUM, win);
  expect_call("MPI_Fetch_and_op", size, 8, 8);
  MPI_Compare_and_swap(&value, &compare, &result, MPI_LONG_LONG, right, 40, win);
  expect_call("MPI_Compare_and_swap", size, 16, 8);
  MPI_Win_flush(right, win);
  expect_call("MPI_Win_flush", size, 0, 0);
  MPI_Win_unlock(right, win);
  expect_call("MPI_Win_unlock", size, 0, 0);

  MPI_Request requests[2];
  MPI_Win_lock_all(0, win);
  expect_call("MPI_Win_lock_all", size, 0, 0);
  MPI_Rput(out, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win, &requests[0]);
  expect_call("MPI_Rput", size, 8, 0);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Win_flush_all(win);
  expect_call("MPI_Win_flush_all", size, 0, 0);
  MPI_Rget(in, 5, MPI_DOUBLE, right, 0, 5, MPI_DOUBLE, win, &requests[1]);
  expect_call("MPI_Rget", size, 0, 40);
  MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 0);
  MPI_Raccumulate(out, 2, MPI_DOUBLE, right, 0, 2, MPI_DOUBLE, MPI_SUM, win, &requests[0]);
  expect_call("MPI_Raccumulate", size, 16, 0);
  MPI_Rget_accumulate(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, right, 0, 3, MPI_DOUBLE, MPI_SUM, win,
                      &requests[1]);
  expect_call("MPI_Rget_accumulate", size, 24, 24);
#ifdef SMPI_H  // SMPI returns no request, so nobody knows when the operation completes
  CHECK(requests[1] == MPI_REQUEST_NULL);
  expect_unfinished("MPI_Rget_accumulate", size);
#endif
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 0);
  MPI_Win_flush_local(right, win);
  expect_call("MPI_Win_flush_local", size, 0, 0);
  MPI_Win_flush_local_all(win);
  expect_call("MPI_Win_flush_local_all", size, 0, 0);
  MPI_Win_sync(win);
  expect_call("MPI_Win_sync", size, 0, 0);
  MPI_Win_unlock_all(win);
  expect_call("MPI_Win_unlock_all", size, 0, 0);
}

/// Synchronises by start, complete, post and wait: each rank puts data into the window of its right
/// neighbour.
static void neighbours_only(void) {
  static double memory[8];
  MPI_Win win;
  MPI_Group world, to, from;
  const int left = (rank + size - 1) % size;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  expect_call("MPI_Win_create", size, 0, 0);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &from);
  MPI_Win_post(from, 0, win);
  expect_call("MPI_Win_post", size, 0, 0);
  MPI_Win_start(to, 0, win);
  expect_call("MPI_Win_start", size, 0, 0);
  MPI_Put(out, 2, MPI_DOUBLE, right, 1, 2, MPI_DOUBLE, win);
  expect_call("MPI_Put", size, 16, 0);
  MPI_Win_complete(win);
  expect_call("MPI_Win_complete", size, 0, 0);
  MPI_Win_wait(win);
  expect_call("MPI_Win_wait", size, 0, 0);
  MPI_Win_post(from, 0, win);
  expect_call("MPI_Win_post", size, 0, 0);
  MPI_Win_start(to, 0, win);
  expect_call("MPI_Win_start", size, 0, 0);
  MPI_Win_complete(win);
  expect_call("MPI_Win_complete", size, 0, 0);
#ifdef SMPI_H  // SMPI has no MPI_Win_test
  MPI_Win_wait(win);
  expect_call("MPI_Win_wait", size, 0, 0);
#else
  for (int flag = 0; !flag;) {
    MPI_Win_test(win, &flag);
    expect_polled("MPI_Win_test", size, 0, 0);
  }
#endif
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  expect_call("MPI_Win_free", 0, 0, 0);
}

/// Windows in shared memory, and windows whose memory is attached and detached.
static void other_windows(void) {
  MPI_Win win;
  double *memory, *theirs;
  MPI_Aint bytes;
  Displ unit;
  MPI_Win_allocate_shared(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                          &memory, &win);
  expect_call("MPI_Win_allocate_shared", size, 0, 0);
  MPI_Win_shared_query(win, right, &bytes, &unit, &theirs);
  CHECK(bytes == 32 && unit == 8 && theirs != NULL);
  MPI_Win_free(&win);
  expect_call("MPI_Win_free", 0, 0, 0);

  static double piece[4];
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  expect_call("MPI_Win_create_dynamic", size, 0, 0);
  MPI_Win_attach(win, piece, sizeof piece);
  expect_call("MPI_Win_attach", size, 0, 0);
  MPI_Win_detach(win, piece);
  expect_call("MPI_Win_detach", size, 0, 0);
  MPI_Win_free(&win);
  expect_call("MPI_Win_free", 0, 0, 0);
}

static int forget(MPI_Win win, int key, void* value, void* extra) {
  (void)win;
  (void)key;
  (void)value;
  (void)extra;
  return MPI_SUCCESS;
}

/// The properties of a window: group, name, info, attributes.
static void properties(MPI_Win win) {
  MPI_Group group;
  MPI_Info info;
  char name[MPI_MAX_OBJECT_NAME];
  int n, key, flag, value = 5, *found;
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &n);
  CHECK(n == size);
  MPI_Group_free(&group);
  MPI_Win_set_name(win, "a window");
  MPI_Win_get_name(win, name, &n);
  CHECK(n == 8);
  MPI_Win_get_info(win, &info);
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &key, NULL);
  MPI_Win_set_attr(win, key, &value);
  MPI_Win_get_attr(win, key, &found, &flag);
  CHECK(flag && found == &value);
  MPI_Win_delete_attr(win, key);
  MPI_Win_get_attr(win, key, &found, &flag);
  CHECK(!flag);
  MPI_Win_free_keyval(&key);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  double* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  expect_call("MPI_Win_allocate", size, 0, 0);
  fences(win);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  locks(win);
  properties(win);
  MPI_Win_free(&win);
  expect_call("MPI_Win_free", 0, 0, 0);
  neighbours_only();
  other_windows();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
