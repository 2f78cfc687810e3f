// A conformance program writes its own calls into a file, to be compared with the recording: one
// file per rank, with lines as dump_recording prints them.
#ifndef APMT_TESTS_MPI_EXPECT_H
#define APMT_TESTS_MPI_EXPECT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One call of `op` on a communicator of `comm` processes, which sent and received so many bytes.
void expect_call(const char* op, int comm, long long sent, long long received);
/// The same if the program cannot know how often it calls (polling). Bytes are exact
/// nevertheless.
void expect_polled(const char* op, int comm, long long sent, long long received);
/// A message to or from a world rank.
void expect_sent(int peer, long long bytes);
void expect_received(int peer, long long bytes);

/// One operation that `op` posted has ended. A program that uses this must use it for all
/// operations.
void expect_request(const char* op, int comm, long long sent, long long received);
/// One of the calls of `op` was to MPI_PROC_NULL: it sent no message. To be used for all or none.
void expect_nobody(const char* op, int comm);
/// One blocking call of a synchronising collective. To be used for all or none.
void expect_instance(const char* op, int comm);

/// Writes the file of this world rank into the directory APMT_TEST_EXPECT; nothing if that is not
/// set.
void expect_write(int world_rank);

/// Ends the program with an error when a condition does not hold: the results must be right, too.
#define CHECK(condition) expect_check((condition) != 0, #condition, __FILE__, __LINE__)
void expect_check(int holds, const char* condition, const char* file, int line);

#ifdef __cplusplus
}
#endif
#endif
