// A kernel that is called 3,000 times, with n = 100, 50 and 25 in turn.
#include <stdio.h>

static double sums[100];

__attribute__((noinline)) static void prefix_sum(int n) {
  for (int i = 1; i < n; ++i) sums[i] += 0.5 * sums[i - 1];
}

int main(void) {
  sums[0] = 1;
  for (int call = 0; call < 3000; ++call) prefix_sum(100 >> call % 3);
  printf("%g\n", sums[99]);
}
