// MPI_THREAD_MULTIPLE: four threads of every rank exchange messages on the same communicator and on
// copies of it. All threads make and free handles at the same time.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

enum { kThreads = 4, kRounds = 60 };

static int rank, size, right, left;
static MPI_Comm copies[kThreads];

static void* work(void* argument) {
  const int me = *(int*)argument;
  double out[8] = {0}, in[8];
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request requests[2];
    MPI_Comm comm = round % 2 ? copies[me] : MPI_COMM_WORLD;
    MPI_Irecv(in, 8, MPI_DOUBLE, left, me, comm, &requests[0]);
    MPI_Isend(out, me + 1, MPI_DOUBLE, right, me, comm, &requests[1]);
    int flag = 0, index;
    if (round % 4 == 0) {
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else if (round % 4 == 1) {
      for (int i = 0; i < 2; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    } else if (round % 4 == 2) {
      for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    } else {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Datatype type;
    MPI_Type_contiguous(me + 1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 1, type, right, 10 + me, in, 1, type, left, 10 + me, comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, numbers[kThreads];
  pthread_t threads[kThreads];
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
  for (int t = 0; t < kThreads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &copies[t]);
  for (int t = 0; t < kThreads; ++t) {
    numbers[t] = t;
    pthread_create(&threads[t], NULL, work, &numbers[t]);
  }
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t)
    for (int round = 0; round < kRounds; ++round) {
      const long long bytes = 8 * (t + 1), typed = 4 * (t + 1);
      expect_call("MPI_Irecv", size, 0, 0);
      expect_call("MPI_Isend", size, bytes, 0);
      expect_sent(right, bytes);
      expect_received(left, bytes);
      if (round % 4 == 0) {
        expect_call("MPI_Wait", size, 0, bytes);
        expect_call("MPI_Wait", size, 0, 0);
      } else if (round % 4 == 1) {  // a poll that completes nothing has no communicator
        expect_polled("MPI_Test", 0, 0, 0);
        expect_call("MPI_Test", size, 0, bytes);
        expect_call("MPI_Test", size, 0, 0);
      } else if (round % 4 == 2) {
        expect_call("MPI_Waitany", size, 0, bytes);
        expect_call("MPI_Waitany", size, 0, 0);
      } else {
        expect_call("MPI_Waitall", size, 0, bytes);
      }
      expect_call("MPI_Sendrecv", size, typed, typed);
      expect_sent(right, typed);
      expect_received(left, typed);
    }
  for (int t = 0; t < kThreads; ++t) MPI_Comm_free(&copies[t]);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
