// Sets, queries and calls the error handlers of every kind of object, and adds error classes and
// codes. MPI must return errors as the program has requested.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static int rank, size, handled;

static void on_comm(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}
static void on_file(MPI_File* file, int* code, ...) {
  (void)file;
  (void)code;
  ++handled;
}
static void on_window(MPI_Win* win, int* code, ...) {
  (void)win;
  (void)code;
  ++handled;
}

static void communicators(void) {
  MPI_Errhandler ours, there;
  MPI_Comm_create_errhandler(on_comm, &ours);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, ours);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &there);
  CHECK(there == ours);
  MPI_Errhandler_free(&there);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  CHECK(handled == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&ours);
  // The program handles errors: MPI returns the same code as without the recorder, and the program
  // goes on. A failed call moves nothing.
  int class, nothing = 0;
  const int code = MPI_Send(&nothing, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
  expect_call("MPI_Send", 0, 0, 0);
  CHECK(code != MPI_SUCCESS);
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_RANK);
}

static void files(void) {
  MPI_Errhandler ours, there;
  MPI_File file;
  const char* const directory = getenv("APMT_TEST_DIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/file", directory == NULL ? "." : directory);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  expect_call("MPI_File_open", size, 0, 0);
  MPI_File_create_errhandler(on_file, &ours);
  MPI_File_set_errhandler(file, ours);
  MPI_File_get_errhandler(file, &there);
  CHECK(there == ours);
  MPI_Errhandler_free(&there);
  handled = 0;
  MPI_File_call_errhandler(file, MPI_ERR_OTHER);
  CHECK(handled == 1);
  MPI_Errhandler_free(&ours);
  MPI_File_close(&file);
  expect_call("MPI_File_close", 0, 0, 0);
}

static void windows(void) {
  MPI_Errhandler ours, there;
  MPI_Win win;
  static double memory[4];
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  expect_call("MPI_Win_create", size, 0, 0);
  MPI_Win_create_errhandler(on_window, &ours);
  MPI_Win_set_errhandler(win, ours);
  MPI_Win_get_errhandler(win, &there);
  CHECK(there == ours);
  MPI_Errhandler_free(&there);
  handled = 0;
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK(handled == 1);
  MPI_Errhandler_free(&ours);
  MPI_Win_free(&win);
  expect_call("MPI_Win_free", 0, 0, 0);
}

#if MPI_VERSION >= 4
static void on_session(MPI_Session* session, int* code, ...) {
  (void)session;
  (void)code;
  ++handled;
}

static void sessions(void) {
  MPI_Session session;
  MPI_Errhandler ours, there;
  MPI_Info info;
  char name[MPI_MAX_PSET_NAME_LEN];
  int n, length = sizeof name, flag, value_length = 60;
  char text[64];
  MPI_Session_create_errhandler(on_session, &ours);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_set_errhandler(session, ours);
  MPI_Session_get_errhandler(session, &there);
  CHECK(there == ours);
  MPI_Errhandler_free(&there);
  handled = 0;
  MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
  CHECK(handled == 1);
  MPI_Errhandler_free(&ours);
  MPI_Session_get_info(session, &info);
  MPI_Info_free(&info);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
  CHECK(n >= 1);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
  MPI_Session_get_pset_info(session, name, &info);
  MPI_Info_get_string(info, "mpi_size", &value_length, text, &flag);
  CHECK(flag);
  MPI_Info_free(&info);
  MPI_Session_finalize(&session);
}
#endif

#if defined(MPICH_VERSION)
/// Functions that MPI-3 removed and MPICH still has.
static void old_names(void) {
  MPI_Errhandler ours, there;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler_create(on_comm, &ours);
  MPI_Errhandler_set(comm, ours);
  MPI_Errhandler_get(comm, &there);
  CHECK(there == ours);
  MPI_Errhandler_free(&there);
  MPI_Errhandler_free(&ours);
  MPI_Comm_free(&comm);

  MPI_Datatype type, pair[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Aint lb, ub, extent, address, places[2] = {0, 8};
  int lengths[2] = {1, 1}, bytes;
  MPI_Type_struct(2, lengths, places, pair, &type);
  MPI_Type_lb(type, &lb);
  MPI_Type_ub(type, &ub);
  MPI_Type_extent(type, &extent);
  CHECK(lb == 0 && ub == 16 && extent == 16);
  MPI_Type_free(&type);
  MPI_Type_hvector(2, 1, 16, MPI_INT, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 8);
  MPI_Type_free(&type);
  MPI_Type_hindexed(2, lengths, places, MPI_INT, &type);
  MPI_Type_size(type, &bytes);
  CHECK(bytes == 8);
  MPI_Type_free(&type);
  MPI_Address(&bytes, &address);
  CHECK((char*)address == (char*)&bytes);
}
#endif

int main(int argc, char** argv) {
  char text[MPI_MAX_ERROR_STRING];
  int n, class, code;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "an error");
  MPI_Error_string(code, text, &n);
  CHECK(strcmp(text, "an error") == 0);
  communicators();
  files();
  windows();
#if MPI_VERSION >= 4
  sessions();
#endif
#if defined(MPICH_VERSION)
  old_names();
#endif
  MPI_Finalize();
  expect_write(rank);
  return 0;
}
