// Requests from posting to completion: every form of Wait and Test, persistent requests, cancelled
// and freed requests, inactive and null handles in arrays, and handles that MPI reuses immediately.
#include <stdlib.h>
#include <string.h>

#include "counts.h"

enum { kPairs = 4 };

static int rank, size, right, left;
static double out[kPairs][16], in[kPairs][16];
static MPI_Request requests[2 * kPairs];

/// Posts all receives, then all sends, of 1, 2, 3 ... doubles. The receives have room for more.
static void post(int tag) {
  for (int i = 0; i < kPairs; ++i) {
    MPI_Irecv(in[i], 16, MPI_DOUBLE, i % 2 ? left : MPI_ANY_SOURCE, tag + i, MPI_COMM_WORLD,
              &requests[i]);
    expect_call("MPI_Irecv", size, 0, 0);
  }
  for (int i = 0; i < kPairs; ++i) {
    const int n = i + 1;
    const char* const name[] = {"MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Isend"};
    MPI_Request* const r = &requests[kPairs + i];
    switch (i) {
      case 1:
        MPI_Issend(out[i], n, MPI_DOUBLE, right, tag + i, MPI_COMM_WORLD, r);
        break;
      case 2:
        MPI_Ibsend(out[i], n, MPI_DOUBLE, right, tag + i, MPI_COMM_WORLD, r);
        break;
      default:
        MPI_Isend(out[i], n, MPI_DOUBLE, right, tag + i, MPI_COMM_WORLD, r);
        break;
    }
    expect_call(name[i], size, 8 * n, 0);
    expect_request(name[i], size, 8 * n, 0);
    expect_request("MPI_Irecv", size, 0, 8 * n);
    expect_sent(right, 8 * n);
    expect_received(left, 8 * n);
  }
}

static const long long kAll = 8 * (kPairs * (kPairs + 1) / 2);

static void every_wait(void) {
  MPI_Status statuses[2 * kPairs];
  int index, n, indices[2 * kPairs];

  post(0);
  MPI_Waitall(2 * kPairs, requests, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, kAll);
  MPI_Waitall(2 * kPairs, requests, MPI_STATUSES_IGNORE);  // all requests are null by now
  expect_call("MPI_Waitall", 0, 0, 0);

  post(10);
  MPI_Waitall(2 * kPairs, requests, statuses);
  expect_call("MPI_Waitall", size, 0, kAll);
  CHECK(statuses[0].MPI_SOURCE == left);

  post(20);
  for (int i = 0; i < 2 * kPairs; ++i) {
    MPI_Waitany(2 * kPairs, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index != MPI_UNDEFINED);
    expect_call("MPI_Waitany", size, 0, index < kPairs ? 8 * (index + 1) : 0);
  }
  MPI_Waitany(2 * kPairs, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED);
  expect_call("MPI_Waitany", 0, 0, 0);

  post(30);
  for (int left_over = 2 * kPairs; left_over > 0; left_over -= n) {
    MPI_Waitsome(2 * kPairs, requests, &n, indices, MPI_STATUSES_IGNORE);
    long long bytes = 0;
    for (int i = 0; i < n; ++i) bytes += indices[i] < kPairs ? 8 * (indices[i] + 1) : 0;
    expect_call("MPI_Waitsome", size, 0, bytes);
  }

  post(40);
  for (int i = 2 * kPairs - 1; i >= 0; --i) {
    MPI_Wait(&requests[i], i % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    expect_call("MPI_Wait", size, 0, i < kPairs ? 8 * (i + 1) : 0);
  }
  MPI_Request null = MPI_REQUEST_NULL;
  MPI_Wait(&null, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", 0, 0, 0);
}

static void every_test(void) {
  int flag, index, n, indices[2 * kPairs];

  // A Test call that completes nothing moves no bytes, and its communicator is not known.
  post(50);
  for (int i = 0; i < 2 * kPairs; ++i)
    for (flag = 0; !flag;) {
      MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
      if (flag)
        expect_call("MPI_Test", size, 0, i < kPairs ? 8 * (i + 1) : 0);
      else
        expect_call("MPI_Test", 0, 0, 0);
    }

  post(60);
  for (flag = 0; !flag;) {
    MPI_Testall(2 * kPairs, requests, &flag, MPI_STATUSES_IGNORE);
    expect_call("MPI_Testall", flag ? size : 0, 0, flag ? kAll : 0);
  }

#ifndef SMPI_H  // SMPI returns true although nothing completed, and testing takes no simulated time
  post(70);
  for (int done = 0; done < 2 * kPairs;) {
    MPI_Testany(2 * kPairs, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (flag) ++done;
    expect_call("MPI_Testany", flag ? size : 0, 0, flag && index < kPairs ? 8 * (index + 1) : 0);
  }
#endif

  post(80);
  for (int done = 0; done < 2 * kPairs; done += n) {
    MPI_Testsome(2 * kPairs, requests, &n, indices, MPI_STATUSES_IGNORE);
    long long bytes = 0;
    for (int i = 0; i < n; ++i) bytes += indices[i] < kPairs ? 8 * (indices[i] + 1) : 0;
    expect_call("MPI_Testsome", n > 0 ? size : 0, 0, bytes);
  }
}

static void persistent(void) {
  MPI_Request r[4];
  MPI_Recv_init(in[0], 16, MPI_DOUBLE, MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, &r[0]);
  expect_call("MPI_Recv_init", size, 0, 0);
  MPI_Send_init(out[0], 5, MPI_DOUBLE, right, 90, MPI_COMM_WORLD, &r[1]);
  expect_call("MPI_Send_init", size, 0, 0);
  MPI_Ssend_init(out[1], 3, MPI_DOUBLE, right, 91, MPI_COMM_WORLD, &r[2]);
  expect_call("MPI_Ssend_init", size, 0, 0);
  MPI_Recv_init(in[1], 16, MPI_DOUBLE, MPI_PROC_NULL, 92, MPI_COMM_WORLD, &r[3]);
  expect_call("MPI_Recv_init", size, 0, 0);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&r[0]);
    expect_call("MPI_Start", size, 0, 0);
    MPI_Start(&r[1]);
    expect_call("MPI_Start", size, 40, 0);
    expect_sent(right, 40);
    expect_received(left, 40);
    expect_request("MPI_Recv_init", size, 0, 40);
    expect_request("MPI_Send_init", size, 40, 0);
    // Two of the four requests are active.
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    expect_call("MPI_Waitall", size, 0, 40);
    CHECK(r[0] != MPI_REQUEST_NULL);
  }
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);  // the request is inactive: returns at once without a message
  expect_call("MPI_Wait", 0, 0, 0);

  MPI_Request again[2];
  MPI_Recv_init(in[2], 16, MPI_DOUBLE, left, 91, MPI_COMM_WORLD, &again[0]);
  expect_call("MPI_Recv_init", size, 0, 0);
  again[1] = r[2];
  MPI_Startall(2, again);
  expect_call("MPI_Startall", size, 24, 0);
  expect_sent(right, 24);
  expect_received(left, 24);
  expect_request("MPI_Recv_init", size, 0, 24);
  expect_request("MPI_Ssend_init", size, 24, 0);
  for (int i = 0; i < 2; ++i)
    for (int flag = 0; !flag;) {
      MPI_Test(&again[i], &flag, MPI_STATUS_IGNORE);
      expect_call("MPI_Test", flag ? size : 0, 0, flag && i == 0 ? 24 : 0);
    }
  for (int i = 0; i < 4; ++i) {
    MPI_Request_free(&r[i]);
    expect_call("MPI_Request_free", 0, 0, 0);
  }
  MPI_Request_free(&again[0]);
  expect_call("MPI_Request_free", 0, 0, 0);
}

