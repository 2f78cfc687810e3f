// Point-to-point messages: every blocking mode, all forms of status, wildcards, matched probes,
// MPI_PROC_NULL, empty messages, derived datatypes, absolute addresses, and communicators whose
// ranks differ from those of the world.
#include <stdlib.h>

#include "counts.h"

static int rank, size, right, left;
static double out[64], in[64];

static void ring_of_blocking_sends(void) {
  for (int mode = 0; mode < 4; ++mode) {
    const char* const name[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"};
    MPI_Request request;
    MPI_Irecv(in, 64, MPI_DOUBLE, left, mode, MPI_COMM_WORLD, &request);
    expect_call("MPI_Irecv", size, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);  // makes sure that the receive is posted before the ready send
    expect_call("MPI_Barrier", size, 0, 0);
    const int n = 8 + mode;
    switch (mode) {
      case 0:
        MPI_Send(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Ssend(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
        break;
      case 2:
        MPI_Bsend(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
        break;
      default:
        MPI_Rsend(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
        break;
    }
    expect_call(name[mode], size, 8 * n, 0);
    expect_sent(right, 8 * n);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_call("MPI_Wait", size, 0, 8 * n);
    expect_received(left, 8 * n);
  }
}

static void receive_forms(void) {
  MPI_Status status;
  // The message is shorter than the buffer. It is received from MPI_ANY_SOURCE, first with a
  // status, then without.
  for (int i = 0; i < 2; ++i) {
    MPI_Sendrecv(out, 3, MPI_INT, right, 7, in, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, i == 0 ? &status : MPI_STATUS_IGNORE);
    expect_call("MPI_Sendrecv", size, 12, 12);
    expect_sent(right, 12);
    expect_received(left, 12);
  }
  CHECK(status.MPI_SOURCE == left);
  MPI_Sendrecv_replace(out, 5, MPI_DOUBLE, right, 8, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv_replace", size, 40, 40);
  expect_sent(right, 40);
  expect_received(left, 40);

  // Even ranks send first. The receives have room for more than the message.
  for (int turn = 0; turn < 2; ++turn) {
    if (rank % 2 == turn) {
      MPI_Send(out, 2, MPI_DOUBLE, right, 9, MPI_COMM_WORLD);
      expect_call("MPI_Send", size, 16, 0);
      expect_sent(right, 16);
    } else {
      MPI_Recv(in, 64, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect_call("MPI_Recv", size, 0, 16);
      expect_received(left, 16);
    }
  }
}

static void nobody_and_nothing(void) {
  MPI_Send(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  expect_call("MPI_Send", size, 0, 0);
  expect_nobody("MPI_Send", size);
  MPI_Recv(in, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_call("MPI_Recv", size, 0, 0);
  expect_nobody("MPI_Recv", size);
  MPI_Request requests[2];
  MPI_Isend(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  expect_call("MPI_Isend", size, 0, 0);
  expect_nobody("MPI_Isend", size);
  MPI_Irecv(in, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  expect_call("MPI_Irecv", size, 0, 0);
  expect_nobody("MPI_Irecv", size);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 0);
  MPI_Sendrecv(NULL, 0, MPI_BYTE, right, 10, NULL, 0, MPI_BYTE, left, 10, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", size, 0, 0);
  expect_sent(right, 0);
  expect_received(left, 0);
}

static void probes(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int flag = 0;
  Count count;
#ifdef SMPI_H
  enum { kKinds = 1 };  // SMPI has no matched probes
#else
  enum { kKinds = 3 };
#endif
  for (int i = 0; i < kKinds; ++i) {
    MPI_Isend(out, 6 + i, MPI_INT, right, 20 + i, MPI_COMM_WORLD, &request);
    expect_call("MPI_Isend", size, 4 * (6 + i), 0);
    expect_sent(right, 4 * (6 + i));
    if (i == 0) {
      MPI_Probe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &status);
      expect_call("MPI_Probe", size, 0, 0);
      MPI_Get_count(&status, MPI_INT, &count);
      CHECK(count == 6);
      MPI_Iprobe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      expect_call("MPI_Iprobe", size, 0, 0);
      CHECK(flag);
      MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect_call("MPI_Recv", size, 0, 24);
#ifndef SMPI_H
    } else if (i == 1) {
      MPI_Mprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      expect_call("MPI_Mprobe", size, 0, 0);
      MPI_Mrecv(in, 64, MPI_INT, &message, MPI_STATUS_IGNORE);
      expect_call("MPI_Mrecv", size, 0, 28);
    } else {
      for (flag = 0; !flag;) {
        MPI_Improbe(left, 22, MPI_COMM_WORLD, &flag, &message, &status);
        expect_polled("MPI_Improbe", size, 0, 0);
      }
      MPI_Request receive;
      MPI_Imrecv(in, 64, MPI_INT, &message, &receive);
      expect_call("MPI_Imrecv", size, 0, 0);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      expect_call("MPI_Wait", size, 0, 32);
#endif
    }
    expect_received(left, 4 * (6 + i));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_call("MPI_Wait", size, 0, 0);
  }
}

static void derived_types(void) {
  MPI_Datatype column, big;
  MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(out, 1, column, right, 30, in, 64, MPI_DOUBLE, left, 30, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", size, 32, 32);
  expect_sent(right, 32);
  expect_received(left, 32);
  MPI_Type_free(&column);
  // MPI eventually reuses the handles of freed types; then the size must be that of the new type.
  for (int ints = 1; ints <= 32; ++ints) {
    MPI_Type_contiguous(ints, MPI_INT, &big);
    MPI_Type_commit(&big);
    MPI_Sendrecv(out, 1, big, right, 31, in, 1, big, left, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_call("MPI_Sendrecv", size, 4 * ints, 4 * ints);
    expect_sent(right, 4 * ints);
    expect_received(left, 4 * ints);
    MPI_Type_free(&big);
  }
}

static void absolute_addresses(void) {
  const Count lengths[2] = {3, 2};
  MPI_Aint address[4];
  MPI_Get_address(&out[0], &address[0]);
  MPI_Get_address(&out[20], &address[1]);
  MPI_Get_address(&in[0], &address[2]);
  MPI_Get_address(&in[20], &address[3]);
  const Extent sent_at[2] = {address[0], address[1]}, received_at[2] = {address[2], address[3]};
  MPI_Datatype sent, received;
  MPI_Type_create_hindexed(2, lengths, sent_at, MPI_DOUBLE, &sent);
  MPI_Type_create_hindexed(2, lengths, received_at, MPI_DOUBLE, &received);
  MPI_Type_commit(&sent);
  MPI_Type_commit(&received);
  out[21] = rank;
  in[21] = -1;
  MPI_Sendrecv(MPI_BOTTOM, 1, sent, right, 12, MPI_BOTTOM, 1, received, left, 12, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", size, 40, 40);
  expect_sent(right, 40);
  expect_received(left, 40);
  CHECK(in[21] == left);
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
}

static void other_ranks_than_the_worlds(void) {
  MPI_Comm reversed, pair;
  int there;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  MPI_Comm_rank(reversed, &there);
  const int to = (there + 1) % size, from = (there + size - 1) % size;
  MPI_Request request;
  MPI_Irecv(in, 64, MPI_DOUBLE, MPI_ANY_SOURCE, 1, reversed, &request);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Send(out, 9, MPI_DOUBLE, to, 1, reversed);
  expect_call("MPI_Send", size, 72, 0);
  expect_sent(size - 1 - to, 72);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 72);
  expect_received(size - 1 - from, 72);
  MPI_Sendrecv(out, 5, MPI_DOUBLE, to, 4, in, 64, MPI_DOUBLE, MPI_ANY_SOURCE, 4, reversed,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", size, 40, 40);
  expect_sent(size - 1 - to, 40);
  expect_received(size - 1 - from, 40);
  MPI_Comm_free(&reversed);

  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  const int mate = rank ^ 1;
  MPI_Sendrecv(out, 1, MPI_DOUBLE, 1 - rank % 2, 2, in, 1, MPI_DOUBLE, 1 - rank % 2, 2, pair,
               MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", 2, 8, 8);
  expect_sent(mate, 8);
  expect_received(mate, 8);
  MPI_Comm_free(&pair);

  MPI_Sendrecv(out, 2, MPI_DOUBLE, 0, 3, in, 2, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", 1, 16, 16);
  expect_sent(rank, 16);
  expect_received(rank, 16);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size % 2 == 0);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  static char buffer[1 << 16];
  MPI_Buffer_attach(buffer, sizeof buffer);
  ring_of_blocking_sends();
  receive_forms();
  nobody_and_nothing();
  probes();
  derived_types();
  absolute_addresses();
  other_ranks_than_the_worlds();
  void* detached;
  Count bytes;
  MPI_Buffer_detach(&detached, &bytes);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
