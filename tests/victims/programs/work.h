/* burn_ms uses CPU time, so that the sampler sends signals; every victim calls it. */
#pragma once
#include <time.h>

static inline double burn_ms(long ms) {
  struct timespec t;
  double x = 1.0;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ms * 1000000LL;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
  return x;
}
