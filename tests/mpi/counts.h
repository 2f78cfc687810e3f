// Lets the same program be compiled with 32-bit counts and, where MPI has them (MPI-4: MPI_Send_c),
// with 64-bit counts. With APMT_LARGE_COUNTS, the 64-bit variant of every function that has one
// replaces the function, both in the program and in the expected calls.
#ifndef APMT_TESTS_MPI_COUNTS_H
#define APMT_TESTS_MPI_COUNTS_H

#include <mpi.h>

#include "expect.h"

#if defined(APMT_LARGE_COUNTS) && MPI_VERSION < 4
#undef APMT_LARGE_COUNTS
#include <stdio.h>
int main(void) {
  fprintf(stderr, "this MPI is older than MPI-4\n");
  return 77;
}
#define main the_program  // what follows is built, but not run
#endif

#ifdef APMT_LARGE_COUNTS
typedef MPI_Count Count;   // number of elements or bytes
typedef MPI_Aint Displ;    // in elements or bytes
typedef MPI_Count Extent;  // in bytes
#include <string.h>

#include "large_calls.h"  // generated from the table: #define MPI_Send MPI_Send_c ..., kLargeCalls

#if MPI_VERSION == 4 && MPI_SUBVERSION == 0
#undef MPI_Status_set_elements  // its 64-bit variant is new in MPI-4.1
#endif

static const char* with_count(const char* op) {
  for (unsigned i = 0; i < sizeof kLargeCalls / sizeof *kLargeCalls; ++i) {
    const size_t length = strlen(op);
    if (strncmp(kLargeCalls[i], op, length) == 0 && strcmp(kLargeCalls[i] + length, "_c") == 0)
      return kLargeCalls[i];
  }
  return op;
}
#define expect_call(op, ...) expect_call(with_count(op), __VA_ARGS__)
#define expect_polled(op, ...) expect_polled(with_count(op), __VA_ARGS__)
#define expect_nobody(op, ...) expect_nobody(with_count(op), __VA_ARGS__)
#define expect_request(op, ...) expect_request(with_count(op), __VA_ARGS__)
#else
typedef int Count;
typedef int Displ;
typedef MPI_Aint Extent;
#endif

#endif
