// Processes that connect while they run, by a port and by MPI_Comm_spawn; also publishes and looks
// up a port's name.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static int rank, size;

/// Whether this MPI can open a port. With some networks, MPIs cannot.
static int has_ports(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int there = MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS;
  expect_call("MPI_Open_port", 0, 0, 0);
  if (there) MPI_Close_port(port);
  if (there) expect_call("MPI_Close_port", 0, 0, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return there;
}

/// Rank 0 opens a port and accepts a connection; rank 1 receives the port's name and connects.
static void meet(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm other;
  int n, value = rank, theirs = -1;
  if (rank > 1) return;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    expect_call("MPI_Open_port", 0, 0, 0);
    MPI_Send(port, sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    expect_call("MPI_Send", size, sizeof port, 0);
    expect_sent(1, sizeof port);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    expect_call("MPI_Comm_accept", 1, 0, 0);
    MPI_Close_port(port);
    expect_call("MPI_Close_port", 0, 0, 0);
  } else {
    MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_call("MPI_Recv", size, 0, sizeof port);
    expect_received(0, sizeof port);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    expect_call("MPI_Comm_connect", 1, 0, 0);
  }
  MPI_Comm_remote_size(other, &n);
  CHECK(n == 1);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 5, &theirs, 1, MPI_INT, 0, 5, other, MPI_STATUS_IGNORE);
  expect_call("MPI_Sendrecv", 2, 4, 4);
  expect_sent(1 - rank, 4);
  expect_received(1 - rank, 4);
  CHECK(theirs == 1 - rank);
  MPI_Comm_disconnect(&other);
}

/// Publishes a port under a name and looks it up, if this MPI has a name service.
static void names(void) {
  char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME] = "";
  if (rank != 0) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Open_port(MPI_INFO_NULL, port);
  expect_call("MPI_Open_port", 0, 0, 0);
  if (MPI_Publish_name("apmt-test", MPI_INFO_NULL, port) == MPI_SUCCESS) {
    CHECK(MPI_Lookup_name("apmt-test", MPI_INFO_NULL, found) == MPI_SUCCESS);
    CHECK(strcmp(found, port) == 0);
    CHECK(MPI_Unpublish_name("apmt-test", MPI_INFO_NULL, port) == MPI_SUCCESS);
  }
  MPI_Close_port(port);
  expect_call("MPI_Close_port", 0, 0, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// Starts one process outside this world by each of two calls. Messages to and from it are counted,
/// but the table of peers has only ranks of this world.
static void spawn(const char* program) {
  char* arguments[] = {"child", NULL};
  char* programs[] = {(char*)program};
  char** all_arguments[] = {arguments};
  const int one[] = {1};
  const MPI_Info none[] = {MPI_INFO_NULL};
  for (int several = 0; several < 2; ++several) {
    MPI_Comm children;
    int code = -1, value = 7;
    if (several) {
      MPI_Comm_spawn_multiple(1, programs, all_arguments, one, none, 0, MPI_COMM_WORLD, &children,
                              &code);
      expect_call("MPI_Comm_spawn_multiple", size, 0, 0);
    } else {
      MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, &code);
      expect_call("MPI_Comm_spawn", size, 0, 0);
    }
    CHECK(code == MPI_SUCCESS);
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 0, 3, children);
      expect_call("MPI_Send", size + 1, 4, 0);
      MPI_Recv(&value, 1, MPI_INT, 0, 3, children, MPI_STATUS_IGNORE);
      expect_call("MPI_Recv", size + 1, 0, 4);
      CHECK(value == 8);
    }
    MPI_Comm_disconnect(&children);
  }
}

static int be_a_child(void) {
  MPI_Comm parent;
  int value;
  MPI_Comm_get_parent(&parent);
  MPI_Recv(&value, 1, MPI_INT, 0, 3, parent, MPI_STATUS_IGNORE);
  ++value;
  MPI_Send(&value, 1, MPI_INT, 0, 3, parent);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) return be_a_child();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!has_ports()) {
    fprintf(stderr, "this MPI cannot open a port\n");
    MPI_Finalize();
    return 77;
  }
  meet();
  names();
  spawn(argv[0]);
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
