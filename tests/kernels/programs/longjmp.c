// longjmp leaves a kernel inside its loop; every fourth invocation ends normally.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;
static double values[100], sums[100];
static volatile double sum;

__attribute__((noinline)) static void sum_until(int n, int limit) {
  double all = 0;
  for (int i = 0; i < n; ++i) {
    if (i == limit) longjmp(place, 1);
    sums[i] = all += values[i];
  }
  sum = all;
}

int main(void) {
  volatile int jumps = 0;
  for (int i = 0; i < 100; ++i) values[i] = 0.5;
  for (volatile int i = 0; i < 40; ++i) {
    if (setjmp(place) == 0)
      sum_until(100, i % 4 < 3 ? 10 : 100);
    else
      ++jumps;
  }
  printf("%g after %d jumps\n", sum, jumps);
}
