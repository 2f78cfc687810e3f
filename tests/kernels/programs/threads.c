// One kernel, run one after another by the main thread, another thread, and the main thread again.
#include <pthread.h>
#include <stdio.h>

static double sums[100];

__attribute__((noinline)) static void prefix_sum(int n) {
  for (int i = 1; i < n; ++i) sums[i] += sums[i - 1];
}

static void* in_thread(void* argument) {
  prefix_sum(60);
  return argument;
}

int main(void) {
  sums[0] = 1;
  prefix_sum(100);
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  prefix_sum(100);
  printf("%g\n", sums[99]);
}
