/* What diary.c writes and the tests read: the truth, measured without a profiler. */
#pragma once

#include <stdint.h>

struct diary {
  int64_t in_main;           /* 1 once MPI_Init has returned */
  int64_t main_cpu_ns;       /* CPU time of the thread when MPI_Init returned */
  int64_t cpu_ns;            /* CPU time when it was last read */
  volatile uint64_t entered; /* calls of MPI_Sendrecv */
  volatile uint64_t returned;
};