/// Calls MPI_Irsend, MPI_Bsend_init and MPI_Rsend_init once. The barrier ensures that the receives
/// of ready sends are posted.
static void other_modes(void) {
  MPI_Request r[3];
  MPI_Irecv(in[0], 16, MPI_DOUBLE, left, 95, MPI_COMM_WORLD, &r[0]);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Irecv(in[1], 16, MPI_DOUBLE, left, 96, MPI_COMM_WORLD, &r[1]);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Irecv(in[2], 16, MPI_DOUBLE, left, 97, MPI_COMM_WORLD, &r[2]);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_call("MPI_Barrier", size, 0, 0);
  MPI_Request send[3];
  MPI_Irsend(out[0], 1, MPI_DOUBLE, right, 95, MPI_COMM_WORLD, &send[0]);
  expect_call("MPI_Irsend", size, 8, 0);
  MPI_Bsend_init(out[1], 2, MPI_DOUBLE, right, 96, MPI_COMM_WORLD, &send[1]);
  expect_call("MPI_Bsend_init", size, 0, 0);
  MPI_Rsend_init(out[2], 3, MPI_DOUBLE, right, 97, MPI_COMM_WORLD, &send[2]);
  expect_call("MPI_Rsend_init", size, 0, 0);
  MPI_Startall(2, send + 1);
  expect_call("MPI_Startall", size, 40, 0);
  MPI_Waitall(3, send, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 0);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 48);
  const char* const sends[] = {"MPI_Irsend", "MPI_Bsend_init", "MPI_Rsend_init"};
  for (int i = 0; i < 3; ++i) {
    expect_sent(right, 8 * (i + 1));
    expect_received(left, 8 * (i + 1));
    expect_request(sends[i], size, 8 * (i + 1), 0);
    expect_request("MPI_Irecv", size, 0, 8 * (i + 1));
  }
  for (int i = 1; i < 3; ++i) {
    MPI_Request_free(&send[i]);
    expect_call("MPI_Request_free", 0, 0, 0);
  }
}

