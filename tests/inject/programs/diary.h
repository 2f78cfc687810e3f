/* The file that diary.c writes and the tests read: what the program did, by its own count. */
#pragma once

#include <stdint.h>

struct diary {
  int64_t in_main;            /* 1 once MPI_Init has returned */
  int64_t main_cpu_ns;        /* CPU time of the thread when MPI_Init returned */
  int64_t cpu_ns;             /* CPU time when it was last read */
  volatile uint64_t entered;  /* calls of MPI_Sendrecv that began */
  volatile uint64_t returned; /* calls of MPI_Sendrecv that returned */
};
