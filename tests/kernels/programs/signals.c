// An instrumented signal handler interrupts a kernel ten times.
#include <signal.h>
#include <stdio.h>

static volatile int handled[8];
static double values[1000];

static void handler(int signal) {
  for (int i = 0; i < 8; ++i) handled[i] += signal == SIGUSR1;
}

__attribute__((noinline)) static void add(int n) {
  for (int i = 0; i < n; ++i) {
    values[i] += 1.5;
    if (i % 100 == 0) raise(SIGUSR1);
  }
}

int main(void) {
  signal(SIGUSR1, handler);
  add(1000);
  printf("%g, handled %d times\n", values[999], handled[7]);
}