/// Calls that examine a request without completing it, and calls that examine a status.
static void questions(void) {
  MPI_Request r;
  MPI_Status status;
  int flag = 0;
  Count n;
  MPI_Count elements;
  MPI_Irecv(in[0], 16, MPI_DOUBLE, left, 98, MPI_COMM_WORLD, &r);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Send(out[0], 3, MPI_DOUBLE, right, 98, MPI_COMM_WORLD);
  expect_call("MPI_Send", size, 24, 0);
  expect_sent(right, 24);
#ifndef SMPI_H  // in SMPI, asking takes no simulated time, so the flag never becomes true
  while (!flag) {
    MPI_Request_get_status(r, &flag, &status);
    expect_polled("MPI_Request_get_status", 0, 0, 0);
  }
#endif
  MPI_Wait(&r, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  CHECK(n == 3);
  expect_call("MPI_Wait", size, 0, 24);
  expect_received(left, 24);
  expect_request("MPI_Irecv", size, 0, 24);
#ifndef SMPI_H  // SMPI has none of these calls
  MPI_Status_set_elements(&status, MPI_INT, 3);
  MPI_Get_elements(&status, MPI_INT, &n);
  MPI_Get_elements_x(&status, MPI_INT, &elements);
  CHECK(n == 3 && elements == 3);
  MPI_Status_set_elements_x(&status, MPI_INT, 4);
  MPI_Get_elements_x(&status, MPI_INT, &elements);
  CHECK(elements == 4);
  MPI_Status_set_cancelled(&status, 0);
  MPI_Test_cancelled(&status, &flag);
  CHECK(!flag);
#endif
}

static int asked, freed;
static int on_query(void* extra, MPI_Status* status) {
  CHECK(extra == &asked);
  ++asked;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int on_free(void* extra) {
  CHECK(extra == &asked);
  ++freed;
  return MPI_SUCCESS;
}
static int on_cancel(void* extra, int complete) {
  (void)extra;
  (void)complete;
  return MPI_SUCCESS;
}

/// Tests a generalised request, which the program itself completes. It moves nothing, but the
/// program can wait for it.
static void generalised(void) {
  MPI_Request r;
  MPI_Grequest_start(on_query, on_free, on_cancel, &asked, &r);
  MPI_Grequest_complete(r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", 0, 0, 0);
  CHECK(asked == 1 && freed == 1);
}

static void cancelled_and_freed(void) {
  MPI_Request request;
  MPI_Status status;
  int cancelled;
  MPI_Irecv(in[0], 16, MPI_DOUBLE, left, 999, MPI_COMM_WORLD, &request);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  expect_call("MPI_Wait", size, 0, 0);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);

  // A send that is freed before it completes still counts as sent.
  MPI_Irecv(in[0], 16, MPI_DOUBLE, left, 100, MPI_COMM_WORLD, &requests[0]);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Isend(out[0], 2, MPI_DOUBLE, right, 100, MPI_COMM_WORLD, &request);
  expect_call("MPI_Isend", size, 16, 0);
  expect_sent(right, 16);
  MPI_Request_free(&request);
  expect_call("MPI_Request_free", 0, 0, 0);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 16);
  expect_received(left, 16);
  expect_request("MPI_Irecv", size, 0, 16);
}

/// Completes more requests in one call than a tool would copy into a buffer on its stack. MPICH
/// gives all of these sends the same handle.
static void many_at_once(void) {
#ifdef SMPI_H
  enum { kMany = 300 };  // SMPI's time grows with the square of the number
#else
  enum { kMany = 3000 };
#endif
  static MPI_Request many[2 * kMany];
  static int values[2 * kMany];
  for (int i = 0; i < kMany; ++i) {
    MPI_Irecv(&values[i], 1, MPI_INT, left, 200, MPI_COMM_WORLD, &many[i]);
    expect_call("MPI_Irecv", size, 0, 0);
  }
  for (int i = 0; i < kMany; ++i) {
    MPI_Isend(&values[kMany + i], 1, MPI_INT, right, 200, MPI_COMM_WORLD, &many[kMany + i]);
    expect_call("MPI_Isend", size, 4, 0);
    expect_sent(right, 4);
    expect_received(left, 4);
    expect_request("MPI_Irecv", size, 0, 4);
    expect_request("MPI_Isend", size, 4, 0);
  }
  MPI_Waitall(2 * kMany, many, MPI_STATUSES_IGNORE);
  expect_call("MPI_Waitall", size, 0, 4 * kMany);
}

/// A receive from MPI_ANY_SOURCE whose communicator is freed before the receive is completed.
static void communicator_freed_early(void) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Irecv(in[0], 16, MPI_DOUBLE, MPI_ANY_SOURCE, 0, copy, &request);
  expect_call("MPI_Irecv", size, 0, 0);
  MPI_Send(out[0], 4, MPI_DOUBLE, right, 0, copy);
  expect_call("MPI_Send", size, 32, 0);
  expect_sent(right, 32);
  MPI_Comm_free(&copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_call("MPI_Wait", size, 0, 32);
  expect_received(left, 32);
  expect_request("MPI_Irecv", size, 0, 32);
}

int main(int argc, char** argv) {
  static char buffer[1 << 16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  MPI_Buffer_attach(buffer, sizeof buffer);
  every_wait();
  every_test();
  persistent();
  other_modes();
  questions();
  generalised();
  cancelled_and_freed();
  many_at_once();
  communicator_freed_early();
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
