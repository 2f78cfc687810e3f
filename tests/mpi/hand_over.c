// MPI_THREAD_MULTIPLE: one thread posts requests and another completes them, either while the first
// thread still lives or after it has ended (a new thread may then have its data at the same
// address). Also tests collectives on two communicators that end in different orders on different
// ranks, and communicators that are made in different orders.
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "expect.h"

enum { kRounds = 8, kOwnMessages = 400 };

static int rank, size, right, left;
static double out[2], in[4], own;
static MPI_Request requests[4];

/// Exchanges messages within this thread, and then posts the requests that another thread
/// completes.
static void* post(void* nothing) {
  MPI_Request request;
  for (int i = 0; i < kOwnMessages; ++i) {
    MPI_Irecv(&own, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_call("MPI_Irecv", size, 0, 0);
    expect_call("MPI_Send", size, 8, 0);
    expect_call("MPI_Wait", size, 0, 8);
    expect_request("MPI_Irecv", size, 0, 8);
    expect_sent(rank, 8);
    expect_received(rank, 8);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(in + 2 * i, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2 + i, MPI_COMM_WORLD, &requests[i]);
    expect_call("MPI_Irecv", size, 0, 0);
  }
  for (int i = 0; i < 2; ++i) {  // MPICH gives both requests the same handle
    MPI_Isend(out, 1, MPI_DOUBLE, right, 2 + i, MPI_COMM_WORLD, &requests[2 + i]);
    expect_call("MPI_Isend", size, 8, 0);
    expect_sent(right, 8);
  }
  return nothing;
}

static void* complete(void* argument) {
  const int round = *(int*)argument;
  int index, done, indices[4];
  if (round % 3 == 0) {
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    expect_call("MPI_Waitall", size, 0, 16);
  } else if (round % 3 == 1) {
    for (int i = 0; i < 4; ++i) {
      MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
      expect_call("MPI_Waitany", size, 0, index < 2 ? 8 : 0);
    }
  } else {
    for (int left_over = 4; left_over > 0; left_over -= done) {
      MPI_Testsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
      int received = 0;
      for (int i = 0; i < done; ++i) received += indices[i] < 2 ? 8 : 0;
      expect_call("MPI_Testsome", done > 0 ? size : 0, 0, received);
    }
  }
  for (int i = 0; i < 2; ++i) {
    expect_received(left, 8);
    expect_request("MPI_Irecv", size, 0, 8);
    expect_request("MPI_Isend", size, 8, 0);
  }
  return NULL;
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  expect_instance("MPI_Barrier", size);
}

static void hand_over(void) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_t first, second;
    pthread_create(&first, NULL, post, NULL);
    pthread_join(first, NULL);
    barrier();  // afterwards the messages are there and completing takes no time
    pthread_create(&second, NULL, complete, &round);
    pthread_join(second, NULL);
  }
}

static pthread_barrier_t posted, completed;
static void* post_and_stay(void* nothing) {
  post(NULL);
  pthread_barrier_wait(&posted);
  pthread_barrier_wait(&completed);
  return nothing;
}
static void hand_over_alive(void) {
  pthread_barrier_init(&posted, NULL, 2);
  pthread_barrier_init(&completed, NULL, 2);
  for (int round = 0; round < kRounds; ++round) {
    pthread_t first;
    pthread_create(&first, NULL, post_and_stay, NULL);
    pthread_barrier_wait(&posted);
    complete(&round);
    pthread_barrier_wait(&completed);
    pthread_join(first, NULL);
  }
}

// ---- Two communicators with the same members ----

static MPI_Comm of_barrier, of_sum;
static sem_t barrier_is_over, sum_is_over;

/// Waits for two seconds at most, so that the test also ends if the MPI library makes no progress
/// while a thread waits here.
static void wait_for(sem_t* event) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 2;
  sem_timedwait(event, &end);
}

/// On even ranks, the sum ends after the barrier; on odd ranks, the barrier begins after the sum.
static void add(void* a, void* b, int* count, MPI_Datatype* type) {
  (void)type;
  if (rank % 2 == 0) wait_for(&barrier_is_over);
  for (int i = 0; i < *count; ++i) ((double*)b)[i] += ((double*)a)[i];
}
static void* have_barrier(void* nothing) {
  if (rank % 2 != 0) wait_for(&sum_is_over);
  MPI_Barrier(of_barrier);
  sem_post(&barrier_is_over);
  return nothing;
}
static void* have_sum(void* operation) {
  double one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, *(MPI_Op*)operation, of_sum);
  CHECK(sum == size);
  sem_post(&sum_is_over);
  return NULL;
}

static void two_at_once(void) {
  pthread_t threads[2];
  MPI_Op operation;
  MPI_Op_create(add, 1, &operation);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_barrier);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_sum);
  sem_init(&barrier_is_over, 0, 0);
  sem_init(&sum_is_over, 0, 0);
  pthread_create(&threads[0], NULL, have_sum, &operation);
  pthread_create(&threads[1], NULL, have_barrier, NULL);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  expect_call("MPI_Barrier", size, 0, 0);
  expect_instance("MPI_Barrier", size);
  expect_call("MPI_Allreduce", size, 8, 8);
  expect_instance("MPI_Allreduce", size);
  MPI_Op_free(&operation);
  MPI_Comm_free(&of_barrier);
  MPI_Comm_free(&of_sum);
}

/// Copies two communicators with MPI_Comm_idup, in different orders on different ranks. Only
/// non-blocking calls, on different communicators, may be in different orders.
static void made_in_other_orders(void) {
  MPI_Comm parents[2], copies[2];
  MPI_Request request[2];
  double one = 1, sum;
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  for (int i = 0; i < 2; ++i) {
    const int which = rank % 2 == 0 ? i : 1 - i;
    MPI_Comm_idup(parents[which], &copies[which], &request[which]);
    expect_call("MPI_Comm_idup", size, 0, 0);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    expect_call("MPI_Wait", size, 0, 0);
    expect_request("MPI_Comm_idup", size, 0, 0);
  }
  MPI_Barrier(copies[0]);
  expect_call("MPI_Barrier", size, 0, 0);
  expect_instance("MPI_Barrier", size);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, copies[1]);
  expect_call("MPI_Allreduce", size, 8, 8);
  expect_instance("MPI_Allreduce", size);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_free(&copies[i]);
    MPI_Comm_free(&parents[i]);
  }
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  hand_over();
  hand_over_alive();
  two_at_once();
  made_in_other_orders();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
