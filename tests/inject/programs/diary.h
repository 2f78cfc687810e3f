/* What diary.c writes down and the tests read: the truth, kept without a profiler. */
#pragma once

#include <stdint.h>

struct diary {
  int64_t in_main;           /* 1 once MPI_Init has returned */
  int64_t main_cpu_ns;       /* CPU time of the thread at that moment */
  int64_t cpu_ns;            /* and when last looked at */
  volatile uint64_t entered; /* calls of MPI_Sendrecv */
  volatile uint64_t returned;
};
