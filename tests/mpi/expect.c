#include "expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxCalls = 512, kMaxPeers = 64 };

enum kind { kCall, kRequest, kInstance, kNobody, kUnfinished, kUnkept };

static struct {
  enum kind kind;
  char op[64];
  int comm;
  int polled;
  long long calls, sent, received;
} calls[kMaxCalls];
static int call_count;

static struct {
  int used;
  long long messages_sent, sent, messages_received, received;
} peers[kMaxPeers];

static void add(enum kind kind, const char* op, int comm, int polled, long long sent,
                long long received) {
  int i = 0;
  while (i < call_count &&
         (calls[i].kind != kind || strcmp(calls[i].op, op) != 0 || calls[i].comm != comm))
    ++i;
  expect_check(i < kMaxCalls, "room for another kind of call", __FILE__, __LINE__);
  if (i == call_count) {
    snprintf(calls[i].op, sizeof calls[i].op, "%s", op);
    calls[i].kind = kind;
    calls[i].comm = comm;
    ++call_count;
  }
  calls[i].polled |= polled;
  ++calls[i].calls;
  calls[i].sent += sent;
  calls[i].received += received;
}

void expect_call(const char* op, int comm, long long sent, long long received) {
  add(kCall, op, comm, 0, sent, received);
}

void expect_polled(const char* op, int comm, long long sent, long long received) {
  add(kCall, op, comm, 1, sent, received);
}

void expect_request(const char* op, int comm, long long sent, long long received) {
  add(kRequest, op, comm, 0, sent, received);
}

void expect_nobody(const char* op, int comm) { add(kNobody, op, comm, 0, 0, 0); }

void expect_unfinished(const char* op, int comm) { add(kUnfinished, op, comm, 0, 0, 0); }

void expect_unkept(const char* op, int comm) { add(kUnkept, op, comm, 0, 0, 0); }

void expect_instance(const char* op, int comm) { add(kInstance, op, comm, 0, 0, 0); }

void expect_sent(int peer, long long bytes) {
  expect_check(peer >= 0 && peer < kMaxPeers, "a peer that fits", __FILE__, __LINE__);
  peers[peer].used = 1;
  ++peers[peer].messages_sent;
  peers[peer].sent += bytes;
}

void expect_received(int peer, long long bytes) {
  expect_check(peer >= 0 && peer < kMaxPeers, "a peer that fits", __FILE__, __LINE__);
  peers[peer].used = 1;
  ++peers[peer].messages_received;
  peers[peer].received += bytes;
}

void expect_write(int world_rank) {
  const char* directory = getenv("APMT_TEST_EXPECT");
  if (directory == NULL) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/rank-%05d.txt", directory, world_rank);
  FILE* out = fopen(path, "w");
  expect_check(out != NULL, path, __FILE__, __LINE__);
  for (int i = 0; i < call_count; ++i) {
    char count[32] = "*";
    if (!calls[i].polled) snprintf(count, sizeof count, "%lld", calls[i].calls);
    if (calls[i].kind == kInstance || calls[i].kind == kNobody)
      fprintf(out, "%s %s comm=%d kept=%s\n", calls[i].kind == kNobody ? "nobody" : "instances",
              calls[i].op, calls[i].comm, count);
    else if (calls[i].kind == kUnfinished || calls[i].kind == kUnkept)
      fprintf(out, "%s %s comm=%d calls=%s\n",
              calls[i].kind == kUnfinished ? "unfinished" : "unkept", calls[i].op, calls[i].comm,
              count);
    else
      fprintf(out, "%s %s comm=%d %s=%s sent=%lld received=%lld\n",
              calls[i].kind == kCall ? "call" : "request", calls[i].op, calls[i].comm,
              calls[i].kind == kCall ? "calls" : "completed", count, calls[i].sent,
              calls[i].received);
  }
  for (int i = 0; i < kMaxPeers; ++i)
    if (peers[i].used)
      fprintf(out, "peer %d sent=%lld/%lld received=%lld/%lld\n", i, peers[i].messages_sent,
              peers[i].sent, peers[i].messages_received, peers[i].received);
  expect_check(fclose(out) == 0, path, __FILE__, __LINE__);
}

void expect_check(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  _Exit(3);
}
