// With these functions a conformance program writes its own calls to a file, one per rank, in the
// form that dump_recording prints. The test compares the file with the recording.
#ifndef APMT_TESTS_MPI_EXPECT_H
#define APMT_TESTS_MPI_EXPECT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Expects one call of `op` by this rank, on a communicator of `comm` processes; the call sends
/// `sent` and receives `received` bytes.
void expect_call(const char* op, int comm, long long sent, long long received);
/// Like expect_call(), for calls whose number is not compared, because the program polls. Their
/// bytes are compared nevertheless.
void expect_polled(const char* op, int comm, long long sent, long long received);
/// Expects one message to or from a world rank.
void expect_sent(int peer, long long bytes);
void expect_received(int peer, long long bytes);

/// Expects that an operation that `op` posted has completed. Use it for all operations or for none.
void expect_request(const char* op, int comm, long long sent, long long received);
/// Expects an operation that `op` starts and that does not complete.
void expect_unfinished(const char* op, int comm);
/// Expects a call of a synchronising collective that is not kept as an instance.
void expect_unkept(const char* op, int comm);
/// Expects a call of `op` whose peer was MPI_PROC_NULL. Use it for all such calls or for none.
void expect_nobody(const char* op, int comm);
/// Expects a blocking call of a synchronising collective. Use it for all such calls or for none.
void expect_instance(const char* op, int comm);

/// Writes the file of this world rank into the directory APMT_TEST_EXPECT; does nothing if that is
/// not set.
void expect_write(int world_rank);

/// Ends the program with an error if the condition does not hold: MPI's results must be right, too.
#define CHECK(condition) expect_check((condition) != 0, #condition, __FILE__, __LINE__)
void expect_check(int holds, const char* condition, const char* file, int line);

#ifdef __cplusplus
}
#endif
#endif
