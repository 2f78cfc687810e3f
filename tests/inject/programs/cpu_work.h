/* WORK(name) defines a function name(ms) that uses ms milliseconds of CPU time of its thread. */
#pragma once

#include <time.h>

static inline long long cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

#define WORK(name)                                        \
  __attribute__((noinline)) static void name(int ms) {    \
    const long long until_ns = cpu_ns() + ms * 1000000LL; \
    volatile double x = 1;                                \
    while (cpu_ns() < until_ns)                           \
      for (int i = 0; i < 20000; ++i) x = x * 0.999 + 1;  \
  }
