/* thread_pool: three OpenMP threads work for 0.3 s of CPU time each. A short parallel loop before
 * this work creates the threads; they live to the end of the process. Prints "tid cpu_ns" of each
 * thread. */
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/inject/programs/settle.h"

static long long cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void pool_work(long long ns) {
  volatile double x = 1;
  const long long end = cpu_ns() + ns;
  while (cpu_ns() < end)
    for (int i = 0; i < 10000; ++i) x = x * 0.999 + 1;
}

int main(void) {
  omp_set_num_threads(3);
#pragma omp parallel
  pool_work(1000);
#pragma omp parallel
  {
    const long long begin = cpu_ns();
    pool_work(300000000);
    settle();
    const long long took = cpu_ns() - begin;
#pragma omp critical
    printf("%ld %lld\n", syscall(SYS_gettid), took);
  }
  return 0;
}
